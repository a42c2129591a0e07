"""CSV files with a header, checked line by line."""

import csv
import io
from collections.abc import Iterable

from .errors import InputError
from .files import read_text


def read_columns(path: str, wanted: Iterable[str]) -> dict[str, list[str]]:
    """The ``wanted`` columns of a comma-separated file whose first line names them.

    Returns
    -------
    Column name -> its values, one per record, white space around them removed. Blank lines are no
    records.

    Raises
    ------
    InputError
        The file cannot be read, is empty, lacks a column or names one twice, or has a line with
        another number of fields than the header; the message has file and line.
    """
    wanted = list(wanted)
    text = read_text(path)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{path}:{line}: must be text, but has a NUL byte")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: dict[str, list[str]] = {name: [] for name in wanted}
    header: list[str] = []
    places: list[int] = []
    try:
        for record in reader:
            if not record:
                continue
            if not header:
                header = [name.strip() for name in record]
                places = [_place(path, reader.line_num, header, name) for name in wanted]
                continue
            if len(record) != len(header):
                raise InputError(
                    f"{path}:{reader.line_num}: must have {len(header)} fields, as the header "
                    f"has, not {len(record)}"
                )
            for name, place in zip(wanted, places, strict=True):
                columns[name].append(record[place].strip())
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: must be CSV: {error}") from None
    if not header:
        raise InputError(f"{path} must have a header line, but is empty")
    if not columns[wanted[0]]:
        raise InputError(f"{path} must have at least 1 record below its header, not 0")
    return columns


def _place(path: str, line: int, header: list[str], name: str) -> int:
    if header.count(name) != 1:
        shown = ", ".join(header[:6]) + (", ..." if len(header) > 6 else "")
        found = "twice" if name in header else "not"
        raise InputError(
            f"{path}:{line}: must name column {name!r} once; it is {found} in: {shown}"
        )
    return header.index(name)
