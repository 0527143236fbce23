"""Another thread writes to the array of a batch: a mistake of the program, which makes other keys of
it and does nothing worse. No call ends the process, and the filter can be saved and loaded."""

import threading
import time

import numpy as np
import pytest
import trommel_filters as trommel
from makers import MAKERS, expires
from trommel_filters import errors

NUM_KEYS = 32_768
SECONDS = 0.12
CAPACITY = 500  # far fewer keys than are inserted: blocks are full

FILTERS = {
    **{
        f"{cls.__name__} {encoding} {threads}": lambda cls=cls, encoding=encoding, threads=threads: cls(
            CAPACITY,
            encoding=encoding,
            executor=trommel.Executor(threads) if threads > 1 else None,
        )
        for cls in (trommel.CountingFilter, trommel.ConcurrentFilter)
        for encoding in ("runs", "planes", "fingerprints16", "dense")
        for threads in (1, 2)
    },
    "limited": lambda: trommel.CountingFilter(CAPACITY, side_memory_limit_bytes=1 << 20),
    **{
        name: lambda make=make: make(CAPACITY)
        for name, make in MAKERS.items()
        if not isinstance(make(), (trommel.CountingFilter, trommel.ConcurrentFilter))
    },
}


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
    for _ in range(2):
        if expires(filter):
            filter.erase(keys, 0)
        else:
            filter.erase(keys)
    if hasattr(filter, "upsert"):
        filter.upsert(keys, lambda asked: asked[::2])


def _write_to(array):
    """A function that overwrites the array, of few different keys, so that counts grow. NumPy gives
    up the GIL for it: it runs beside the batch."""
    random = np.random.default_rng(2)
    shape = (8, len(array))
    values = random.integers(0, 2**8, shape, dtype=np.uint64) << np.uint64(56)
    values = (values | random.integers(0, 2, shape, dtype=np.uint64)).astype(array.dtype)

    def write():
        for row in values:
            np.copyto(array, row)

    return write


@pytest.mark.parametrize("name", FILTERS)
def test_digests_that_change_during_a_batch_leave_a_sound_filter(name):
    filter = FILTERS[name]()
    array = np.random.default_rng(1).integers(0, 2**63, NUM_KEYS, dtype=np.uint64)
    _beside_writer(_write_to(array), lambda: _use(filter, trommel.Digests(array)))
    assert type(filter).from_bytes(filter.to_bytes()) == filter


@pytest.mark.parametrize("kind", ["int64", "strided", "Int32", "int32", "bytearray"])
def test_integers_that_change_during_a_batch_leave_a_sound_filter(kind):
    filter = trommel.CountingFilter(CAPACITY)
    array = np.arange(NUM_KEYS, dtype="int32" if "nt32" in kind else "int64")
    keys = array
    if kind == "strided":
        keys = array[::2]
    elif kind == "Int32":
        keys = trommel.Int32(array)
    elif kind == "bytearray":
        raw = bytearray(array.tobytes())
        array = np.frombuffer(raw, dtype="int64")
        keys = memoryview(raw).cast("q")
        keys = np.asarray(keys)
    _beside_writer(_write_to(array), lambda: _use(filter, keys))
    assert type(filter).from_bytes(filter.to_bytes()) == filter


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


def test_metadata_that_changes_while_it_is_saved_can_be_read(tmp_path):
    filter = trommel.CountingFilter(10)
    metadata = np.zeros(65_536, dtype=np.uint8)

    def use():
        filter.save(tmp_path / "f", metadata=metadata)
        assert len(trommel.load_metadata(tmp_path / "f")) == 65_536

    def write():
        metadata[:] += 1

    _beside_writer(write, use)
