"""``ember report``: a page with charts from what runs and benches wrote as JSON."""

import argparse

from . import __version__
from .cli_errors import reading_input
from .files import check_apart, written


def add_parser(commands) -> None:
    """Add the command."""
    report = commands.add_parser("report", help="make a page with charts", description=__doc__)
    report.set_defaults(command=_report)
    report.add_argument(
        "files", nargs="+", metavar="FILE.json",
        help="of `ember run --json`, `ember run --trace` or `ember bench .. --json`; - is "
        "standard input",
    )  # fmt: skip
    report.add_argument(
        "-o", "--output", metavar="FILE.html", required=True, default=argparse.SUPPRESS,
        help="page to write; - is standard output",
    )  # fmt: skip


def _report(options: argparse.Namespace) -> int:
    from .report_html.documents import read_document
    from .report_html.page import page

    with reading_input():
        check_apart({"--output": options.output}, options.files)
        documents = [read_document(path) for path in options.files]
        with written(options.output) as out:
            out.append(page(documents, __version__))
    return 0
