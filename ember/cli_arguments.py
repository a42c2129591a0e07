"""Options that several commands share, and the values that they take."""

import argparse
import math
from collections.abc import Callable

from .bag import MODES, NAN_MODES
from .errors import InputError
from .options import BAUD, ENGINES, LEVELS, MAX_CYCLE, MAX_SEED
from .parts import PRESETS, Config
from .trace import CYCLES as TRACE_CYCLES


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line."""

    def __init__(self, *args, **kwargs) -> None:
        kwargs.setdefault("formatter_class", argparse.ArgumentDefaultsHelpFormatter)
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def error(self, message: str):
        one_line = " ".join(message.split())
        self.exit(2, f"{self.prog}: {one_line} (see {self.prog} --help)\n")


def number(low: int, high: int | None = None) -> Callable[[str], int]:
    """Argument type: an integer of ``low`` .. ``high``."""

    def parse(text: str) -> int:
        try:
            value = int(text, 0)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be an integer, not {text!r}") from None
        if value < low or (high is not None and value > high):
            allowed = f"at least {low}" if high is None else f"{low}..{high}"
            raise argparse.ArgumentTypeError(f"must be {allowed}, not {value}")
        return value

    return parse


def numbers(low: int, high: int | None = None) -> Callable[[str], list[int]]:
    """Argument type: integers, separated by commas."""
    one = number(low, high)
    return lambda text: [one(part.strip()) for part in text.split(",")]


def seconds(text: str) -> float:
    """Argument type: a positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number of seconds, not {text!r}") from None
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be above 0 seconds, not {text}")
    return value


def megahertz(text: str) -> float:
    """Argument type: a clock in MHz."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number of MHz, not {text!r}") from None
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be above 0 and finite, not {text}")
    return value


def modes(text: str) -> list[str]:
    """Argument type: pooling modes, separated by commas."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in MODES:
            raise argparse.ArgumentTypeError(f"must be of {', '.join(MODES)}, not {name!r}")
    return names


def add_machine(parser: argparse.ArgumentParser, preset: str = "default") -> None:
    """Options that make a configuration; read them with :func:`configuration`."""
    group = parser.add_argument_group("machine")
    group.add_argument("--preset", choices=list(PRESETS), default=preset, help="configuration")
    group.add_argument(
        "--config", metavar="FILE.toml", default=argparse.SUPPRESS, help="changes to the preset"
    )
    group.add_argument(
        "--set", metavar="KEY=VALUE", action="append", dest="settings", default=argparse.SUPPRESS,
        help="one more change; may be repeated",
    )  # fmt: skip


def configuration(options: argparse.Namespace) -> Config:
    """The configuration of the options: preset, then file, then single settings."""
    config = Config.preset(options.preset)
    if "config" in options:
        try:
            config = Config.load(options.config, config)
        except (TypeError, ValueError) as error:
            if str(error).startswith(options.config):
                raise
            raise InputError(f"{options.config}: {error}") from None
    for setting in getattr(options, "settings", ()):
        config = config.override(setting)
    return config


def add_level(parser: argparse.ArgumentParser) -> None:
    """Option ``-O``."""
    parser.add_argument(
        "-O", dest="level", choices=[level[1:] for level in LEVELS], default="3",
        help="optimization level",
    )  # fmt: skip


def level(options: argparse.Namespace) -> str:
    """``"O0"`` .. ``"O3"``."""
    return f"O{options.level}"


def add_run(parser: argparse.ArgumentParser) -> None:
    """Options of a run."""
    group = parser.add_argument_group("run")
    group.add_argument(
        "--engine", choices=ENGINES, default="rtl",
        help="rtl measures cycles; functional needs no C++ compiler; cpu is this processor; "
        "board is an FPGA at --port; board-sim is the same board, simulated",
    )  # fmt: skip
    group.add_argument(
        "--port", metavar="PORT", default=argparse.SUPPRESS,
        help="serial port of the board, /dev/ttyUSB0 for example",
    )  # fmt: skip
    group.add_argument(
        "--baud", type=number(1), default=argparse.SUPPRESS,
        help=f"bits per second that the board was built for (default: {BAUD})",
    )  # fmt: skip
    add_limits(group)
    group.add_argument(
        "--wave", metavar="FILE", default=argparse.SUPPRESS,
        help="waveforms of the run, .vcd or .fst",
    )  # fmt: skip
    _window(group, "wave", "waveforms", "the run's")
    group.add_argument(
        "--trace", metavar="FILE.json", default=argparse.SUPPRESS,
        help="what every unit does, for ui.perfetto.dev",
    )  # fmt: skip
    _window(group, "trace", "trace", f"--trace-from + {TRACE_CYCLES - 1}")
    group.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the report as JSON; - prints it instead of the text",
    )  # fmt: skip


def _window(group, name: str, what: str, last: str) -> None:
    cycle = number(0, MAX_CYCLE)
    group.add_argument(
        f"--{name}-from", type=cycle, metavar="CYCLE", default=argparse.SUPPRESS,
        help=f"first cycle of the {what} (default: 0)",
    )  # fmt: skip
    group.add_argument(
        f"--{name}-to", type=cycle, metavar="CYCLE", default=argparse.SUPPRESS,
        help=f"last cycle of the {what} (default: {last})",
    )  # fmt: skip


def add_limits(group) -> None:
    """Seed and limits."""
    group.add_argument(
        "--seed", type=number(0, MAX_SEED), default=0, help="of made-up tables and random latency"
    )
    group.add_argument(
        "--max-cycles", type=number(1), default=1_000_000_000, help="limit of each launch (rtl)"
    )
    group.add_argument(
        "--max-seconds", type=seconds, default=3600.0, help="limit of each launch, wall-clock"
    )


def add_operation(parser, mode: str = "mean") -> None:
    """Options of the operation itself, but for its sizes."""
    group = parser.add_argument_group("operation")
    group.add_argument("--mode", choices=MODES, default=mode, help="pooling")
    group.add_argument(
        "--padding-idx", type=int, default=argparse.SUPPRESS, help="index of entries to skip"
    )
    group.add_argument("--nan", choices=NAN_MODES, default="torch", help="what max does with NaN")
    group.add_argument(
        "--fma", choices=("yes", "no"), default=argparse.SUPPRESS,
        help="whether weighted sums round once (yes) or twice (no); as torch does if not given",
    )  # fmt: skip


def operation(options: argparse.Namespace) -> dict:
    """Keyword arguments of a Lookup or Bag."""
    fma = getattr(options, "fma", None)
    return {
        "mode": options.mode,
        "padding_idx": getattr(options, "padding_idx", None),
        "nan": options.nan,
        "fma": None if fma is None else fma == "yes",
    }
