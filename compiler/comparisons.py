"""``arith.cmpi``: what its predicates ask of two integers."""

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne

#: By predicate: equal, not equal, <, <=, >, >= with a sign, then the last four without one.
COMPARISONS: tuple[Callable[[int, int], bool], ...] = (eq, ne, lt, le, gt, ge, lt, le, gt, ge)
#: Predicates whose operands have no sign.
WITHOUT_SIGN = range(6, 10)
