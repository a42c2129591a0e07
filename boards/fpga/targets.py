"""FPGAs of the boards."""

from ...synth.targets import TARGETS, Target

ECP5_85F = TARGETS["ecp5-85f"]

#: Xilinx' 7 series overview (DS180) has the capacities, but look-up tables have 6 inputs there;
#: ``bram`` counts halves of 36 kbit blocks, ``dsp`` DSP48E1.
XC7A100T = Target(
    "xc7a100t",
    "XC7A100TICSG324-1L",
    (),
    {"lut": 63_400, "ff": 126_800, "bram": 270, "dsp": 240},
)
