"""The message about a machine that does not finish: who waits for whom."""

from ..hw import isa
from ..hw.activity import Activity
from .hang_streams import ends
from .result import Hang, Traffic

#: Names of counters that say why something waits; a level of that name says that it does now.
_REASONS = {
    name: meaning.removeprefix("cycles in which ")
    .replace("it waited", "the execute unit waited")
    .replace("waited", "waits")
    for name, meaning in isa.COUNTERS
    if meaning.startswith("cycles in which ") and "wait" in meaning
}

_STATES = ("busy", "blocked", "starved")


def describe(
    limit: str, status: int, state: dict[str, int], counters: dict[str, int], traffic: Traffic
) -> Hang:
    """A :class:`Hang` from the probed levels, the registers and the memory's view.

    ``state`` maps names to levels. A pair ``x.valid``, ``x.ready`` is read as a stream: valid
    without ready waits for its consumer, ready without valid for its producer, and the machine's
    own streams say who they are. A level with the name of a counter of waits (``exec_token``) is
    what that counter counts. ``activity.x`` is what the unit x does.
    """
    unread = traffic.reads - traffic.read_answers
    unwritten = traffic.writes - traffic.write_answers
    waits = _waits(state)
    if unread:
        waits.append(f"memory owes {unread} of {traffic.reads} reads")
    if unwritten:
        waits.append(f"memory owes {unwritten} of {traffic.writes} write acknowledgements")
    lines = [
        f"status: busy={status & 1} done={status >> 1 & 1} error={status >> 2 & 1}",
        f"memory: {traffic.reads} reads, {traffic.read_answers} answered; "
        f"{traffic.writes} writes, {traffic.write_answers} acknowledged",
        "counters: " + (", ".join(_counted(state, counters)) or "all 0"),
    ]
    lines += [_level(name, value, counters) for name, value in state.items()]
    lines += [f"waiting: {wait}" for wait in waits]
    why = f": {waits[-1]}" if waits else ""
    return Hang(f"machine did not finish {limit}{why}", state, "\n".join(lines))


def _counted(state: dict[str, int], counters: dict[str, int]) -> list[str]:
    """Counters that are not 0, without those that stand beside the units."""
    units = tuple(name.removeprefix("activity.") for name in state if name.startswith("activity."))
    beside = {f"{unit}_{what}" for unit in units for what in _STATES}
    return [f"{k}={v}" for k, v in counters.items() if v and k not in beside]


def _level(name: str, value: int, counters: dict[str, int]) -> str:
    unit = name.removeprefix("activity.")
    if unit == name:
        return f"{name} = {value}"
    times = ", ".join(f"{counters[f'{unit}_{what}']} {what}" for what in _STATES)
    return f"{unit} is {Activity(value).name.lower()} (cycles: {times})"


def _waits(state: dict[str, int]) -> list[str]:
    out = []
    for name, valid in state.items():
        if name in _REASONS and valid:
            out.append(_REASONS[name])
        if name != "valid" and not name.endswith(".valid"):
            continue
        ready = state.get(name.removesuffix("valid") + "ready")
        stream = name.removesuffix("valid").rstrip(".") or "stream"
        if ready is None or valid == ready:
            continue
        if found := ends(stream, state):
            waiting, awaited = found if valid else reversed(found)
            out.append(f"{stream}: {waiting} waits for {awaited}")
        else:
            out.append(f"{stream} waits for its {'consumer' if valid else 'producer'}")
    return out
