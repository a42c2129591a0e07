"""The command ``ember``."""

import os
import sys
from collections.abc import Callable

from . import (
    __version__,
    cmd_bench,
    cmd_build,
    cmd_compile,
    cmd_doctor,
    cmd_export,
    cmd_report,
    cmd_run,
    cmd_synth,
    cmd_verify,
    cmd_verilog,
)
from .cli_arguments import Parser
from .cli_errors import BROKEN_PIPE, INTERRUPTED, WRONG, Stop

_COMMANDS = (
    cmd_run, cmd_compile, cmd_verilog, cmd_export, cmd_verify, cmd_synth, cmd_build, cmd_bench,
    cmd_report, cmd_doctor,
)  # fmt: skip

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
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us: nobody reads it
            setattr(sys, name, open(os.devnull, "w"))
    code = _guarded(lambda: _command(argv))
    # What is left in the buffer, also of a command that failed or printed its help.
    return _guarded(_flush) or code


def _command(argv: list[str] | None) -> int:
    options = parser().parse_args(argv)
    return options.command(options)


def _flush() -> int:
    sys.stdout.flush()
    return 0


def _guarded(work: Callable[[], int]) -> int:
    try:
        return work()
    except SystemExit as stop:  # argparse, which has printed its message
        return stop.code if isinstance(stop.code, int) else 0
    except Stop as stop:
        print(f"ember: {stop.message}", file=sys.stderr)
        return stop.code
    except KeyboardInterrupt:
        print("ember: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None:
            message = f"cannot use {error.filename}: {(error.strerror or str(error)).lower()}"
        elif error.strerror is None:
            message = str(error)
        else:  # files are opened by name: only a stream that we were given has none
            message = f"cannot write standard output: {error.strerror.lower()}"
            _drop_output()
        print(f"ember: {message}", file=sys.stderr)
        return WRONG


def _drop_output() -> None:
    """Whatever is still buffered goes nowhere: the interpreter flushes on its way out."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # a stream of a test, which has no file


if __name__ == "__main__":
    sys.exit(main())
