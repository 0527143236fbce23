"""The comparisons of bench/python pass what is new, and no repeat."""

import importlib.util
import pathlib

BENCH = pathlib.Path(__file__).parents[2] / "bench/python"


def test_every_way_passes_each_event_once_in_ten_minutes():
    spec = importlib.util.spec_from_file_location("ten_minutes", BENCH / "ten_minutes.py")
    ten_minutes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ten_minutes)
    times, dropped = ten_minutes.measure(per_second=20, rounds=1)  # fails where a repeat passes
    assert len(times) >= 5 and all(ns > 0 for figures in times.values() for ns in figures)
    assert dropped["one set and a queue"] == 0
    assert 0 <= dropped["WindowFilter, lists of str"] < 2 * ten_minutes.RATE
