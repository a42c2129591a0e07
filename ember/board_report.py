"""Figures of a board's build, as text and as JSON."""

from .synth_report import heading, row


def table(board, preset: str, design, target, seed: int, versions: dict[str, str], built) -> str:
    """What was built, and what it takes of the chip."""
    tools = ", ".join(f"{tool} {version}" for tool, version in versions.items())
    return (
        f"ember build: board {board.name}, preset {preset}, configuration {design.config.hash}, "
        f"{target.part}, seed {seed}, {tools}\n"
        f"{design.clock_hz / 1e6:g} MHz, {design.baud:,} baud, memory {design.memory} "
        f"({built.memory_bytes:,} bytes)\n\n{heading()}\n{row(built.figures, target)}"
    )


def clock_text(board, design, built) -> str:
    """That the clock is missed."""
    return (
        f"{board.name} reaches {built.figures.fmax_mhz:.1f} MHz, but the clock is "
        f"{design.clock_hz / 1e6:g} MHz: no bitstream is written; try a lower --clock-mhz or "
        f"another --seed"
    )


def slowest(built) -> str:
    """The slowest path, net by net."""
    lines = ["slowest path, in ns after the clock's edge:"]
    return "\n".join([*lines, *(f"{time:8.2f}  {net}" for time, net in built.path)])


def as_json(board, preset: str, design, target, seed: int, versions, built) -> dict:
    """The same as a dictionary of plain values."""
    figures = built.figures
    return {
        "board": board.name,
        "preset": preset,
        "config": design.config.to_dict(),
        "config_hash": design.config.hash,
        "part": target.part,
        "capacity": target.capacity,
        **figures.used(),
        "fmax_mhz": figures.fmax_mhz,
        "target_mhz": design.clock_hz / 1e6,
        "met": built.bitstream is not None,
        "misfit": figures.misfit(target),
        "baud": design.baud,
        "memory": design.memory,
        "memory_bytes": built.memory_bytes,
        "seed": seed,
        "tools": versions,
        "path": [{"ns": time, "net": net} for time, net in built.path],
    }
