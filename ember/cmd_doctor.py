"""``ember doctor``: check every tool and version, and say what to do."""

import argparse
import sys

from .cli_errors import WRONG
from .doctor import checks, report


def add_parser(commands) -> None:
    """Add the command."""
    parser = commands.add_parser("doctor", help="check tools and versions", description=__doc__)
    parser.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    del options
    text, well = report(list(checks()))
    sys.stdout.write(text)
    return 0 if well else WRONG
