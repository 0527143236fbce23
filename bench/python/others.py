"""Trommel beside the Bloom filters that Python people use: 1 M strings, one by one and in batches.

    tools/test-python --bench -- -q    # installs rbloom and pybloom-live
    build/python/venv-*/bin/python bench/python/others.py [--keys N] [--rounds N]

Every filter is sized for N keys at 1 %. Rates are millions of keys per CPU second, medians of rounds in which
all filters take turns; the false-positive rate is measured with as many other keys. rbloom and pybloom
keep no counts: they cannot erase.
"""

import argparse
import statistics
import time

import pyarrow as pa
import trommel_filters as trommel

RATE = 0.01


def sides(count):
    """Yields (name, make, insert, contains, bytes) of each filter; insert and contains take a list."""

    def one_by_one(insert_name):
        def insert(keys, batch):
            call = getattr(keys, insert_name)
            for key in batch:
                call(key)

        def contains(keys, batch):
            return sum([key in keys for key in batch])

        return insert, contains

    for encoding in ("runs", "fingerprints16"):
        yield (
            f"trommel {encoding}, one by one",
            lambda encoding=encoding: trommel.CountingFilter(count, RATE, encoding=encoding),
            *one_by_one("add"),
            lambda keys: keys.stats().num_bytes,
        )
        for form in ("list of str", "Arrow"):
            yield (
                f"trommel {encoding}, {form}",
                lambda encoding=encoding: trommel.CountingFilter(count, RATE, encoding=encoding),
                lambda keys, batch: keys.update(batch),
                lambda keys, batch: int(keys.query(batch).sum()),
                lambda keys: keys.stats().num_bytes,
            )
    try:
        import rbloom

        yield (
            "rbloom, one by one",
            lambda: rbloom.Bloom(count, RATE),
            *one_by_one("add"),
            lambda keys: keys.size_in_bits // 8,
        )
        yield (
            "rbloom, update(list)",
            lambda: rbloom.Bloom(count, RATE),
            lambda keys, batch: keys.update(batch),
            one_by_one("add")[1],  # it has no batch of queries
            lambda keys: keys.size_in_bits // 8,
        )
    except ImportError:
        print("rbloom is not installed")
    try:
        import pybloom_live

        yield (
            "pybloom-live, one by one",
            lambda: pybloom_live.BloomFilter(count, RATE),
            *one_by_one("add"),
            lambda keys: keys.num_bits // 8,
        )
    except ImportError:
        print("pybloom-live is not installed")


def timed(work):
    start = time.thread_time()
    result = work()
    return time.thread_time() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    present = [f"user-{number:012d}" for number in range(options.keys)]
    absent = [f"other-{number:011d}" for number in range(options.keys)]
    arrow = {id(batch): pa.array(batch) for batch in (present, absent)}
    rows = {}
    for _ in range(options.rounds):
        for name, make, insert, contains, num_bytes in sides(options.keys):
            batches = [arrow[id(b)] if name.endswith("Arrow") else b for b in (present, absent)]
            keys = make()
            inserting, _ = timed(lambda: insert(keys, batches[0]))
            hits, num_hits = timed(lambda: contains(keys, batches[0]))
            misses, num_false = timed(lambda: contains(keys, batches[1]))
            assert num_hits == options.keys, name
            rows.setdefault(name, []).append((inserting, hits, misses, num_false, num_bytes(keys)))
    print(f"{'filter':38} insert  query: in  not in   MB per M keys   false positives")
    for name, figures in rows.items():
        inserting, hits, misses, num_false, num_bytes = (
            statistics.median(column) for column in zip(*figures)
        )
        scale = options.keys / 1e6
        print(
            f"{name:38} {scale / inserting:6.1f} {scale / hits:10.1f} {scale / misses:7.1f} "
            f"{num_bytes / options.keys:15.2f}   {100 * num_false / options.keys:.2f} %"
        )


if __name__ == "__main__":
    main()
