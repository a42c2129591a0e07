"""Build cache: directories named by the hash of everything that went into them."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_dir() -> Path:
    """Where builds are kept: ``$EMBER_CACHE``, or ``~/.cache/ember``."""
    override = os.environ.get("EMBER_CACHE")
    return Path(override) if override else Path.home() / ".cache" / "ember"


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
    """
    root = cache_dir()
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
