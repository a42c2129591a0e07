"""Figures of a board's build, as text and as JSON."""

from .synth_report import heading, row


def table(preset: str, design, seed: int, versions: dict[str, str], built) -> str:
    """What was built, and what it takes of the chip."""
    board = design.board
    tools = ", ".join(f"{tool} {version}" for tool, version in versions.items())
    clock = "by Vivado" if board.makes == "project" else None
    return (
        f"ember build: board {board.name}, preset {preset}, configuration {design.config.hash}, "
        f"{board.target.part}, seed {seed}, {tools}\n"
        f"{design.clock_hz / 1e6:g} MHz, {design.baud:,} baud, memory {design.memory} "
        f"({built.memory_bytes:,} bytes)\n\n{heading()}\n{row(built.figures, board.target, clock)}"
    )


def clock_text(design, built, margin: float) -> str:
    """That the clock is missed."""
    clock = design.clock_hz / 1e6
    return (
        f"{design.board.name} reaches {built.figures.fmax_mhz:.1f} MHz, but a clock of "
        f"{clock:g} MHz needs {clock * (1 + margin):.1f} MHz, {100 * margin:g} % more: no "
        f"bitstream is written; try a lower --clock-mhz or another --seed"
    )


def slowest(built) -> str:
    """The slowest path, net by net."""
    lines = ["slowest path, in ns after the clock's edge:"]
    return "\n".join([*lines, *(f"{time:8.2f}  {net}" for time, net in built.path)])


def as_json(preset: str, design, seed: int, versions, built) -> dict:
    """The same as a dictionary of plain values."""
    figures, board = built.figures, design.board
    is_project = board.makes == "project"
    return {
        "board": board.name,
        "preset": preset,
        "config": design.config.to_dict(),
        "config_hash": design.config.hash,
        "part": board.target.part,
        "capacity": board.target.capacity,
        **figures.used(),
        "fmax_mhz": figures.fmax_mhz,
        "target_mhz": design.clock_hz / 1e6,
        # Nobody has looked: no tool of the vendor was run.
        "met": None if is_project else built.bitstream is not None,
        "misfit": figures.misfit(board.target),
        "makes": board.makes,
        "baud": design.baud,
        "memory": design.memory,
        "memory_bytes": built.memory_bytes,
        "seed": None if is_project else seed,
        "tools": versions,
        "path": [{"ns": time, "net": net} for time, net in built.path],
    }
