"""Build cache: directories named by the hash of everything that went into them."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


class CacheError(RuntimeError):
    """Builds cannot be kept; the message has the directory and says how to choose another."""


def cache_dir() -> Path:
    """Where builds are kept: ``$EMBER_CACHE``, or ``~/.cache/ember``.

    Raises
    ------
    CacheError
        The first is not set, and there is no home directory.
    """
    override = os.environ.get("EMBER_CACHE")
    if override:
        return Path(override)
    try:
        return Path.home() / ".cache" / "ember"
    except RuntimeError:
        raise CacheError(
            "cannot keep builds, because there is no home directory: set EMBER_CACHE to a directory"
        ) from None


def content_key(*parts: str) -> str:
    """Hash of texts; their borders count."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:24]


def cached(name: str, fill: Callable[[Path], None]) -> Path:
    """The directory ``name`` of the cache, made by ``fill(directory)`` if it is not there.

    ``fill`` works in a private directory that gets its name once it is complete, so a build that
    is interrupted leaves nothing behind and two at the same time do no harm: the first to finish
    wins.

    Raises
    ------
    CacheError
        The directory cannot be made or written.
    """
    root = cache_dir()
    try:
        return _cached(root, name, fill)
    except OSError as error:
        if error.filename is not None:
            path = Path(error.filename)
            if not (path.is_relative_to(root) or root.is_relative_to(path)):
                raise  # a program that cannot be started
        reason = (error.strerror or str(error)).lower()
        raise CacheError(
            f"cannot keep builds in {root}: {reason}; set EMBER_CACHE to another directory"
        ) from None


def _cached(root: Path, name: str, fill: Callable[[Path], None]) -> Path:
    target = root / name
    if target.is_dir():
        return target
    root.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".build-", dir=root))
    try:
        fill(work)
        try:
            work.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target
