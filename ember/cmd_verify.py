"""``ember verify``: prove the machine of a configuration before it is built.

Runs the cocotb regression and random programs on the RTL of the configuration, compares everything
with the functional model, and prints what was covered.
"""

import argparse

from . import parts
from .bench_arguments import json_target, write_report
from .cli_arguments import add_machine, configuration, number
from .cli_errors import WRONG, Stop, reading_input, running
from .options import MAX_SEED
from .progress import Progress

#: As ember.sim.verify.PROGRAMS, which is slow to import; a test holds the two equal.
PROGRAMS = 2000
_MISSING = "cocotb is not installed: pip install 'ember-dae[verify]'"


def add_parser(commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verify", help="prove the machine of a configuration", description=__doc__
    )
    parser.set_defaults(command=_verify)
    parser.add_argument(
        "--programs", type=number(1), default=PROGRAMS, help="random programs, each run twice"
    )
    parser.add_argument(
        "--seed", type=number(0, MAX_SEED), default=0, help="of programs, memory and resets"
    )
    parser.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the report as JSON; - prints it instead of the text",
    )  # fmt: skip
    add_machine(parser)


def _verify(options: argparse.Namespace) -> int:
    with reading_input():
        config = configuration(options)
        json_target(options)
    with Progress() as progress, running():
        module = parts.verify()
        if module is None:
            raise Stop(WRONG, _MISSING)
        progress(f"verifying configuration {config.hash}")
        verdict = module.verify(
            config, programs=options.programs, seed=options.seed, progress=progress
        )
    if getattr(options, "json", None) != "-":
        print(verdict.text())
    write_report(options, verdict.to_dict())
    return 0 if verdict.passed else WRONG
