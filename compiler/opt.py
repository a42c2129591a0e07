"""``ember-opt``: MLIR text through any passes, Ember's and xDSL's.

As ``xdsl-opt``, with the option names of MLIR's tools beside its own, and errors in one line.
"""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    VerifyException,
)
from xdsl.utils.lexer import Span
from xdsl.xdsl_opt_main import xDSLOptMain

from .errors import DECISIONS
from .source import LocatedFrontend
from .universe import UNIVERSE

BAD_INPUT, BROKEN_PIPE = 2, 141


class OptMain(xDSLOptMain):
    """xDSL's driver with Ember's dialects and passes, whatever entry points are installed."""

    version_format: ClassVar[str] = f"ember-opt {version('ember-dae')}, xdsl {{xdsl_version}}"

    def register_all_dialects(self) -> None:
        super().register_all_dialects()
        for name, factory in UNIVERSE.all_dialects.items():
            if name not in self.ctx.registered_dialect_names:
                self.ctx.register_dialect(name, factory)

    def register_all_passes(self) -> None:
        super().register_all_passes()
        for name, factory in UNIVERSE.all_passes.items():
            self.register_pass(name, factory)

    def register_all_frontends(self) -> None:
        super().register_all_frontends()
        # With the lines of operations, for messages.
        self.available_frontends["mlir"] = lambda: LocatedFrontend

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.prog = "ember-opt"
        arg_parser.add_argument(
            "--pass-pipeline", dest="passes", metavar="PASSES",
            help="the same as --passes; builtin.module(..) around them is allowed",
        )  # fmt: skip
        arg_parser.add_argument(
            "--print-ir-after-all", action="store_true",
            help="print the module after each pass, to standard error",
        )  # fmt: skip
        arg_parser.add_argument(
            "--explain", action="store_true",
            help="say what passes decide of each operation, to standard error",
        )  # fmt: skip
        arg_parser.add_argument(
            "--verify-each", action=argparse.BooleanOptionalAction, default=True,
            help="verify the module after each pass, not only after the last",
        )  # fmt: skip

    def setup_pipeline(self) -> None:
        if self.args.explain:
            DECISIONS.setLevel(logging.INFO)
            DECISIONS.addHandler(logging.StreamHandler(sys.stderr))
        passes = self.args.passes.strip()
        if passes.startswith("builtin.module(") and passes.endswith(")"):
            passes = passes.removeprefix("builtin.module(").removesuffix(")")
        self.args.passes = passes
        super().setup_pipeline()
        self._verifies, self.args.disable_verify = not self.args.disable_verify, True
        self._inherited = self.pipeline.callback
        self.pipeline = PassPipeline(self.pipeline.passes, self._between)

    def _between(
        self, before: ModulePass | None, module: ModuleOp, after: ModulePass | None
    ) -> None:
        if self._verifies and (self.args.verify_each or after is None):
            try:
                module.verify()
            except VerifyException as error:
                where = "the input" if before is None else f"the result of {before.name}"
                raise VerifyException(f"{where} is not valid: {_line(error)}") from None
        if before is not None and self.args.print_ir_after_all:
            print(f"// ----- after {before.name}\n{module!s}", file=sys.stderr)
        if self._inherited is not None:
            self._inherited(before, module, after)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0, 2 for bad input, 141 if nobody reads."""
    try:
        OptMain("Ember's optimizer: MLIR text through passes", arguments).run()
        sys.stdout.flush()
    except SystemExit as stop:  # argparse, which has printed its message
        return stop.code if isinstance(stop.code, int) else 0
    except BrokenPipeError:
        # Whatever is still buffered goes nowhere: the interpreter flushes on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _fail(f"cannot use {error.filename or 'standard output'}: {reason}")
    except ParseError as error:
        return _fail(f"{_place(error.span)}: {' '.join(error.msg.split())}")
    except (DiagnosticException, ArgSpecParseError, ValueError) as error:
        return _fail(_line(error))
    return 0


def _fail(message: str) -> int:
    print(f"ember-opt: {message}", file=sys.stderr)
    return BAD_INPUT


def _place(span: Span[str] | Span[bytes]) -> str:
    """File, line and column."""
    text = span.input.content[: span.start]
    before = text if isinstance(text, str) else text.decode(errors="replace")
    lines = before.split("\n")
    return f"{span.input.name}:{len(lines) + span.line_offset}:{len(lines[-1]) + 1}"


def _line(error: BaseException) -> str:
    """An error's text in a line, without the module that xDSL appends."""
    return " ".join(str(error).partition("\n\n")[0].split()) or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
