"""The compiler: embedding operations to SCF, SLC, DLC and the machine's microcode."""
