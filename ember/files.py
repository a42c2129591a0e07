"""Reading and writing files with one-line errors."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError

_NUMBERS = re.compile(r"\[[-+.\dEe,\s]+\]")


def read_bytes(path: str) -> bytes:
    """The content of a file; ``-`` is standard input.

    Raises
    ------
    InputError
        It cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {_reason(error)}") from None


def check_readable(path: str) -> None:
    """Raise :class:`InputError` if the file cannot be opened."""
    try:
        with open(path, "rb"):
            pass
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {_reason(error)}") from None


def read_text(path: str) -> str:
    """The content of a UTF-8 file; a byte order mark at its start is dropped.

    Raises
    ------
    InputError
        It cannot be read, or is not UTF-8: the message has the line of the first bad byte.
    """
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise InputError(f"{path}:{line}: must be UTF-8, but has byte 0x{byte:02x}") from None


def json_text(value: object) -> str:
    """Indented JSON, but a list of numbers stays on a line."""
    text = json.dumps(value, indent=2)
    return _NUMBERS.sub(lambda match: " ".join(match[0].split()), text) + "\n"


@contextmanager
def written(path: str) -> Iterator[list[str]]:
    """A list whose strings become the file at the end; ``-`` is standard output.

    That the file can be written is checked on entry, before the work is done. The file appears
    complete or not at all.

    Raises
    ------
    InputError
        It cannot be written.
    """
    parts: list[str] = []
    if path == "-":
        yield parts
        sys.stdout.write("".join(parts))
        return
    target = Path(path)
    # Devices and pipes cannot be replaced by a new file.
    if target.exists() and not target.is_file() and not target.is_dir():
        yield parts
        try:
            target.write_text("".join(parts))
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"cannot write {path}: {_reason(error)}") from None
        return
    temporary = None
    try:
        if target.is_dir():
            raise IsADirectoryError(21, os.strerror(21))
        handle, temporary = tempfile.mkstemp(prefix=".ember-", dir=target.resolve().parent)
        os.close(handle)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {path}: {_reason(error)}") from None
    try:
        yield parts
        try:
            Path(temporary).write_text("".join(parts))
            # mkstemp makes private files; what is written should be readable as any other file.
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, target.resolve())
        except OSError as error:
            raise InputError(f"cannot write {path}: {_reason(error)}") from None
    except BaseException:
        os.unlink(temporary)
        raise


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def check_writable(path: str) -> None:
    """Refuse, before long work, a path that surely cannot be written; creates nothing.

    Raises
    ------
    InputError
        It is a directory, in none, or permission is missing.
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise IsADirectoryError(21, os.strerror(21))
        if target.exists():
            allowed = os.access(target, os.W_OK)
        else:
            if not target.resolve().parent.is_dir():
                raise FileNotFoundError(2, os.strerror(2))
            allowed = os.access(target.resolve().parent, os.W_OK)
        if not allowed:
            raise PermissionError(13, os.strerror(13))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {path}: {_reason(error)}") from None


def check_apart(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Refuse to write two outputs to one file, or one over what is read.

    ``outputs`` maps options to paths, None where it is not given; ``-`` is standard output among
    them, and standard input among ``inputs``. Devices may be named more than once.

    Raises
    ------
    InputError
        The message has the option and the path.
    """
    taken = {os.path.realpath(path): "the input" for path in inputs if path != "-"}
    for option, path in outputs.items():
        if path is None:
            continue
        place = path if path == "-" else os.path.realpath(path)
        if os.path.exists(place) and not os.path.isfile(place):
            continue
        if place in taken:
            raise InputError(f"{option} must be another file than {taken[place]}, not {path}")
        taken[place] = option


def check_directory(path: str | Path) -> None:
    """Raise InputError if there is something at ``path`` that is no directory."""
    if not str(path):
        raise InputError("cannot write '': a directory must have a name")
    if Path(path).exists() and not Path(path).is_dir():
        raise InputError(f"cannot write {path}: not a directory")


def write_tree(directory: Path, files: dict[str, bytes]) -> None:
    """Write files by name below ``directory``, which is made if it is not there.

    Raises
    ------
    InputError
        One cannot be written.
    """
    path = directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {_reason(error)}") from None
