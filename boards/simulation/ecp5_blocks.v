// Models of the ECP5 cells that Yosys has as black boxes alone, as far as our netlists use them.
// What is not modelled is an error when the netlist is compiled.
// After Lattice's technical notes on memory (FPGA-TN-02204) and on the sysDSP (FPGA-TN-02205).

// 18 kbit of memory: rows of 36 bits, of which a port reads and writes 18 or all.
// Without the output register. A port that writes reads nothing, or what was there before.
//
// A bit that one port reads while the other one writes it is promised nothing. Here it reads as the
// complement of what it was, so that whoever relies on it is found out. Both ports have one clock.
module DP16KD #(
  parameter integer DATA_WIDTH_A = 18, DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG", RESETMODE = "SYNC",
  ASYNC_RESET_RELEASE = "SYNC", CSDECODE_A = "0b000", CSDECODE_B = "0b000",
  WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL", CLKAMUX = "CLKA", CLKBMUX = "CLKB",
  GSR = "AUTO",
  parameter [319:0]
    INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0,
    INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0,
    INITVAL_0A = 0, INITVAL_0B = 0, INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0,
    INITVAL_0F = 0, INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0,
    INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0, INITVAL_18 = 0,
    INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0, INITVAL_1C = 0, INITVAL_1D = 0,
    INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0,
    INITVAL_23 = 0, INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0,
    INITVAL_28 = 0, INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0,
    INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0, INITVAL_30 = 0, INITVAL_31 = 0,
    INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0,
    INITVAL_37 = 0, INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0,
    INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0
) (
  input CLKA, input CEA, input OCEA, input WEA, input RSTA, input CSA0, input CSA1, input CSA2,
  input CLKB, input CEB, input OCEB, input WEB, input RSTB, input CSB0, input CSB1, input CSB2,
  input ADA13, input ADA12, input ADA11, input ADA10, input ADA9, input ADA8, input ADA7,
  input ADA6, input ADA5, input ADA4, input ADA3, input ADA2, input ADA1, input ADA0,
  input ADB13, input ADB12, input ADB11, input ADB10, input ADB9, input ADB8, input ADB7,
  input ADB6, input ADB5, input ADB4, input ADB3, input ADB2, input ADB1, input ADB0,
  input DIA17, input DIA16, input DIA15, input DIA14, input DIA13, input DIA12, input DIA11,
  input DIA10, input DIA9, input DIA8, input DIA7, input DIA6, input DIA5, input DIA4,
  input DIA3, input DIA2, input DIA1, input DIA0, input DIB17, input DIB16, input DIB15,
  input DIB14, input DIB13, input DIB12, input DIB11, input DIB10, input DIB9, input DIB8,
  input DIB7, input DIB6, input DIB5, input DIB4, input DIB3, input DIB2, input DIB1, input DIB0,
  output DOA17, output DOA16, output DOA15, output DOA14, output DOA13, output DOA12,
  output DOA11, output DOA10, output DOA9, output DOA8, output DOA7, output DOA6, output DOA5,
  output DOA4, output DOA3, output DOA2, output DOA1, output DOA0, output DOB17, output DOB16,
  output DOB15, output DOB14, output DOB13, output DOB12, output DOB11, output DOB10,
  output DOB9, output DOB8, output DOB7, output DOB6, output DOB5, output DOB4, output DOB3,
  output DOB2, output DOB1, output DOB0
);
  if (DATA_WIDTH_A != 18 && DATA_WIDTH_A != 36 || DATA_WIDTH_B != 18 && DATA_WIDTH_B != 36)
    $error("DP16KD: a port that is not 18 or 36 bits wide");
  if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG") $error("DP16KD: an output register");
  if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000") $error("DP16KD: chip selects");
  if (WRITEMODE_A == "WRITETHROUGH" || WRITEMODE_B == "WRITETHROUGH") $error("DP16KD: write mode");
  if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") $error("DP16KD: an inverted clock");

  // 16 words of 18 bits in each, one every 20 bits.
  localparam [20479:0] INITVAL = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
    INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32,
    INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B,
    INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
    INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
    INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
    INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F,
    INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01,
    INITVAL_00
  };

  wire [13:0] address_a = {
    ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0
  };
  wire [13:0] address_b = {
    ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0
  };
  wire [17:0] data_a = {
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
    DIA3, DIA2, DIA1, DIA0
  };
  wire [17:0] data_b = {
    DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4,
    DIB3, DIB2, DIB1, DIB0
  };

  // The lowest bit of a row that an address means.
  function automatic [5:0] place(input integer width, input [4:0] address);
    place = width == 18 && address[4] ? 18 : 0;
  endfunction

  // The bits of a row that a port writes: the lowest address bits enable bytes.
  function automatic [35:0] written(input integer width, input [4:0] address);
    written = {18'b0, {9{address[1]}}, {9{address[0]}}} << place(width, address);
    if (width == 36) written[35:18] = {{9{address[3]}}, {9{address[2]}}};
  endfunction

  wire writes_a = CEA && WEA && !CSA0 && !CSA1 && !CSA2;
  wire writes_b = CEB && WEB && !CSB0 && !CSB1 && !CSB2;
  wire [35:0] mask_a = writes_a ? written(DATA_WIDTH_A, address_a[4:0]) : 36'b0;
  wire [35:0] mask_b = writes_b ? written(DATA_WIDTH_B, address_b[4:0]) : 36'b0;
  wire [5:0] place_a = place(DATA_WIDTH_A, address_a[4:0]);
  wire [5:0] place_b = place(DATA_WIDTH_B, address_b[4:0]);
  // Of a port that is 36 bits wide, the other port's pins are the upper half.
  wire [35:0] new_a = (DATA_WIDTH_A == 36 ? {data_b, data_a} : {18'b0, data_a}) << place_a;
  wire [35:0] new_b = (DATA_WIDTH_B == 36 ? {data_b, data_a} : {18'b0, data_b}) << place_b;
  wire same = address_a[13:5] == address_b[13:5];

  reg [35:0] rows [0:511];
  reg [35:0] out_a = 0, out_b = 0;
  integer row;
  initial for (row = 0; row < 512; row = row + 1)
    rows[row] = {INITVAL[(2 * row + 1) * 20 +: 18], INITVAL[2 * row * 20 +: 18]};

  // What the ports write together: of a row that is the same, or each of its own.
  wire [35:0] both = same ? mask_a | mask_b : mask_a;
  wire [35:0] new_both = (new_a & mask_a) | (same ? new_b & mask_b : 36'b0);
  always @(posedge CLKA) begin
    if (mask_b != 0 && !same)
      rows[address_b[13:5]] <= (rows[address_b[13:5]] & ~mask_b) | (new_b & mask_b);
    if (both != 0) rows[address_a[13:5]] <= (rows[address_a[13:5]] & ~both) | new_both;
  end

  wire reads_a = CEA && (!WEA || WRITEMODE_A == "READBEFOREWRITE");
  wire reads_b = CEB && (!WEB || WRITEMODE_B == "READBEFOREWRITE");
  wire [35:0] read_a = rows[address_a[13:5]] ^ (same ? mask_b : 36'b0);
  wire [35:0] read_b = rows[address_b[13:5]] ^ (same ? mask_a : 36'b0);
  if (RESETMODE == "ASYNC") begin
    always @(posedge CLKA, posedge RSTA)
      if (RSTA) out_a <= 0;
      else if (reads_a) out_a <= read_a >> place_a;
    always @(posedge CLKB, posedge RSTB)
      if (RSTB) out_b <= 0;
      else if (reads_b) out_b <= read_b >> place_b;
  end else begin
    always @(posedge CLKA)
      if (RSTA) out_a <= 0;
      else if (reads_a) out_a <= read_a >> place_a;
    always @(posedge CLKB)
      if (RSTB) out_b <= 0;
      else if (reads_b) out_b <= read_b >> place_b;
  end

  assign {
    DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4,
    DOA3, DOA2, DOA1, DOA0
  } = DATA_WIDTH_B == 36 ? out_b[17:0] : out_a[17:0];
  assign {
    DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4,
    DOB3, DOB2, DOB1, DOB0
  } = DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
endmodule

// Product of two numbers of 18 bits, without registers. Nothing drives the shift inputs: they are 0.
module MULT18X18D #(
  parameter REG_INPUTA_CLK = "NONE", REG_INPUTB_CLK = "NONE", REG_INPUTC_CLK = "NONE",
  REG_PIPELINE_CLK = "NONE", REG_OUTPUT_CLK = "NONE"
) (
  input A17, input A16, input A15, input A14, input A13, input A12, input A11, input A10,
  input A9, input A8, input A7, input A6, input A5, input A4, input A3, input A2, input A1,
  input A0, input B17, input B16, input B15, input B14, input B13, input B12, input B11,
  input B10, input B9, input B8, input B7, input B6, input B5, input B4, input B3, input B2,
  input B1, input B0, input C17, input C16, input C15, input C14, input C13, input C12,
  input C11, input C10, input C9, input C8, input C7, input C6, input C5, input C4, input C3,
  input C2, input C1, input C0, input SIGNEDA, input SIGNEDB, input SOURCEA, input SOURCEB,
  output P35, output P34, output P33, output P32, output P31, output P30, output P29, output P28,
  output P27, output P26, output P25, output P24, output P23, output P22, output P21, output P20,
  output P19, output P18, output P17, output P16, output P15, output P14, output P13, output P12,
  output P11, output P10, output P9, output P8, output P7, output P6, output P5, output P4,
  output P3, output P2, output P1, output P0
);
  if (REG_INPUTA_CLK != "NONE" || REG_INPUTB_CLK != "NONE" || REG_INPUTC_CLK != "NONE" ||
      REG_PIPELINE_CLK != "NONE" || REG_OUTPUT_CLK != "NONE") $error("MULT18X18D: a register");
  wire [17:0] a = SOURCEA ? 18'b0 : {
    A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0
  };
  wire [17:0] b = SOURCEB ? 18'b0 : {
    B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0
  };
  // Wide enough for the sign of either kind.
  wire signed [35:0] wide_a = {{18{SIGNEDA & a[17]}}, a};
  wire signed [35:0] wide_b = {{18{SIGNEDB & b[17]}}, b};
  assign {
    P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
    P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
  } = wide_a * wide_b;
endmodule
