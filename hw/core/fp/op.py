"""Operations of a floating-point lane."""

from amaranth.lib import enum

__all__ = ["FpOp"]


class FpOp(enum.IntEnum, shape=4):
    """What an :class:`~.lane.FpLane` does with its operands.

    ====== ====================================================== =======================
    Member Result                                                 NaN
    ====== ====================================================== =======================
    MOV    ``c``                                                  bits kept
    FMA    ``a * b + c``, rounded once                            canonical, 0x7fc00000
    MAX    ``a if a > c else c``                                  false compare: ``c``
    MAXN   ``a if a > c or (isnan(a) and not isnan(c)) else c``   propagated, bits kept
    MOVA   ``a``                                                  bits kept
    MIN    ``a if a < c else c``                                  false compare: ``c``
    MAXI   maximum of ``a`` and ``c``; -0.0 is below +0.0         propagated, canonical
    MINI   minimum of ``a`` and ``c``; -0.0 is below +0.0         propagated, canonical
    FNMA   ``-(a * b) - c``, rounded once                         canonical, 0x7fc00000
    NEG    ``-a``                                                 sign flipped, bits kept
    ====== ====================================================== =======================

    ADD is FMA with ``b = 1.0``; MUL is FMA with ``c = -0.0``, the identity of addition. ``c - a``
    is FMA with ``b = -1.0``, and ``a - c`` FNMA with that.

    Bit 3 flips the sign of what the other bits name, before an exact zero gets its sign.
    """

    MOV = 0
    FMA = 1
    MAX = 2
    MAXN = 3
    MOVA = 4
    MAXI = 5
    MIN = 6
    MINI = 7
    FNMA = 9
    NEG = 12
