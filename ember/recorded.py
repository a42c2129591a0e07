"""What was recorded of a run, and the names of what is in it."""

from dataclasses import dataclass
from typing import Any

from .parts import Config

#: Names of units and queues; a layer is ``layer<n>``.
_NAMES = {
    "row": "row layer", "loads": "load unit", "dataq": "DataQ", "ctrlq": "CtrlQ",
    "execute": "execute", "store": "store",
}  # fmt: skip

_EVENTS = {"row_beg": "row", "row_ite": "row vector", "row_end": "end of row"}


@dataclass(frozen=True)
class Launch:
    """One recorded launch.

    Attributes
    ----------
    program : :class:`ember.hw.program.Program` that ran
    tables : name of the table of each of its segments
    recording : :class:`ember.sim.recording.Recording`
    """

    program: Any
    tables: tuple[str, ...]
    recording: Any

    def token_name(self, token: Any) -> str:
        """What a token is: its table, and the event of the loop nest that starts its callback.

        ``token`` has the fields of :func:`ember.hw.layouts.token`. Callbacks that are equal share
        their code, so a token may stand for one of several events; then all are named.
        """
        if token["halt"]:
            return "halt"
        segment, pc = int(token["segment"]), int(token["pc"])
        fields = self.program.segments[segment].marshal
        events = [
            event_name(name.removesuffix("_token"))
            for name, value in fields.items()
            if name.endswith("_token") and value
            and fields.get(name.replace("_token", "_pc"), 0) == pc
        ]  # fmt: skip
        empty = " (empty)" if token["skip"] else ""
        return f"{self.tables[segment]}: {' or '.join(events) or f'pc {pc}'}{empty}"


def event_name(event: str) -> str:
    """A marshaling event, ``row_beg`` or ``l1_end``, in words."""
    if event in _EVENTS:
        return _EVENTS[event]
    layer, _, kind = event.partition("_")
    kind = {"beg": "begin", "end": "end"}[kind]
    return f"{kind} of loop {layer.removeprefix('l')}"


def unit_name(unit: str) -> str:
    """A unit in words."""
    return _NAMES.get(unit) or f"layer {unit.removeprefix('layer')}"


def capacities(config: Config) -> dict[str, int]:
    """The most that each recorded level can be."""
    return {
        "dataq_level": config.dataq_depth, "ctrlq_level": config.ctrlq_depth,
        "outstanding": config.mshrs,
    }  # fmt: skip
