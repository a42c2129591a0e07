"""The command ``ember``."""

import os
import sys

from . import __version__, cmd_bench, cmd_compile, cmd_doctor, cmd_run, cmd_verilog
from .cli_arguments import Parser
from .cli_errors import BROKEN_PIPE, INTERRUPTED, Stop

_COMMANDS = (cmd_run, cmd_compile, cmd_verilog, cmd_bench, cmd_doctor)

_EXIT_CODES = (
    "exit code: 0 the result is right; 1 it is wrong, or the run failed; 2 bad input; "
    "130 interrupted"
)


def parser() -> Parser:
    """The parser of the whole command line; ``options.command`` is what to call."""
    top = Parser(
        prog="ember",
        description="Embedding operations, compiled for a decoupled access-execute machine and "
        "run on its RTL.",
        epilog=_EXIT_CODES,
    )
    top.add_argument("--version", action="version", version=f"ember {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        module.add_parser(commands)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run the command line ``argv`` (default: of this process); returns the exit code."""
    try:
        options = parser().parse_args(argv)
        code = options.command(options)
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # argparse, which has printed its message
        return stop.code if isinstance(stop.code, int) else 0
    except Stop as stop:
        print(f"ember: {stop.message}", file=sys.stderr)
        return stop.code
    except KeyboardInterrupt:
        print("ember: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes standard output once more on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


if __name__ == "__main__":
    sys.exit(main())
