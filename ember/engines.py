"""RTL engines, kept between runs: to generate a machine and load its simulator takes seconds."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from . import parts
from .options import Progress
from .parts import Config

_KEPT = 4

_lock = threading.Lock()
_engines: dict[Config, object] = {}
_progress: Progress | None = None


@contextmanager
def borrowed(config: Config, progress: Progress | None) -> Iterator:
    """An :class:`ember.sim.engine.RtlEngine` of ``config``; one run at a time per process.

    ``progress`` gets lines of text about builds.
    """
    global _progress
    with _lock:
        _progress = progress
        try:
            engine = _engines.pop(config, None)
            if engine is None:
                engine = parts.engine().RtlEngine(config, progress=_say)
            _engines[config] = engine  # the latest used are last
            while len(_engines) > _KEPT:
                _engines.pop(next(iter(_engines))).close()  # type: ignore[attr-defined]
            yield engine
        finally:
            _progress = None


def _say(line: str) -> None:
    if _progress:
        _progress(line)
