"""The comparisons of bench prove what they say: what is new passes, and no repeat."""

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
    assert all(0 <= share < 2 * ten_minutes.RATE for share in dropped.values())


def test_deduplicated_lines_are_first_occurrences_in_order(tmp_path):
    spec = importlib.util.spec_from_file_location("dedup_lines", BENCH.parent / "programs/dedup_lines.py")
    dedup_lines = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dedup_lines)
    exact, out = tmp_path / "exact", tmp_path / "out"
    exact.write_bytes(b"a\nb\nc\nd\n")
    for lines, is_right in [(b"a\nb\nc\nd\n", True), (b"b\nd\n", True), (b"a\na\nc\nd\n", False), (b"b\na\n", False)]:
        out.write_bytes(lines)
        assert dedup_lines.is_part_in_order(out, exact) == is_right
