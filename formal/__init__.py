"""Formal proofs of the machine's queues, rings, buffers and stream registers: docs/formal.md."""
