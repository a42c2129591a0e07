"""A fixed delay."""

from amaranth.hdl import Signal


def delay(m, value, cycles: int, name: str):
    """``value`` as it was ``cycles`` cycles ago."""
    for n in range(1, cycles + 1):
        stage = Signal(value.shape(), name=f"{name}_{n}")
        m.d.sync += stage.eq(value)
        value = stage
    return value
