"""C header and HTML pages of the register map, made by PeakRDL where it is installed."""

import re
import tempfile
import zlib
from pathlib import Path

from .register_files import NAME

#: Top-level modules of what has to be installed.
_MODULES = ("systemrdl", "peakrdl_cheader", "peakrdl_html")
#: The pages name the second in which they were made, so that browsers fetch them again.
_TIME = re.compile(rb"(BUILD_TS = |\?ts=)\d+")


def peakrdl_files(systemrdl: str) -> dict[str, bytes] | None:
    """``registers.h`` and the pages below ``html/``, by name; None where PeakRDL is missing.

    Raises
    ------
    ValueError
        ``systemrdl`` is not accepted.
    """
    try:
        from peakrdl_cheader.exporter import CHeaderExporter
        from peakrdl_html import HTMLExporter
        from systemrdl.compiler import RDLCompiler
        from systemrdl.messages import RDLCompileError
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _MODULES:
            raise
        return None
    with tempfile.TemporaryDirectory(prefix="ember-export-") as work:
        directory = Path(work)
        source = directory / "registers.rdl"
        source.write_text(systemrdl)
        compiler = RDLCompiler()
        try:
            compiler.compile_file(str(source))
            root = compiler.elaborate(NAME)
        except RDLCompileError as error:
            raise ValueError(f"registers must be legal SystemRDL: {error}") from None
        header = directory / "registers.h"
        CHeaderExporter().export(root, str(header))
        pages = directory / "html"
        HTMLExporter().export(root, str(pages))
        found = {header.name: header.read_bytes()}
        for path in sorted(pages.rglob("*")):
            if path.is_file():
                found[f"html/{path.relative_to(pages).as_posix()}"] = path.read_bytes()
        index = found["html/index.html"]
        stamp = zlib.crc32(systemrdl.encode())
        found["html/index.html"] = _TIME.sub(rb"\g<1>%d" % stamp, index)
        return found
