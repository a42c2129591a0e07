"""Tables with made-up contents, the same for the same seed."""

import numpy as np


def random_table(rows: int, dim: int, *seed: int) -> np.ndarray:
    """float32 [rows, dim], normally distributed; deterministic in ``seed``."""
    return np.random.default_rng(seed).standard_normal((rows, dim), np.float32)
