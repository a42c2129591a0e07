"""Random misbehaviour of the memory for a random program: where a run meets it."""

import numpy as np

from ..hw.config import Config
from ..hw.layouts import ROW_STREAM, tag
from .cover_trace import Trace
from .latency import Faults
from .packing import pack
from .random_program import UNTOUCHED, RandomProgram
from .random_wish import NO_WISH, Wish

#: A stream number that no configuration uses.
NO_STREAM = 6
#: Share of programs that meet faults without a wish.
FAULTY = 0.12


def random_faults(
    rng: np.random.Generator,
    config: Config,
    subject: RandomProgram,
    trace: Trace,
    written: list[np.ndarray],
    wish: Wish = NO_WISH,
) -> Faults:
    """Read errors in lines of one stream, or a failing write, or a response nobody asked for.

    Parameters
    ----------
    trace : of a run without faults: which lines are read
    written : the output areas after such a run
    """
    streams = [name for name, lines in trace.lines.items() if lines]
    kind = wish.fault
    if kind is None:
        if rng.random() >= FAULTY:
            return Faults()
        kind = str(rng.choice([*streams, "write", "tag"]))
    if kind == "write":
        return Faults(write_errors=_stored(rng, subject, written))
    if kind == "tag":
        tags = [pack(tag(config), {"slot": slot, "stream": n}) for n, slot in no_tags(config)]
        stray = tags[int(rng.integers(len(tags)))]
        return Faults(unknown_tag=(int(rng.integers(1, 4)), stray))
    lines = sorted(trace.lines.get(kind, ()))
    few = rng.permutation(lines)[: int(rng.integers(1, 4))]
    return Faults(read_errors=frozenset(int(line) * config.line_bytes for line in few))


def no_tags(config: Config) -> list[tuple[int, int]]:
    """(stream, slot) of tags that the machine never issues, every slot of each such stream."""
    slots = 1 << tag(config)["slot"].width
    sizes = {ROW_STREAM: config.ring_slots, NO_STREAM: 0}
    sizes |= {number: config.line_slots for number in range(2 * config.scalar_layers)}
    return [(number, slot) for number, size in sizes.items() for slot in range(size, slots)]


def _stored(
    rng: np.random.Generator, subject: RandomProgram, written: list[np.ndarray]
) -> frozenset[int]:
    """Addresses of one or two stored words, if there are any."""
    addresses = [
        (segment.store or segment.execute)["base"] + 4 * np.flatnonzero(output != UNTOUCHED)
        for segment, output in zip(subject.program.segments, written, strict=True)
    ]
    few = rng.permutation(np.concatenate(addresses))[: int(rng.integers(1, 3))]
    return frozenset(int(address) for address in few)
