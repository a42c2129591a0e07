"""What an error report of the machine means for the caller."""

import numpy as np

from .errors import InputError, RunError
from .lookup import Request
from .messages import bad_index, bad_offset, decreasing_offsets
from .parts import isa

#: Layers of every compiled nest, outermost first: bags, whose bounds are the offsets, and entries.
_BAGS, _ENTRIES = 0, 1


def diagnose(report, request: Request) -> Exception:
    """The exception for an error that the machine reported while it worked on ``request``.

    A bad index or offset becomes the ValueError (an :class:`InputError`) that the host's own
    check would have raised; everything else is a :class:`RunError`.

    Parameters
    ----------
    report : kind, layer, position and value, see :class:`ember.hw.isa.Error`
    request : whose segment reported it
    """
    position = int(report.position)
    if report.kind == isa.Error.INDEX and report.layer == _ENTRIES:
        value = _signed(report.value, request.indices)
        return InputError(bad_index(request, position, value))
    if report.kind == isa.Error.INDEX and report.layer == _BAGS:
        value = _signed(report.value, request.offsets)
        # An iteration loads where its bag starts and where it ends: either may be the bad one.
        at = position + int(request.offsets[position] != value)
        return InputError(bad_offset(at, value, request.bag.lookups))
    if report.kind == isa.Error.BOUNDS:
        offsets = request.offsets
        down = np.flatnonzero(offsets[1:] < offsets[:-1]) + 1
        if down.size:
            at = int(down[0])
            return InputError(decreasing_offsets(at, int(offsets[at]), int(offsets[at - 1])))
    return machine_error(report, request.name)


def machine_error(report, table: str) -> RunError:
    """The exception for an error of which no more is known than what the machine reported."""
    kind = isa.Error(report.kind).name
    return RunError(
        f"the machine reported {kind} for table {table!r}, layer {report.layer}, "
        f"position {report.position}, value {report.value:#x}"
    )


def _signed(value: int, indices: np.ndarray) -> int:
    """The register holds the element's bits, zero-extended."""
    bits = 8 * indices.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
