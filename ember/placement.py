"""Where a run's arrays lie in the machine's memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import parts
from .arrays import check_size
from .bag import NO_POOLING, Bag
from .errors import InputError
from .lookup import Request
from .parts import Config

_BYTES = {"i32": 4, "i64": 8}


@dataclass(frozen=True, eq=False)
class Placement:
    """Arrays of requests in a memory.

    Attributes
    ----------
    memory : :class:`ember.sim.memory.Memory`
    addresses : (table name, "table" | "indices" | "offsets" | "weights" | "out") -> byte address
    outputs : float32 [bags, dim] of each request, NaN until a run writes them
    """

    memory: Any
    addresses: dict[tuple[str, str], int]
    outputs: tuple[np.ndarray, ...]


def check_space(bag: Bag, config: Config) -> None:
    """Refuse, before it is compiled, a bag whose arrays the address space cannot hold.

    Raises
    ------
    InputError
        As :func:`place`, which also sees what several bags need together.
    """
    sizes = {"table": bag.rows * bag.dim * 4, "indices": bag.lookups * _BYTES[bag.index_type]}
    if bag.mode != NO_POOLING:
        sizes["offsets"] = (bag.bags + 1) * _BYTES[bag.offset_type]
    if bag.weighted:
        sizes["weights"] = bag.lookups * 4
    sizes["output"] = bag.bags * bag.dim * 4
    address = None
    for kind, size in sizes.items():
        address = check_size(size, config, array_name(kind, bag.name), address)


def place(requests: Sequence[Request], config: Config) -> Placement:
    """Give every array of ``requests`` an address, without a copy; make the outputs.

    Tables that share storage are placed once.

    Raises
    ------
    InputError
        The address space of ``config`` is too small; the message has the array's name and both
        sizes.
    """
    memory = parts.memory().Memory(config)
    addresses: dict[tuple[str, str], int] = {}
    known: dict[tuple[int, int], int] = {}
    outputs = []
    for r in requests:
        shape = (r.bag.bags, r.bag.dim)
        if not r.bag.bags or not r.bag.dim:
            outputs.append(np.zeros(shape, np.float32))
            continue
        output = np.full(shape, np.nan, np.float32)
        outputs.append(output)
        arrays = {
            "table": r.table, "indices": r.indices, "offsets": r.offsets, "weights": r.weights,
        }  # fmt: skip
        for kind, array in arrays.items():
            if array is None:
                continue
            key = (array.__array_interface__["data"][0], array.nbytes)
            if not array.size or key not in known:
                known[key] = _place(memory, array, array_name(kind, r.name))
            addresses[r.name, kind] = known[key]
        addresses[r.name, "out"] = _place(memory, output, array_name("output", r.name), True)
    return Placement(memory, addresses, tuple(outputs))


def _place(memory, array: np.ndarray, name: str, writable: bool = False) -> int:
    try:
        return memory.place(array, writable=writable, name=name)
    except ValueError as error:
        raise InputError(str(error)) from None


def array_name(kind: str, table: str) -> str:
    """What messages call an array."""
    return f"table {table!r}" if kind == "table" else f"{kind} of table {table!r}"
