"""What the tests of the public face share."""

from pathlib import Path

import numpy as np
import pytest

import ember

#: Public data sets, which are not part of the repository.
DATA = Path(__file__).parents[3] / "shared" / "data"
#: A few made-up records in the same formats, which are.
SAMPLES = Path(__file__).parent / "data"


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """Random numbers from the printed seed."""
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def tiny() -> ember.Config:
    """The smallest preset: everything is full or empty sooner or later."""
    return ember.Config.preset("tiny")


@pytest.fixture
def data_file():
    """Function of a name: path of that file of public data; skips where it is not there."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.is_file():
            pytest.skip(f"{name} is not there: the public data files are not part of the package")
        return path

    return find


@pytest.fixture
def sample_file():
    """Function of a name: path of that file of made-up records."""
    return lambda name: SAMPLES / name


@pytest.fixture
def rows4() -> np.ndarray:
    """A float32 table of 4 rows and 2 elements."""
    return np.arange(8, dtype=np.float32).reshape(4, 2)
