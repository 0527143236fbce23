"""What several files of tests need: one maker per class, and keys of both kinds."""

import numpy as np
import pytest
import trommel_filters as trommel

CAPACITY = 10_000

MAKERS = {
    "counting": lambda **options: trommel.CountingFilter(CAPACITY, **options),
    "fingerprints16": lambda **options: trommel.CountingFilter(
        CAPACITY, encoding="fingerprints16", **options
    ),
    "concurrent": lambda **options: trommel.ConcurrentFilter(CAPACITY, **options),
    "scalable": lambda **options: trommel.ScalableFilter(CAPACITY, **options),
    "generations": lambda **options: trommel.ScalableFilter(
        CAPACITY, mode="generations", **options
    ),
    "window": lambda **options: trommel.WindowFilter(100, CAPACITY, **options),
}


@pytest.fixture(params=MAKERS)
def make(request):
    """A function that makes an empty filter, for each class that has keys."""
    return MAKERS[request.param]


@pytest.fixture(params=[name for name in MAKERS if name != "window"])
def make_multiset(request):
    """The same for the classes whose erase takes keys alone."""
    return MAKERS[request.param]


@pytest.fixture
def integers():
    return np.random.default_rng(1).integers(-(2**63), 2**63, 3_000, dtype=np.int64)


@pytest.fixture
def strings():
    return [f"key {i} {'x' * (i % 30)}" for i in range(3_000)]
