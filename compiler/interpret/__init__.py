"""Interpreters of every form of a program: SCF, SLC and DLC, on NumPy arrays."""
