"""Which memory a run has: ``--memory``, ``--clock-mhz`` and ``--latency`` together."""

import argparse
from dataclasses import replace

from .cli_arguments import number
from .options import MAX_LATENCY, Latency
from .parts import DRAM_PRESETS, MAX_MHZ, Dram, dram_preset

FIXED, RANDOM = "fixed", "random"

#: Cycles of a fixed latency, where nothing is said.
DEFAULT = 200

_LATENCY = "memory latency in cycles; a range is random, with reordering"


def latency(text: str) -> int | tuple[int, int]:
    """Argument type: cycles, or a range of cycles ``LOW..HIGH``."""
    low, dots, high = text.partition("..")
    one = number(1, MAX_LATENCY)
    if not dots:
        return one(low)
    bounds = one(low), one(high)
    if bounds[0] > bounds[1]:
        raise argparse.ArgumentTypeError(f"must be a range LOW..HIGH, not {text!r}")
    return bounds


def latencies(text: str) -> list[int | tuple[int, int]]:
    """Argument type: latencies, separated by commas."""
    return [latency(part.strip()) for part in text.split(",")]


def dram(text: str) -> Dram:
    """Argument type: a DRAM with the machine at its default clock, ``NAME`` or ``NAME:CHANNELS``.

    Raises
    ------
    argparse.ArgumentTypeError
        There is no such memory, or it cannot have so many channels.
    """
    name, colon, channels = text.partition(":")
    try:
        changes = {"channels": int(channels, 0)} if colon else {}
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be NAME or NAME:CHANNELS, not {text!r}") from None
    try:
        return dram_preset(name, **changes)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def memory(text: str) -> str | Dram:
    """Argument type: ``fixed``, ``random``, or a DRAM."""
    if text in (FIXED, RANDOM):
        return text
    if text.partition(":")[0] not in DRAM_PRESETS:
        known = ", ".join((FIXED, RANDOM, *DRAM_PRESETS))
        raise argparse.ArgumentTypeError(f"must be one of {known}, not {text!r}")
    return dram(text)


def memories(text: str) -> list[Latency]:
    """Argument type: latencies and DRAMs, separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    return [
        dram(part) if part.partition(":")[0] in DRAM_PRESETS else latency(part) for part in parts
    ]


def add_latency(parser, default: int = 200) -> None:
    """Option ``--latency`` alone."""
    parser.add_argument(
        "--latency", type=latency, default=default, metavar="N | LOW..HIGH", help=_LATENCY
    )


def add_latencies(parser, default: str) -> None:
    """Option ``--latency`` alone, a list."""
    parser.add_argument(
        "--latency", type=latencies, default=default, metavar="N | LOW..HIGH, ..", help=_LATENCY
    )


def add_memory(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Options that choose a memory, or several latencies; read them with
    :func:`chosen_memories`."""
    group = parser.add_argument_group("memory")
    group.add_argument(
        "--latency", type=latencies if several else lambda text: [latency(text)],
        default=argparse.SUPPRESS, metavar="N | LOW..HIGH" + (", .." if several else ""),
        help=f"{_LATENCY} (default: {DEFAULT})",
    )  # fmt: skip
    group.add_argument(
        "--memory", type=memory, default=argparse.SUPPRESS,
        metavar="fixed | random | " + " | ".join(f"{name}[:CHANNELS]" for name in DRAM_PRESETS),
        help="a latency, which --latency gives, or a DRAM (default: what --latency says)",
    )  # fmt: skip
    add_clock(group)


def add_clock(group) -> None:
    """Option ``--clock-mhz``."""
    group.add_argument(
        "--clock-mhz", type=number(1, MAX_MHZ), default=argparse.SUPPRESS,
        help="the machine's clock, against that of a DRAM (default: 1000)",
    )  # fmt: skip


def chosen_memories(options: argparse.Namespace) -> list[Latency]:
    """The memories that the options of :func:`add_memory` name.

    Raises
    ------
    ValueError
        Two options contradict each other.
    """
    kind = getattr(options, "memory", None)
    given = getattr(options, "latency", None)
    if isinstance(kind, Dram):
        if given is not None:
            raise ValueError(
                f"--latency must not come with --memory {kind.name}, whose timing decides"
            )
        return at_clock(options, [kind])
    if "clock_mhz" in options:
        raise ValueError(
            f"--clock-mhz must come with a DRAM as --memory ({', '.join(DRAM_PRESETS)}), "
            f"not {kind or 'a latency'}"
        )
    chosen: list[Latency] = [DEFAULT] if given is None else given
    if kind is not None:
        wanted, form = {FIXED: (int, "N"), RANDOM: (tuple, "LOW..HIGH")}[kind]
        if not all(isinstance(latency, wanted) for latency in chosen):
            raise ValueError(f"--memory {kind} must come with --latency {form}")
    return chosen


def at_clock(options: argparse.Namespace, latencies: list[Latency]) -> list[Latency]:
    """The same with all DRAMs at the machine's clock."""
    if "clock_mhz" not in options:
        return latencies
    return [
        replace(latency, clock_mhz=options.clock_mhz) if isinstance(latency, Dram) else latency
        for latency in latencies
    ]
