"""Events of a stream, each once in ten minutes: WindowFilter beside what one writes in Python.

    tools/test-python --bench -- -q    # installs rbloom
    build/python/venv-*/bin/python bench/python/ten_minutes.py [--per-second N] [--rounds N]

Each second brings a list of identities (str); one in five repeats an event of the last nine minutes. Every
way says which are new: CPU ns per event, after the window has filled, medians [min..max] of rounds in which
all ways take turns. In no second may more events pass than are new; those that a filter drops are counted.
"""

import argparse
import collections
import random
import statistics
import time

import numpy as np
import trommel_filters as trommel

try:
    import rbloom
except ImportError:
    rbloom = None

WINDOW, BUCKETS, RATE = 600, 10, 0.001


class OneSet:
    """A set, and the keys of each second in a queue: exact."""

    def __init__(self, per_second):
        self.seen, self.seconds = set(), collections.deque()

    def first(self, now, events):
        while self.seconds and self.seconds[0][0] <= now - WINDOW:
            self.seen.difference_update(self.seconds.popleft()[1])
        new = []
        for event in events:
            if event not in self.seen:
                self.seen.add(event)
                new.append(event)
        self.seconds.append((now, new))
        return len(new)


class Rotating:
    """A set or a Bloom filter for each minute; the oldest is dropped."""

    def __init__(self, make):
        self.make, self.buckets = make, collections.deque([make()])

    def first(self, now, events):
        if now % (WINDOW // BUCKETS) == 0:
            self.buckets.appendleft(self.make())
            if len(self.buckets) > BUCKETS + 1:
                self.buckets.pop()
        buckets, count = list(self.buckets), 0
        for event in events:
            for bucket in buckets:  # any() and a generator take half as long again
                if event in bucket:
                    break
            else:
                buckets[0].add(event)
                count += 1
        return count


class Window:
    def __init__(self, per_second, convert=list):
        self.convert = convert
        self.seen = trommel.WindowFilter(
            window=WINDOW,
            capacity=per_second * (WINDOW + WINDOW // BUCKETS),
            target_fpr=RATE,
            num_buckets=BUCKETS,
            is_erasable=False,
        )

    def first(self, now, events):
        self.seen.advance(now)
        return int(self.seen.insert_if_absent(self.convert(events)).sum())


class OneByOne(Window):
    def first(self, now, events):
        self.seen.advance(now)
        insert = self.seen.insert_if_absent
        return sum([insert(event) for event in events])


def ways(per_second):
    """Yields (name, make, form of the events)."""
    yield "WindowFilter, NumPy int64", lambda: Window(per_second, np.asarray), "int"
    yield "WindowFilter, lists of str", lambda: Window(per_second), "str"
    yield "WindowFilter, one by one", lambda: OneByOne(per_second), "str"
    yield "one set and a queue", lambda: OneSet(per_second), "str"
    yield "a set per minute", lambda: Rotating(set), "str"
    if rbloom is not None:
        # The rate is shared by the filters that a query asks.
        per_bucket, rate = per_second * WINDOW // BUCKETS, RATE / (BUCKETS + 1)
        yield "an rbloom.Bloom per minute", lambda: Rotating(lambda: rbloom.Bloom(per_bucket, rate)), "str"


def stream(per_second, seconds):
    """Returns (events as str, as int64, how many are new) of each second, and how many are new in all."""
    draw, newest, batches = random.Random(1), 0, []
    for second in range(seconds):
        numbers, before = [], newest
        for _ in range(per_second):
            if second > 0 and draw.random() < 0.2:
                numbers.append(newest - draw.randrange(min(newest, 540 * per_second * 4 // 5)))
            else:
                newest += 1
                numbers.append(newest)
        events = [f"event-{number:012d}" for number in numbers]
        batches.append((events, np.array(numbers, dtype=np.int64), newest - before))
    return batches, newest


def measure(per_second, rounds):
    """Returns the ns per event of each way and round, and which share of the new events it dropped.

    Fails if a repeat has passed, or more new events were dropped than a filter may.
    """
    seconds = 2 * WINDOW
    batches, num_new = stream(per_second, seconds)
    times, dropped = {}, {}
    for _ in range(rounds):
        for name, make, form in ways(per_second):
            way, passed, new, spent = make(), 0, 0, 0.0
            for second, (strings, numbers, num_new_now) in enumerate(batches):
                events = numbers if form == "int" else strings
                start = time.thread_time()
                count = way.first(second, events)
                if second >= WINDOW:
                    spent += time.thread_time() - start
                passed, new = passed + count, new + num_new_now
                # In one second more may pass than are new: what a filter dropped is new at its repetition.
                assert passed <= new, f"{name}: {passed:,} passed by second {second}, {new:,} were new"
            times.setdefault(name, []).append(spent * 1e9 / (per_second * (seconds - WINDOW)))
            dropped[name] = 1 - passed / num_new
            assert 0 <= dropped[name] <= 2 * RATE, f"{name}: {passed:,} passed, {num_new:,} were new"
    return times, dropped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--per-second", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    times, dropped = measure(options.per_second, options.rounds)
    print(f"{options.per_second:,} events per second, {options.rounds} rounds")
    print(f"{'':27} {'ns per event':>22} {'/ lists of str':>22} {'new ones dropped':>17}")
    base = times["WindowFilter, lists of str"]
    for name, ns in times.items():
        ratios = [over / under for over, under in zip(ns, base)]
        print(f"{name:27} {spread(ns, 0):>22} {spread(ratios, 2):>22} {100 * dropped[name]:15.3f} %")


def spread(figures, digits):
    return (
        f"{statistics.median(figures):.{digits}f} [{min(figures):.{digits}f}..{max(figures):.{digits}f}]"
    )


if __name__ == "__main__":
    main()
