"""Windows: what has expired, times of insertions, and limits."""

import numpy as np
import pytest
import trommel_filters as trommel
from trommel_filters import errors


def test_a_window_forgets_in_time():
    seen = trommel.WindowFilter(window=80, capacity=1_000, num_buckets=8)
    assert seen.update(["a"]).num_inserted == 1 and seen.now == 0
    assert seen.advance(79) and "a" in seen
    assert seen.add("b")
    assert not seen.advance(10) and seen.now == 79
    assert seen.insert_if_absent(["a", "c"]).tolist() == [False, True]
    inserted, times = seen.insert_if_absent_timed(["c", "d"])
    assert inserted.tolist() == [False, True]
    assert times.dtype == np.uint64 and times.tolist() == [79, 79]
    assert seen.insert_if_absent_timed("e") == (True, 79) and seen.erase("e", 79)
    assert seen.insert_if_absent_timed("d") == (False, 79)
    assert seen.advance(90)
    assert seen.query(["a", "b", "c"]).tolist() == [False, True, True]
    assert seen.update(["late"], 30).num_inserted == 1
    assert seen.add("late", 30) and seen.insert_mask(["late"], 30).all()
    assert seen.update(["too late"], time=5).num_refused == 1 and not seen.add("too late", 5)
    assert seen.erase(["late"] * 3, 30).num_erased == 3
    assert seen.erase(["b"], 79).num_erased == 1
    assert not seen.erase("b", 79)
    assert seen.erase(["b"], 0).num_expired == 1
    assert seen.stats().buckets[-1].last_tick >= 90
    assert seen.window == 80 and seen.num_buckets == 8 and seen.bucket_ticks == 10
    with pytest.raises(ValueError, match="time"):
        seen.update(["x"], -1)


@pytest.mark.parametrize("num_buckets", [8, 20])
def test_a_window_tells_which_keys_its_limit_of_side_memory_refused(num_buckets):
    hot = np.repeat(np.arange(100), 600)
    seen = trommel.WindowFilter(
        window=80, capacity=100, num_buckets=num_buckets, side_memory_limit_bytes=2_240
    )
    seen.advance(5)
    inserted = seen.insert_mask(hot)
    assert inserted.dtype == bool and inserted.shape == hot.shape
    assert 100 <= inserted.sum() < hot.size
    numbers = seen.stats()
    assert numbers.num_keys == inserted.sum()
    assert numbers.num_without_space == numbers.num_refused_inserts == hot.size - inserted.sum()
    refused = hot[~inserted][-1:]
    assert not seen.add(int(refused[0])) and not seen.add(int(refused[0]), time=5)
    assert not seen.insert_mask(refused).any() and not seen.insert_mask(refused, 5).any()
    outcome = seen.update(refused)
    assert outcome == seen.update(refused, 5)
    assert outcome.num_refused == outcome.num_without_space == 1
    assert seen.update(refused, time=6).num_without_space == 0  # in the future
    assert seen.erase(hot[inserted], 5).num_erased == inserted.sum()
    assert seen.stats().num_keys == 0
    assert seen.add("a")
    seen.limit_side_memory(0)
    assert seen.insert_mask(hot).all()
    with pytest.raises(errors.OutOfMemoryError):
        seen.limit_side_memory(2_240)
    with pytest.raises(errors.InvalidArgumentError):
        seen.limit_side_memory(1)
