"""Between whom a stream of the probed state is, so that a dump can name who waits for whom."""

import re
from collections.abc import Container

#: Offered by, taken by. The queues are seen at their input, the memory behind the read cache.
_ENDS = {
    "tmu.segments": ("sequencer", "layer 0"),
    "tmu.rows": ("row layer", "align"),
    "tmu.spans": ("row layer", "line ring"),
    "tmu.lines": ("line ring", "align"),
    "tmu.chunks": ("store stream", "store unit"),
    "dataq": ("marshaling stage", "DataQ"),
    "ctrlq": ("marshaling stage", "CtrlQ"),
    "read": ("load unit", "read port"),
    "memory": ("read port", "memory"),
    "write": ("store unit", "memory"),
}


def ends(stream: str, state: Container[str]) -> tuple[str, str] | None:
    """Who offers on ``stream`` and who takes from it; None if it is no stream of a machine.

    ``state`` has the names of all levels, from which follows what the machine has.
    """
    if stream == "tmu.beats":
        takers = {"dataq.valid": "marshaling stage", "tmu.chunks.valid": "store stream"}
        return "align", " or ".join(name for level, name in takers.items() if level in state)
    if layer := re.fullmatch(r"tmu\.layer(\d)", stream):
        number = int(layer[1])
        below = f"layer {number + 1}" if f"tmu.layer{number + 1}.valid" in state else "row layer"
        return f"layer {number}", below
    return _ENDS.get(stream)
