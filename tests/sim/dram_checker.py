"""Checks the commands of a DRAM against its timing, knowing nothing of the scheduler."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ember.sim.dram import Dram
from ember.sim.dram_model import DramCommand


def violations(
    dram: Dram, commands: Sequence[DramCommand], clocks: int
) -> Iterator[tuple[str, DramCommand]]:
    """(name of the rule, command that breaks it), for ``clocks`` of the memory."""
    for channel in range(dram.channels):
        own = [command for command in commands if command.channel == channel]
        yield from _distances(dram, own)
        yield from _states(dram, own)
        yield from _windows(dram, own)
        yield from _buses(dram, own)
        yield from _refreshes(dram, own, clocks, channel)


def _distances(dram: Dram, commands: Sequence[DramCommand]) -> Iterator[tuple[str, DramCommand]]:
    t = dram.timing
    written = t.cwl + t.burst
    rules = (
        ("rcd", "activate", "read", "bank", t.rcd),
        ("rcd", "activate", "write", "bank", t.rcd),
        ("ras", "activate", "precharge", "bank", t.ras),
        ("rc", "activate", "activate", "bank", t.rc),
        ("rp", "precharge", "activate", "bank", t.rp),
        ("rp", "precharge", "refresh", "channel", t.rp),
        ("rc", "activate", "refresh", "channel", t.rc),
        ("rtp", "read", "precharge", "bank", t.rtp),
        ("wr", "write", "precharge", "bank", written + t.wr),
        ("rrd_s", "activate", "activate", "channel", t.rrd_s),
        ("rrd_l", "activate", "activate", "group", t.rrd_l),
        ("ccd_s", "read", "read", "channel", t.ccd_s),
        ("ccd_l", "read", "read", "group", t.ccd_l),
        ("ccd_s", "write", "write", "channel", t.ccd_s),
        ("ccd_l", "write", "write", "group", t.ccd_l),
        ("rtw", "read", "write", "channel", t.rtw),
        ("wtr_s", "write", "read", "channel", written + t.wtr_s),
        ("wtr_l", "write", "read", "group", written + t.wtr_l),
        ("rfc", "refresh", "activate", "channel", t.rfc),
        ("rfc", "refresh", "refresh", "channel", t.rfc),
    )
    last: dict[tuple, int] = {}
    for command, kind, bank in _parts(dram, commands):
        places = {"bank": bank, "group": bank // dram.banks, "channel": 0}
        for name, before, after, scope, distance in rules:
            if kind != after:
                continue
            # A refresh is of every place.
            place = places[scope]
            if command.clock - last.get((before, scope, place), -(1 << 40)) < distance:
                yield name, command
        for scope, place in places.items():
            last[kind, scope, place] = command.clock


def _parts(dram: Dram, commands: Sequence[DramCommand]) -> Iterator[tuple[DramCommand, str, int]]:
    """Commands with the precharge of all banks taken apart: those of open banks."""
    opened: set[int] = set()
    for command in commands:
        if command.kind == "precharge_all":
            for bank in sorted(opened):
                yield command, "precharge", bank
            opened.clear()
            continue
        if command.kind == "activate":
            opened.add(command.bank)
        elif command.kind == "precharge":
            opened.discard(command.bank)
        yield command, command.kind, command.bank


def _states(dram: Dram, commands: Sequence[DramCommand]) -> Iterator[tuple[str, DramCommand]]:
    rows: dict[int, int] = {}
    for command in commands:
        match command.kind:
            case "activate":
                if command.bank in rows or command.bank >= dram.groups * dram.banks:
                    yield "state", command
                rows[command.bank] = command.row
            case "precharge":
                if rows.pop(command.bank, None) is None:
                    yield "state", command
            case "precharge_all":
                rows.clear()
            case "refresh":
                if rows:
                    yield "state", command
            case _:
                if rows.get(command.bank) != command.row:
                    yield "state", command


def _windows(dram: Dram, commands: Sequence[DramCommand]) -> Iterator[tuple[str, DramCommand]]:
    acts = [command for command in commands if command.kind == "activate"]
    for first, fifth in zip(acts, acts[4:], strict=False):
        if fifth.clock - first.clock < dram.timing.faw:
            yield "faw", fifth


def _buses(dram: Dram, commands: Sequence[DramCommand]) -> Iterator[tuple[str, DramCommand]]:
    t, free = dram.timing, -1
    taken: dict[tuple[int, bool], int] = defaultdict(int)
    for command in commands:
        column = command.kind in ("read", "write")
        bus = command.clock, column and dram.row_bus
        taken[bus] += 1
        if taken[bus] > 1:
            yield "command bus", command
        if column:
            begin = command.clock + (t.cl if command.kind == "read" else t.cwl)
            if begin < free:
                yield "data bus", command
            free = begin + t.burst


def _refreshes(
    dram: Dram, commands: Sequence[DramCommand], clocks: int, channel: int
) -> Iterator[tuple[str, DramCommand]]:
    t = dram.timing
    done = [command for command in commands if command.kind == "refresh"]
    for n, command in enumerate(done, 1):
        if not 0 <= command.clock - n * t.refi <= t.refresh_delay:
            yield "refi", command
    if (len(done) + 1) * t.refi + t.refresh_delay < clocks:
        yield "refi", DramCommand(clocks, channel, "refresh")
