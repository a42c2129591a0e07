"""Exit codes: 0 right, 1 wrong or failed, 2 bad input, 130 interrupted, 141 nobody reads."""

from collections.abc import Iterator
from contextlib import contextmanager

from . import parts
from .errors import InputError, RunError

WRONG, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


class Stop(Exception):
    """Ends a command with an exit code and a message for standard error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@contextmanager
def reading_input() -> Iterator[None]:
    """For whatever depends on the user's input alone: each error here is bad input."""
    try:
        yield
    except MemoryError as error:
        raise Stop(BAD_INPUT, f"not enough memory: {error}".rstrip(": ")) from None
    except BrokenPipeError:
        raise  # the reader of our output went away: nothing was wrong with the input
    except OSError as error:
        if error.filename is None and error.strerror is not None:
            raise  # standard output; whatever reads input opens it by name
        where = f"cannot use {error.filename}: " if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        raise Stop(BAD_INPUT, f"{where}{reason}") from None
    except (TypeError, ValueError) as error:
        raise Stop(BAD_INPUT, _one_line(error)) from None


@contextmanager
def compiling() -> Iterator[None]:
    """For the compiler, which refuses with a ValueError what a machine is too small for."""
    try:
        yield
    except ValueError as error:
        raise Stop(BAD_INPUT, _one_line(error)) from None


@contextmanager
def running() -> Iterator[None]:
    """For work on input that was found good: only known failures are, the rest are bugs."""
    try:
        yield
    except InputError as error:
        raise Stop(BAD_INPUT, _one_line(error)) from None
    except RunError as error:
        raise Stop(WRONG, str(error)) from None
    except ImportError as error:
        raise Stop(WRONG, f"{error}: run `ember doctor`") from None
    except MemoryError as error:
        raise Stop(WRONG, f"not enough memory: {error}".rstrip(": ")) from None
    except parts.failures() as error:
        raise Stop(WRONG, str(error)) from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
