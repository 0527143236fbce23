"""What a batch costs in Python, over what it costs in C++: the same keys, the same process, in turns.

    build/release targets: cmake --build --preset release --target trommel_python_side
    build/python/venv-*/bin/python bench/python/batches.py [--keys N] [--rounds N]

Needs pyarrow for strings. Times are CPU seconds of the calling thread: other work of the machine is left
out, but for its share of the caches. The first two columns are medians in ns per key, the third is the median of the
rounds' ratios with the quartiles; the last compares it with the target (1.2 for integers, 1.3 for
strings).
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
OPERATIONS = {"insert": 0, "query": 1, "erase": 2, "insert_if_absent": 3}
ORDER = ("insert_if_absent", "query", "erase", "insert", "query", "erase")


class CppSide:
    """A CountingFilter without Python."""

    def __init__(self, library, capacity, rate):
        self.library = library
        library.trommel_side_new.restype = ctypes.c_void_p
        library.trommel_side_run.restype = ctypes.c_double
        self.side = ctypes.c_void_p(library.trommel_side_new(ctypes.c_uint64(capacity), ctypes.c_double(rate)))

    def view(self, strings):
        _, offsets, data = strings.buffers()
        self.library.trommel_side_views(
            self.side, ctypes.c_void_p(data.address), ctypes.c_void_p(offsets.address),
            ctypes.c_size_t(len(strings)),
        )

    def run(self, operation, keys):
        done = ctypes.c_uint64()
        address = keys.ctypes.data if isinstance(keys, np.ndarray) else None
        seconds = self.library.trommel_side_run(
            self.side, OPERATIONS[operation], ctypes.c_void_p(address), ctypes.c_size_t(len(keys)),
            ctypes.byref(done),
        )
        return seconds, done.value


def run_python(keys, operation, batch):
    start = time.thread_time()
    result = getattr(keys, {"insert": "update"}.get(operation, operation))(batch)
    seconds = time.thread_time() - start
    if isinstance(result, np.ndarray):
        return seconds, int(result.sum())
    return seconds, result.num_inserted if operation == "insert" else result.num_erased


def compare(library, name, batch, capacity, target, rounds):
    ours, theirs = trommel.CountingFilter(capacity), CppSide(library, capacity, 0.01)
    if not isinstance(batch, np.ndarray):
        theirs.view(batch)
    times = {operation: [] for operation in OPERATIONS}
    for number in range(rounds + 1):
        for operation in ORDER:
            turns = [lambda: run_python(ours, operation, batch), lambda: theirs.run(operation, batch)]
            if number % 2:
                second, first = turns[1](), turns[0]()
            else:
                first, second = turns[0](), turns[1]()
            assert first[1] == second[1], f"{operation}: {first[1]} keys in Python, {second[1]} in C++"
            if number > 0:  # the first round touches the memory
                times[operation].append((first[0], second[0]))
    for operation, pairs in times.items():
        ratios = sorted(python / cpp for python, cpp in pairs)
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
    parser.add_argument("--side", default=str(ROOT / "build/release/lib/libtrommel_python_side.so"))
    options = parser.parse_args()
    library = ctypes.CDLL(options.side)
    random = np.random.default_rng(1)
    integers = random.integers(-(2**63), 2**63, options.keys, dtype=np.int64)
    strings = pa.array([f"user-{number:020d}" for number in integers.view(np.uint64) // 2])
    print(f"trommel {trommel.__version__}, {trommel.active_target()}, {options.keys:,} keys")
    print(f"{'keys':20} {'call':18} {'Python':>8} {'C++':>8}   ratio (quartiles)")
    compare(library, "int64, NumPy", integers, options.keys, 1.2, options.rounds)
    compare(library, "25 bytes, Arrow", strings, options.keys, 1.3, options.rounds)


if __name__ == "__main__":
    main()
