"""How many lines must move, at least: what measured cycles are compared with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from .lookup import Request

#: Byte address of an array: (table name, "table" | "indices" | "offsets" | "weights" | "out").
Addresses = Mapping[tuple[str, str], int]

_CHUNK = 1 << 20  # lookups whose spans are computed at once


@dataclass(frozen=True)
class Bound:
    """Lines over each port at one line per cycle and port.

    Arrays that are walked once (indices, offsets, weights, output) count the lines they touch.
    A table row counts the lines it touches once per lookup, because nothing says that a line read
    for one lookup is still there for the next; padded lookups read no row and no weight.

    Attributes
    ----------
    table, indices, offsets, weights : lines read
    output : lines written
    line_bytes : bytes of a line
    """

    table: int
    indices: int
    offsets: int
    weights: int
    output: int
    line_bytes: int

    @property
    def reads(self) -> int:
        """Lines that the read port moves."""
        return self.table + self.indices + self.offsets + self.weights

    @property
    def writes(self) -> int:
        """Lines that the write port moves."""
        return self.output

    @property
    def lines(self) -> int:
        """Lines of both ports."""
        return self.reads + self.writes

    @property
    def cycles(self) -> int:
        """Cycles that the busier port needs."""
        return max(self.reads, self.writes)


def port_bound(requests: Iterable[Request], addresses: Addresses, line_bytes: int) -> Bound:
    """The bound of requests whose arrays lie at ``addresses`` in memory.

    Parameters
    ----------
    requests : what runs
    addresses : where their arrays lie, in bytes
    line_bytes : bytes of a memory line, a power of two
    """
    shift = line_bytes.bit_length() - 1
    total = dict.fromkeys(("table", "indices", "offsets", "weights", "output"), 0)
    for r in requests:
        if not r.bag.bags or not r.bag.dim:
            continue  # no output, so nothing is read

        def at(kind: str, name: str = r.name) -> int:
            return addresses[name, kind]

        counted = r.counted
        total["table"] += _row_lines(r, at("table") if counted.any() else 0, counted, shift)
        total["offsets"] += _span(at("offsets"), r.offsets.nbytes, shift)
        total["output"] += _span(at("out"), r.bag.bags * r.bag.dim * 4, shift)
        if r.indices.size:
            total["indices"] += _span(at("indices"), r.indices.nbytes, shift)
        if r.weights is not None and r.weights.size:
            at_weight = at("weights") + 4 * np.flatnonzero(counted)
            total["weights"] += int(np.unique(at_weight >> shift).size)
    return Bound(**total, line_bytes=line_bytes)


def _row_lines(request: Request, base: int, counted: np.ndarray, shift: int) -> int:
    row_bytes = request.bag.dim * 4
    lines = 0
    for start in range(0, request.indices.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        first = base + request.indices[part][counted[part]].astype(np.int64) * row_bytes
        last = first + row_bytes - 1
        lines += int(((last >> shift) - (first >> shift) + 1).sum())
    return lines


def _span(address: int, size: int, shift: int) -> int:
    return ((address + size - 1) >> shift) - (address >> shift) + 1 if size else 0
