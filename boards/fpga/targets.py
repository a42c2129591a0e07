"""FPGAs of the boards."""

from ...synth.targets import TARGETS, Target

ECP5_85F = TARGETS["ecp5-85f"]

#: Those of the other boards with an ECP5 have transceivers, and the fastest speed grade. So they do
#: without ``router1``, which had not routed the ECPIX-5 after 38 minutes; ``router2`` takes 4.
ECP5UM5G_85F = Target(
    "ecp5um5g-85f", "LFE5UM5G-85F-8BG554I",
    ("--um5g-85k", "--package", "CABGA554", "--speed", "8"), ECP5_85F.capacity, "router2",
)  # fmt: skip
ECP5UM_45F = Target(
    "ecp5um-45f", "LFE5UM-45F-8BG381C",
    ("--um-45k", "--package", "CABGA381", "--speed", "8"),
    {"lut": 43_848, "ff": 43_848, "bram": 108, "dsp": 72}, "router2",
)  # fmt: skip

#: Xilinx' 7 series overview (DS180) has the capacities, but look-up tables have 6 inputs there;
#: ``bram`` counts halves of 36 kbit blocks, ``dsp`` DSP48E1.
XC7A100T = Target(
    "xc7a100t",
    "XC7A100TICSG324-1L",
    (),
    {"lut": 63_400, "ff": 126_800, "bram": 270, "dsp": 240},
)
