"""What several files of tests need: a maker of each class, and keys of both kinds."""

import numpy as np
import pytest
from makers import MAKERS, expires


@pytest.fixture(params=MAKERS)
def make(request):
    """A function that makes an empty filter, for each class that has keys."""
    return MAKERS[request.param]


@pytest.fixture(params=[name for name, make in MAKERS.items() if not expires(make())])
def make_multiset(request):
    """The same for the classes whose erase takes keys alone."""
    return MAKERS[request.param]


@pytest.fixture
def integers():
    return np.random.default_rng(1).integers(-(2**63), 2**63, 3_000, dtype=np.int64)


@pytest.fixture
def strings():
    return [f"key {i} {'x' * (i % 30)}" for i in range(3_000)]
