"""Deduplicates a stream of events that arrives as DataFrames, one batch after another.

A service delivers each event at least once, mostly within the hour. A window filter keeps the identity
of every event for that hour in a fixed amount of memory, and keeps the first copy of each. The price: a
new event is taken for a copy at the false-positive rate, here at most 1 in 1,000.

    python deduplicate_events.py

Runs with pandas, or with polars, whichever is installed.
"""

from __future__ import annotations

import numpy as np
from trommel_filters import WindowFilter

HOUR = 3600


class Deduplicator:
    """Keeps the first copy of each event."""

    def __init__(self, events_per_hour: int, rate: float = 0.001) -> None:
        self.seen = WindowFilter(
            window=HOUR, capacity=events_per_hour, target_fpr=rate, num_buckets=12, is_erasable=False
        )

    def first_copies(self, events, now: int):
        """Returns the rows of `events` whose `event_id` was not seen in the hour before `now`."""
        self.seen.advance(now)
        # The column goes to the filter as it is, whether it is of pandas, polars or pyarrow, and the
        # answer is an array of bool with an entry per row.
        is_first = self.seen.insert_if_absent(events["event_id"])
        return events[is_first] if hasattr(events, "iloc") else events.filter(is_first)


def stream(make_frame, num_batches: int, size: int, seed: int = 1):
    """Yields (time, frame) with about one row in five a copy of an event of the last batches."""
    random = np.random.default_rng(seed)
    next_id = 0
    for batch in range(num_batches):
        fresh = np.arange(next_id, next_id + size)
        is_copy = random.random(size) < 0.2
        numbers = np.where(is_copy, random.integers(max(0, next_id - 3 * size), next_id + 1, size), fresh)
        next_id += size
        yield 60 * batch, make_frame(
            {
                "event_id": [f"event-{number:012d}" for number in numbers],
                "amount": random.integers(1, 500, size),
            }
        )


def run(make_frame, num_batches: int = 20, size: int = 50_000) -> dict[str, int]:
    """Deduplicates a stream and compares the outcome with a set, which keeps every identity."""
    deduplicator = Deduplicator(events_per_hour=num_batches * size)
    exact: set[str] = set()
    rows = kept = wrongly_dropped = 0
    for time, events in stream(make_frame, num_batches, size):
        unique = deduplicator.first_copies(events, time)
        kept_ids = list(unique["event_id"])
        fresh = set(events["event_id"]) - exact
        assert set(kept_ids) <= fresh and len(set(kept_ids)) == len(kept_ids), "a copy passed"
        wrongly_dropped += len(fresh) - len(kept_ids)
        exact |= fresh
        rows += len(events)
        kept += len(kept_ids)
    return {
        "rows": rows,
        "kept": kept,
        "copies": rows - kept - wrongly_dropped,
        "wrongly_dropped": wrongly_dropped,
        "filter_bytes": deduplicator.seen.stats().num_bytes,
    }


def frames():
    """Returns the DataFrame classes that are installed."""
    found = []
    for module in ("pandas", "polars"):
        try:
            found.append(__import__(module).DataFrame)
        except ImportError:
            pass
    return found


def main() -> None:
    if not frames():
        raise SystemExit("install pandas or polars to run this example")
    for make_frame in frames():
        outcome = run(make_frame)
        print(make_frame.__module__.split(".")[0])
        for name, number in outcome.items():
            print(f"  {name:16} {number:>12,}")


if __name__ == "__main__":
    main()
