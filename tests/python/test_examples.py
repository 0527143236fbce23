"""The examples run, and do what they say."""

import importlib.util
import pathlib

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "engine/python/examples"


def _load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_events_are_deduplicated(library):
    frame = pytest.importorskip(library).DataFrame
    outcome = _load("deduplicate_events").run(frame, num_batches=6, size=5_000)
    assert outcome["rows"] == 30_000
    assert 0.1 < outcome["copies"] / outcome["rows"] < 0.3
    # At most 1 in 1,000 of some 24,000: 24, and six standard deviations.
    assert outcome["wrongly_dropped"] < 24 + 6 * 24**0.5
