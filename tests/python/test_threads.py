"""Threads: batches run beside each other, no use of one filter by several threads breaks it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import trommel_filters as trommel
from trommel_filters import errors

NUM_THREADS = 4


def _run(work):
    with ThreadPoolExecutor(NUM_THREADS) as pool:
        return [future.result() for future in [pool.submit(work, i) for i in range(NUM_THREADS)]]


def test_insertions_of_threads_leave_the_bytes_of_one_thread(make):
    parts = np.arange(8_000).reshape(NUM_THREADS, -1)
    shared, alone = make(), make()

    def insert(i):
        for chunk in np.split(parts[i], 10):
            shared.update(chunk)
        for key in parts[i][:100].tolist():
            shared.add(key)

    _run(insert)
    for i in range(NUM_THREADS):
        alone.update(parts[i])
        alone.update(parts[i][:100])
    assert len(shared) == len(alone)
    assert shared.query(parts.ravel()).all()
    if type(shared) is not trommel.ScalableFilter:  # racing growth may keep other bits
        assert shared.to_bytes() == alone.to_bytes()


def test_each_absent_key_is_inserted_once_by_racing_threads(make_multiset):
    keys = make_multiset(target_fpr=0.0001)
    candidates = np.arange(2_000)
    inserted = _run(lambda _: keys.insert_if_absent(candidates))
    assert (np.sum(inserted, axis=0) <= 1).all()
    assert keys.query(candidates).all()
    assert len(keys) == np.sum(inserted)


def test_whole_filter_calls_wait_for_batches(make):
    keys = make()

    def work(i):
        for _ in range(30):
            if i == 0:
                keys.clear()
            elif i == 1:
                keys.stats()
                repr(keys)
            elif i == 2:
                assert len(keys.from_bytes(keys.to_bytes())) >= 0
            else:
                keys.update(np.arange(500))
        return True

    assert all(_run(work))


def test_merges_in_both_directions_do_not_deadlock():
    a, b = trommel.CountingFilter(10_000), trommel.CountingFilter(10_000)
    a.update([1])

    def merge(i):
        nonlocal a, b
        for _ in range(20):
            if i % 2:
                a |= b
            else:
                b |= a
        return True

    assert all(_run(merge))
    assert 1 in a and 1 in b


def test_closing_beside_batches_gives_closed_errors(make):
    keys = make()
    started = threading.Barrier(NUM_THREADS)

    def work(i):
        deadline = time.monotonic() + 60  # the closing thread may not run for long
        started.wait()
        try:
            while time.monotonic() < deadline:
                if i == 0:
                    keys.close()
                keys.update(np.arange(1_000))
                keys.query(np.arange(1_000))
        except errors.ClosedError:
            return True
        return False

    assert all(_run(work))


def test_a_column_that_closes_beside_updates_gives_errors():
    columns = trommel.ColumnMap(4, 4_000)

    def work(i):
        for _ in range(50):
            try:
                if i == 0:
                    columns.open_column(1)
                elif i == 1:
                    columns.close_columns([1])
                else:
                    columns.update(1, np.arange(300))
                    columns.num_keys(1)
            except errors.InvalidArgumentError as error:
                assert "column" in str(error)
        return True

    assert all(_run(work))


def test_a_list_may_change_while_its_batch_runs():
    keys = trommel.ConcurrentFilter(100_000)
    names = [f"name {i}" for i in range(20_000)]
    stop = threading.Event()

    def change():
        while not stop.is_set():
            names[:] = [f"other {i}" for i in range(20_000)]

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(10):
            keys.update(names)
            keys.query(names)
    finally:
        stop.set()
        changer.join()
    assert len(keys) == 200_000


@pytest.mark.parametrize("num_threads", [1, 2, 4])
def test_an_executor_changes_no_bytes(make, num_threads):
    numbers = np.arange(200_000)
    with_threads = make(executor=trommel.Executor(num_threads))
    without = make()
    for keys in (with_threads, without):
        keys.update(numbers)
    assert (with_threads.query(numbers) == without.query(numbers)).all()
    assert with_threads.to_bytes() == without.to_bytes()
    assert trommel.Executor(num_threads).num_threads == num_threads


def test_batches_release_the_gil():
    keys = trommel.CountingFilter(1_000_000)
    numbers = np.arange(3_000_000)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(None)

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = len(ticks)
    keys.update(numbers)
    during = len(ticks) - before
    stop.set()
    ticker.join()
    assert during > 0
