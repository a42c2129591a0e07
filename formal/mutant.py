"""A block with one line changed, for proofs that have to fail."""

import importlib
import inspect
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Edit:
    """Replace ``old``, which occurs once in the module's text, by ``new``."""

    old: str
    new: str


def load(name: str, edits: tuple[Edit, ...] = ()) -> ModuleType:
    """The module, or with ``edits`` a copy of it that nobody else sees.

    Raises
    ------
    ValueError
        The text to replace does not occur exactly once: the block has changed since.
    """
    module = importlib.import_module(name)
    if not edits:
        return module
    source = inspect.getsource(module)
    for edit in edits:
        count = source.count(edit.old)
        if count != 1:
            raise ValueError(f"{edit.old!r} must occur once in {name}, not {count} times")
        source = source.replace(edit.old, edit.new)
    copy = ModuleType(name)
    copy.__package__, copy.__file__ = module.__package__, module.__file__
    exec(compile(source, f"{module.__file__} (changed)", "exec"), copy.__dict__)
    return copy
