"""Arrays as a NumPy archive."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .errors import InputError


def write_archive(path: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays by name, for ``np.load``; the same arrays are the same bytes each time.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    buffer = io.BytesIO()
    # Not np.savez, whose own parameter an array may be called as.
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    try:
        Path(path).write_bytes(buffer.getvalue())
    except OSError as error:
        raise InputError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from None
