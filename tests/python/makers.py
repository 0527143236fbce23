"""How an empty filter is made of each class that has keys: the list that tests of all classes run over. A
new class gets a line. It imports nothing of pytest, as tests use it in processes of their own, too."""

import trommel_filters as trommel

CAPACITY = 10_000

MAKERS = {
    "counting": lambda capacity=CAPACITY, **options: trommel.CountingFilter(capacity, **options),
    "fingerprints16": lambda capacity=CAPACITY, **options: trommel.CountingFilter(
        capacity, encoding="fingerprints16", **options
    ),
    "concurrent": lambda capacity=CAPACITY, **options: trommel.ConcurrentFilter(capacity, **options),
    "scalable": lambda capacity=CAPACITY, **options: trommel.ScalableFilter(capacity, **options),
    "window": lambda capacity=CAPACITY, **options: trommel.WindowFilter(100, capacity, **options),
    "window of 20": lambda capacity=CAPACITY, **options: trommel.WindowFilter(
        100, capacity, num_buckets=20, **options
    ),
}


def expires(filter):
    """Whether its keys expire, so that they are erased with their times."""
    return hasattr(filter, "advance")
