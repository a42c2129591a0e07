"""Shared fixtures."""

import os

import pytest


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed that is printed when the test fails; EMBER_SEED sets another one."""
    value = int(os.environ.get("EMBER_SEED", "20261129"))
    print(f"seed {value} (set EMBER_SEED to change it)")
    return value
