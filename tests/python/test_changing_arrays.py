"""Another thread writes to the array of a batch: a mistake of the program, which makes other keys of
it and does nothing worse. No call ends the process, and the filter can be saved and loaded."""

import threading
import time

import numpy as np
import pytest
import trommel_filters as trommel
from trommel_filters import errors

NUM_KEYS = 32_768
SECONDS = 0.12
CAPACITY = 500  # far fewer keys than are inserted: blocks are full


def _beside_writer(write, use):
    """Calls use() while another thread calls write(); a damaged array may be refused."""
    ends = threading.Event()

    def write_all():
        while not ends.is_set():
            write()

    writer = threading.Thread(target=write_all)
    writer.start()
    try:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                use()
            except ValueError:
                pass
    finally:
        ends.set()
        writer.join()


def _use(filter, keys):
    filter.update(keys)
    filter.insert_if_absent(keys)
    filter.query(keys)
    filter.select(keys)
    filter.count_estimates(keys)
    filter.erase(keys)
    filter.upsert(keys, lambda asked: asked[::2])


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "null"])
def test_arrow_arrays_that_change_during_a_batch_leave_a_sound_filter(kind):
    pyarrow = pytest.importorskip("pyarrow")
    filter = trommel.CountingFilter(CAPACITY)
    text = np.full(8 * NUM_KEYS, ord("x"), dtype=np.uint8)
    offsets = np.arange(0, 8 * NUM_KEYS + 1, 8, dtype="int64" if "large" in kind else "int32")
    valid = np.full(NUM_KEYS // 8, 0xFF, dtype=np.uint8)
    buffers = [pyarrow.py_buffer(a) for a in (valid, offsets, text)]
    # -1: the nulls have not been counted.
    type_ = pyarrow.large_string() if kind == "large_string" else pyarrow.string()
    keys = pyarrow.Array.from_buffers(type_, NUM_KEYS, buffers, null_count=-1)
    changed = offsets[1:-1]
    if kind == "dictionary":
        changed = np.arange(NUM_KEYS, dtype="int32") % 100
        keys = pyarrow.DictionaryArray.from_buffers(
            pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
            NUM_KEYS,
            [None, pyarrow.py_buffer(changed)],
            pyarrow.array([f"value {i}" for i in range(100)]),
        )
    elif kind == "null":
        changed = valid
    right = changed.copy()
    random = np.random.default_rng(3)

    def write():
        i = int(random.integers(0, len(changed)))
        changed[i] = random.integers(-(2**31), 2**31) % 251 if kind == "null" else random.integers(
            -(2**31), 2**31
        )
        changed[i] = right[i]

    _beside_writer(write, lambda: _use(filter, keys))
    assert type(filter).from_bytes(filter.to_bytes()) == filter


def test_bytes_that_change_while_they_are_loaded_are_refused_or_a_filter():
    filter = trommel.CountingFilter(CAPACITY)
    filter.update(np.arange(2_000))
    data = bytearray(filter.to_bytes())
    right = bytes(data)
    random = np.random.default_rng(3)

    def write():
        i = int(random.integers(0, len(data)))
        data[i] ^= 0x41
        data[i] = right[i]

    num_refused = 0

    def use():
        nonlocal num_refused
        try:
            loaded = trommel.from_bytes(data)
        except errors.Error:
            num_refused += 1
        else:
            assert loaded == filter

    _beside_writer(write, use)
