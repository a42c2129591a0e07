// Models of the ECP5 cells that a board's top level has, as far as it uses them.

module IB(input I, output O);
  assign O = I;
endmodule

// The outputs of our boards always drive.
module OBZ(input I, input T, output O);
  assign O = I;
endmodule

module BB(input I, input T, output O, inout B);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule

module IFS1P3DX(input D, input SP, input SCLK, input CD, output reg Q);
  initial Q = 0;
  always @(posedge SCLK) if (SP) Q <= D;
endmodule

module OFS1P3DX(input D, input SP, input SCLK, input CD, output reg Q);
  initial Q = 0;
  always @(posedge SCLK) if (SP) Q <= D;
endmodule

module ODDRX1F(input D0, input D1, input SCLK, input RST, output Q);
  assign Q = SCLK ? D0 : D1;
endmodule

module FD1S3AX #(parameter GSR = "ENABLED") (input CK, input D, output reg Q);
  initial Q = 0;
  always @(posedge CK) Q <= D;
endmodule

// Registers start from what the bitstream says, which is all that this reset does.
module SGSR(input CLK, input GSR);
endmodule

// Clock in, clock out: a simulation counts cycles, however long they are. It locks after 16.
module EHXPLLL #(
  parameter PLLRST_ENA = "", INTFB_WAKE = "", STDBY_ENABLE = "", DPHASE_SOURCE = "",
  FEEDBK_PATH = "", OUTDIVIDER_MUXA = "", OUTDIVIDER_MUXB = "", CLKOP_ENABLE = "",
  CLKOS_ENABLE = "",
  parameter integer CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 8, CLKOP_CPHASE = 0,
  CLKOP_FPHASE = 0, CLKOS_DIV = 8, CLKOS_CPHASE = 0, CLKOS_FPHASE = 0
) (
  input RST, input STDBY, input PHASESEL0, input PHASESEL1, input PHASEDIR, input PHASESTEP,
  input PHASELOADREG, input PLLWAKESYNC, input ENCLKOP, input CLKI, input CLKFB,
  output CLKOP, output CLKOS, output LOCK
);
  reg [4:0] count = 0;
  always @(posedge CLKI) if (!count[4]) count <= count + 1;
  assign CLKOP = CLKI;
  assign CLKOS = CLKI;
  assign LOCK = count[4];
endmodule
