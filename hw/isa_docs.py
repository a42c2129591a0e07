"""The pages docs/isa.md and docs/csr.md, made from the tables in :mod:`ember.hw.isa`.

``python -m ember.hw.isa_docs DIRECTORY`` writes them; a test holds that they are up to date.
"""

import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from . import isa
from .activity import STATES
from .config import ISA_VERSION, PRESETS, Config
from .counters import COUNTER_WIDTH, NUMBER_WIDTH
from .occupancy import BINS

_NOTE = "<!-- Made by `python -m ember.hw.isa_docs docs` from hw/isa.py: change it there. -->\n\n"

_FORMATS: tuple[tuple[Callable[[Config], isa.Format], str], ...] = (
    (isa.scalar_layer, "windows 1, 2, 3: layers 0, 1, 2; one entry per segment"),
    (isa.row_layer, "window 4; one entry per segment"),
    (isa.marshal, "window 5; one entry per segment"),
    (isa.execute_segment, "window 6; one entry per segment"),
    (isa.execute, "window 7; one entry per instruction"),
    (isa.store_segment, "window 8; one entry per segment"),
)

_ENUMS = (
    isa.Kind, isa.Sel, isa.AluOp, isa.ArgSel, isa.Operand, isa.Op, isa.SrcA, isa.SrcB, isa.SrcC,
    isa.Count, isa.Span, isa.Emit,
)  # fmt: skip

#: What a width that is not the same for every configuration may be.
_WIDTHS: dict[str, Callable[[Config], int]] = {
    "addr_width": lambda c: c.addr_width,
    "log2(code_depth)": lambda c: c.code_depth.bit_length() - 1,
    "bits(row_chunks * lanes)": lambda c: c.max_dim.bit_length(),
    "bits(row_chunks)": lambda c: c.row_chunks.bit_length(),
    "bits(lanes)": lambda c: c.lanes.bit_length(),
}


def docs_isa() -> str:
    """Text of docs/isa.md: the program memories' formats and the enumerations."""
    out = [
        _NOTE,
        "# Microcode\n\n",
        f"Version {ISA_VERSION}. What the fields do, as equations, is in [machine.md](machine.md); "
        "how entries are written to the machine is in [csr.md](csr.md).\n\n",
        "A field's width may depend on the configuration: `bits(n)` is the bits that the number n "
        "takes. Bit ranges are given for the presets `default` and `paper`; a field without them "
        "is the last one of machines with store streams. Fields are packed from "
        "bit 0 upwards without gaps, and an entry is written in 32-bit words, the lowest first. "
        "Bits above an entry's last field are ignored.\n",
    ]
    for make, place in _FORMATS:
        out.append(_format(make, place))
    out.append("\n## Values\n")
    for kind in _ENUMS:
        doc = inspect.getdoc(kind) or ""
        out.append(f"\n### {kind.__name__}\n\n{doc}\n\n")
        out.append(_table(("value", "name", "meaning"), _members(kind)))
    return "".join(out)


def docs_csr() -> str:
    """Text of docs/csr.md: the register map."""
    access = {"r": "read", "w": "write", "rw": "read, write"}
    registers = (
        (f"0x{address:02X}", f"`{name}`", access[kind], meaning)
        for name, address, kind, meaning in isa.REGISTERS
    )
    counters = (
        (f"0x{isa.COUNTER_BASE + 2 * n:02X}", f"`{name}`", meaning)
        for n, (name, meaning) in enumerate(isa.COUNTERS)
    )
    default, paper = (Config.preset(name).replace(store_streams=1) for name in ("default", "paper"))
    memories = (
        (str(number), f"`{name}`", f"`{layout.name}`", str(entries))
        + tuple(str(isa.windows(c)[name][1].words) if name in isa.windows(c) else "-"
                for c in (default, paper))
        for name, (number, layout, entries) in isa.windows(paper).items()
    )  # fmt: skip
    return "".join(
        [
            _NOTE,
            "# Registers\n\n",
            f"Addresses count 32-bit words and have {isa.BUS_ADDR_WIDTH} bits. Whatever has no "
            "register reads as 0 and ignores writes. Read data follows the address by one "
            "cycle.\n\n",
            _table(("address", "name", "access", "meaning"), registers),
            "\nThe registers after reset: SEGMENTS 1, all others 0 (but ID, VERSION and "
            "CONFIG_HASH).\n\n"
            "* A start sets busy and clears done, the first error and the counters. At the end "
            "the counters stand still and a snapshot of them is taken; then busy falls and done "
            "rises. Both, and the counters, stay until the next start.\n"
            "* A start while busy is ignored; so are writes to SEGMENTS and to the program "
            "memories.\n"
            "* A write to SEGMENTS outside 1..segments is ignored: the register always holds a "
            "legal number, and a host that reads it back sees the refusal.\n"
            "* Of several errors in the same cycle the one with the lowest source number is kept: "
            "the access unit's streams, the row layer, then the execute pipeline.\n\n"
            "## Counters\n\n"
            "Two words each, the low one first. Counters of events and sums have "
            f"{COUNTER_WIDTH} bits, the rest reads as 0; they wrap. Peaks are levels. They count "
            "from start to done. Counters of layers that a machine does not have are 0.\n\n"
            "What is read is the last *snapshot*, in which all counters are of one and the same "
            "cycle. The end of a run takes one, so that a host that waits for done reads final "
            "values and need not know of it. While the machine runs:\n\n"
            "1. Write SNAPSHOT, whatever value.\n"
            "2. Read SNAPSHOT until it is even: the snapshot is complete. It has everything up to "
            f"the write and at most {len(isa.COUNTERS)} cycles more, and takes at most "
            f"{2 * len(isa.COUNTERS) + 4} cycles.\n"
            "3. Read counters.\n"
            "4. Read SNAPSHOT again. Another value says that the run has ended meanwhile, with "
            "a snapshot of its own: read the counters once more.\n\n"
            f"SNAPSHOT has {NUMBER_WIDTH} bits and wraps. A start makes a snapshot of zeros, and "
            "so does a reset. A write to SNAPSHOT while the end's own snapshot is due is answered "
            "by that one. Snapshots cost the running machine nothing.\n\n",
            _table(("address", "name", "meaning"), counters),
            "\nParts of a queue's level: between empty and full, level l of a queue of depth d is "
            f"in part 1 + (l - 1) {BINS - 2} / (d - 1), rounded down.\n"
            "\n### What a unit does\n\n"
            "In each cycle a unit is either busy, or blocked, or starved, so the three add up to "
            "`cycles`: blocked when it is not "
            "busy and has something that is not taken, starved when it has nothing to hand on. A "
            "layer whose own loads are on their way is starved: it waits for the memory. Before "
            "start and after the end all units are starved.\n\n",
            _table(("unit", "busy", "blocked"), ((f"`{u}`", *s) for u, s in STATES.items())),
            "\n## Error kinds\n\n",
            _table(("value", "name", "meaning"), _members(isa.Error)),
            "\n## Program memories\n\n"
            f"Word address = window << {isa.WINDOW_SHIFT} | entry << {isa.ENTRY_SHIFT} | word. "
            "Write-only. Entries that a memory does not have are ignored. Windows, and entries of "
            "the `paper` preset, with words per entry in `default` and `paper`. Windows 5, 6 and 7 "
            "are there with an execute unit, window 8 with store streams:\n\n",
            _table(
                ("window", "memory", "format", "entries", "words, default", "words, paper"),
                memories,
            ),
            "\nFormats: [isa.md](isa.md).\n\n"
            "## Running a program\n\n"
            "1. Read ID, VERSION and CONFIG_HASH, and refuse a program that was made for "
            "another configuration.\n"
            "2. Write every word of every entry of the program (`Program.image` gives the list).\n"
            "3. Write SEGMENTS; write 1 to IRQ_ENABLE, or plan to poll STATUS.\n"
            "4. Write 1 to CONTROL.\n"
            "5. Wait for the interrupt, or for bit 1 of STATUS. Bit 2 says that ERROR_* hold the "
            "first error.\n"
            "6. Write 2 to CONTROL to take back the interrupt, or simply start again.\n",
        ]
    )


def _format(make: Callable[[Config], isa.Format], place: str) -> str:
    default, paper = make(Config.preset("default")), make(Config.preset("paper"))
    ranges = {}
    for layout in (default, paper):
        offset, table = 0, {}
        for f in layout.fields:
            last = offset + f.width - 1
            table[f.name] = str(offset) if f.width == 1 else f"{last}:{offset}"
            offset += f.width
        ranges[id(layout)] = table
    rows = []
    for f in make(Config.preset("paper").replace(store_streams=1)).fields:
        meaning = f.doc[0].upper() + f.doc[1:]
        if f.values is not None:
            meaning += f": [{f.values.__name__}](#{f.values.__name__.lower()})"
        rows.append(
            (
                f"`{f.name}`",
                _width(make, f.name),
                ranges[id(default)].get(f.name, "-"),
                ranges[id(paper)].get(f.name, "-"),
                meaning,
            )
        )
    head = ("field", "width", "default", "paper", "meaning")
    return (
        f"\n## {paper.name}\n\n{paper.doc} In {place}. {default.width} bits in {default.words} "
        f"words in `default`, {paper.width} bits in {paper.words} words in `paper`.\n\n"
        + _table(head, rows)
    )


def _width(make: Callable[[Config], isa.Format], name: str) -> str:
    seen: list[tuple[Config, int]] = []
    changes = [{}, {"addr_width": 33}, {"lanes": 2}, {"row_chunks": 128}, {"code_depth": 128}]
    changes.append({"store_streams": 1})
    for config in [Config(**p) for p in PRESETS.values()] + [Config(**c) for c in changes]:
        widths = {f.name: f.width for f in make(config).fields}
        if name in widths:
            seen.append((config, widths[name]))
    if len({width for _, width in seen}) == 1:
        return str(seen[0][1])
    for formula, value in _WIDTHS.items():
        if all(value(config) == width for config, width in seen):
            return f"`{formula}`"
    raise ValueError(f"width of {name} must be one of {', '.join(_WIDTHS)}, not {seen}")


def _members(kind: type[enum.IntEnum]) -> Iterable[tuple[str, str, str]]:
    # The comment beside a member is its meaning; it is not there at run time.
    comments = dict(re.findall(r"^    (\w+) = \d+\s*#\s*(.*)$", inspect.getsource(kind), re.M))
    return [(str(m.value), f"`{m.name}`", comments.get(m.name, "")) for m in kind]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


def main(arguments: list[str]) -> None:
    """Write both pages into the given directory."""
    directory = Path(arguments[0])
    (directory / "isa.md").write_text(docs_isa())
    (directory / "csr.md").write_text(docs_csr())


if __name__ == "__main__":
    main(sys.argv[1:])
