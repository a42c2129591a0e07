import numpy as np
import pytest


@pytest.fixture
def rng(request):
    """A generator with a seed of its own for each test, the same each time."""
    seed = [0x5EED, *request.node.name.encode()]
    print(f"seed {seed}")
    return np.random.default_rng(seed)
