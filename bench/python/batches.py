"""What a batch costs in Python, over what it costs in C: the same keys, the same process, in turns.

    build/release targets: cmake --build --preset release --target trommel_c
    build/python/venv-*/bin/python bench/python/batches.py [--keys N] [--rounds N]

Needs pyarrow for strings, whose slices a caller in C has: making them is not timed. Times are CPU seconds of
the calling thread: other work of the machine is left out, but for its share of the caches. The first two
columns are medians in ns per key, the third is the median of the rounds' ratios with the quartiles; the last
compares it with the target (1.2 for integers, 1.3 for strings).
"""

import argparse
import ctypes
import pathlib
import statistics
import time

import numpy as np
import pyarrow as pa
import trommel_filters as trommel

ROOT = pathlib.Path(__file__).parents[2]
ORDER = ("insert_if_absent", "query", "erase", "insert", "query", "erase")
INT64, SLICES = 1, 6  # TROMMEL_KEYS_* of trommel/c.h, which has the structs below, too


class Config(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("encoding", ctypes.c_int32), ("capacity", ctypes.c_uint64),
                ("target_fpr", ctypes.c_double), ("others", ctypes.c_uint64 * 6)]


class Keys(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("kind", ctypes.c_int32), ("num_keys", ctypes.c_int64),
                ("data", ctypes.c_void_p), ("others", ctypes.c_uint64 * 3)]


class Outcome(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("refusal", ctypes.c_int32), ("num_done", ctypes.c_uint64),
                ("others", ctypes.c_uint64 * 3)]


class CSide:
    """A CountingFilter without Python."""

    def __init__(self, library, capacity, rate, batch):
        self.library = library
        self.filter = ctypes.c_void_p()
        config = Config(ctypes.sizeof(Config), capacity=capacity, target_fpr=rate)
        code = library.trommel_counting_create(ctypes.byref(config), ctypes.byref(self.filter), None)
        assert code == 0, f"trommel_counting_create returns {code}"
        self.data, kind = batch, INT64
        if not isinstance(batch, np.ndarray):
            _, offsets, characters = batch.buffers()
            ends = np.frombuffer(offsets, np.int32)[: len(batch) + 1].astype(np.int64)
            self.data, kind = np.stack([characters.address + ends[:-1], np.diff(ends)], axis=1), SLICES
        self.keys = Keys(ctypes.sizeof(Keys), kind, len(batch), self.data.ctypes.data)
        self.bits = np.empty(-(-len(batch) // 64), np.uint64)

    def run(self, operation):
        keys, bits = ctypes.byref(self.keys), ctypes.c_void_p(self.bits.ctypes.data)
        num_words = ctypes.c_int64(len(self.bits))
        outcome, found = Outcome(ctypes.sizeof(Outcome)), ctypes.c_int64()
        arguments = {
            "insert": (None, ctypes.c_int64(0), ctypes.byref(outcome)),
            "query": (bits, num_words, ctypes.byref(found)),
            "erase": (None, ctypes.c_int64(0), ctypes.byref(outcome)),
            "insert_if_absent": (bits, num_words, None, ctypes.byref(outcome)),
        }[operation]
        call = getattr(self.library, "trommel_" + operation)
        start = time.thread_time()
        code = call(self.filter, keys, *arguments, None)
        seconds = time.thread_time() - start
        assert code == 0, f"trommel_{operation} returns {code}"
        return seconds, found.value if operation == "query" else outcome.num_done


def run_python(keys, operation, batch):
    start = time.thread_time()
    result = getattr(keys, {"insert": "update"}.get(operation, operation))(batch)
    seconds = time.thread_time() - start
    if isinstance(result, np.ndarray):
        return seconds, int(result.sum())
    return seconds, result.num_inserted if operation == "insert" else result.num_erased


def compare(library, name, batch, capacity, target, rounds):
    ours, theirs = trommel.CountingFilter(capacity), CSide(library, capacity, 0.01, batch)
    times = {operation: [] for operation in ("insert", "query", "erase", "insert_if_absent")}
    for number in range(rounds + 1):
        for operation in ORDER:
            turns = [lambda: run_python(ours, operation, batch), lambda: theirs.run(operation)]
            if number % 2:
                second, first = turns[1](), turns[0]()
            else:
                first, second = turns[0](), turns[1]()
            assert first[1] == second[1], f"{operation}: {first[1]} keys in Python, {second[1]} in C"
            if number > 0:  # the first round touches the memory
                times[operation].append((first[0], second[0]))
    for operation, pairs in times.items():
        ratios = sorted(python / c for python, c in pairs)
        ratio = statistics.median(ratios)
        scale = 1e9 / len(batch)
        print(
            f"{name:20} {operation:18} {statistics.median(p for p, _ in pairs) * scale:8.2f} "
            f"{statistics.median(c for _, c in pairs) * scale:8.2f}   {ratio:5.2f} "
            f"({ratios[len(ratios) // 4]:.2f}-{ratios[3 * len(ratios) // 4]:.2f})   "
            f"{'met' if ratio <= target else 'not met'} ({target})"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--library", default=str(ROOT / "build/release/engine/c/libtrommel_c.so"))
    options = parser.parse_args()
    library = ctypes.CDLL(options.library)
    random = np.random.default_rng(1)
    integers = random.integers(-(2**63), 2**63, options.keys, dtype=np.int64)
    strings = pa.array([f"user-{number:020d}" for number in integers.view(np.uint64) // 2])
    print(f"trommel {trommel.__version__}, {trommel.active_target()}, {options.keys:,} keys")
    print(f"{'keys':20} {'call':18} {'Python':>8} {'C':>8}   ratio (quartiles)")
    compare(library, "int64, NumPy", integers, options.keys, 1.2, options.rounds)
    compare(library, "25 bytes, Arrow", strings, options.keys, 1.3, options.rounds)


if __name__ == "__main__":
    main()
