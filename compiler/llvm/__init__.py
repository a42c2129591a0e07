"""LLVM IR for the host's processor, from DLC: docs/llvm.md."""
