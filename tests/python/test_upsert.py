"""upsert: a filter in front of a table holds each key of the table once."""

import random

import numpy as np
import pytest
import trommel_filters as trommel
from trommel_filters import errors

# Small and far over their capacity, so that many keys look present.
MAKERS = {
    "counting": lambda: trommel.CountingFilter(50, 0.05),
    "dense": lambda: trommel.CountingFilter(50, 0.05, encoding="dense"),
    "concurrent": lambda: trommel.ConcurrentFilter(50, 0.05),
    "scalable": lambda: trommel.ScalableFilter(50, 0.05),
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_a_filter_holds_each_key_of_the_table_once(make):
    filter, table, draw = make(), set(), random.Random(1)
    num_shown = 0
    for _ in range(100):
        keys = [f"row {draw.randrange(400)}" for _ in range(draw.randrange(1, 40))]
        inserted, outcome = filter.upsert(keys, lambda asked: [i for i in asked if keys[i] in table])
        num_new = len(set(keys) - table)
        assert outcome.num_inserted == inserted.sum() == num_new
        num_shown += outcome.num_asked - outcome.num_existing
        table |= set(keys)
        assert len(filter) == len(table)
        assert filter.query(sorted(table)).all()
        gone = {key for key in (f"row {draw.randrange(400)}" for _ in range(15)) if key in table}
        if gone:
            assert filter.erase(sorted(gone)).num_refused == 0
        table -= gone
    if type(filter) is not trommel.ScalableFilter:  # while it is small it has no false positives
        assert num_shown > 0
    assert filter.erase(sorted(table)).num_refused == 0
    assert len(filter) == 0


def test_the_table_is_asked_once_about_keys_that_look_present():
    filter = trommel.CountingFilter(1_000, 0.001)
    filter.update([30, 40])
    keys = np.array([10, 20, 30, 40, 20])
    calls = []

    def exist(asked):
        calls.append(asked)
        return asked[np.isin(keys[asked], [30, 40])]

    inserted, outcome = filter.upsert(keys, exist)
    assert len(calls) == 1 and calls[0].dtype == np.uint32 and calls[0].tolist() == [2, 3]
    assert inserted.tolist() == [True, True, False, False, False]
    assert outcome.as_dict() == {
        "num_inserted": 2,
        "num_existing": 2,
        "num_repeated": 1,
        "num_asked": 2,
        "num_refused": 0,
        "refusal": "",
    }
    assert len(filter) == 4
    filter.upsert([50], calls.append)  # not called
    assert len(calls) == 1


@pytest.mark.parametrize(
    "returned, error, message",
    [
        ([0, 1], errors.InvalidArgumentError, "exist returned 0, which is not in asked"),
        ([2, 7], errors.InvalidArgumentError, "exist returned 7, which is not in asked"),
        ([-1], errors.InvalidArgumentError, "between 0 and"),
        ([2**40], errors.InvalidArgumentError, "between 0 and"),
        (np.array([True, True]), errors.KeyTypeError, "return asked"),
        ([True, False], errors.KeyTypeError, "must be an integer; got bool"),
        (np.array([2.0]), errors.KeyTypeError, "must be an integer; got float"),
        (["c"], errors.KeyTypeError, "must be an integer; got str"),
        (None, errors.KeyTypeError, "a list or an array of indices; got NoneType"),
    ],
)
def test_what_is_no_index_of_asked_is_refused_and_changes_nothing(returned, error, message):
    filter = trommel.CountingFilter(1_000, 0.001)
    filter.update([30, 40])
    before = filter.to_bytes()
    with pytest.raises(error, match=message):
        filter.upsert([10, 20, 30, 40], lambda asked: returned)
    assert filter.to_bytes() == before


def test_what_exist_raises_is_raised_and_changes_nothing(make):
    filter = make()
    filter.update(["a", "b"])

    def exist(asked):
        raise KeyError("the table is away")

    with pytest.raises(KeyError, match="the table is away"):
        filter.upsert(["x", "y", "a"], exist)
    assert len(filter) == 2
    assert filter.query(["a", "b"]).all()

    class Rows:
        def __iter__(self):
            raise KeyError("the rows are away")

    with pytest.raises(KeyError, match="the rows are away"):
        filter.upsert(["a"], lambda asked: Rows())
    with pytest.raises(errors.KeyTypeError, match="exist must be a function"):
        filter.upsert(["a"], ["a"])


def test_an_empty_answer_of_any_kind_means_that_none_exists():
    for nothing in ([], (), np.array([]), np.array([], dtype=np.uint32), set()):
        filter = trommel.CountingFilter(1_000, 0.001)
        filter.add("a")
        inserted, outcome = filter.upsert(["a"], lambda asked, nothing=nothing: nothing)
        assert inserted.tolist() == [True] and outcome.num_existing == 0


def test_exist_may_use_the_filter_but_not_close_it(make):
    filter = make()
    filter.update(["a", "b"])

    def exist(asked):
        assert "a" in filter and filter.query(["a", "b"]).all()
        filter.add("c")
        filter.erase("c")
        filter.to_bytes()
        with pytest.raises(errors.BusyError, match="cannot be closed"):
            filter.close()
        return asked

    inserted, outcome = filter.upsert(["a", "b"], exist)
    assert not inserted.any() and outcome.num_existing == 2
    filter.close()
    with pytest.raises(errors.ClosedError):
        filter.upsert(["a"], exist)


def test_the_callers_digests_are_keys_too():
    filter = trommel.ConcurrentFilter(1_000, digest="caller")
    digests = trommel.digests(np.arange(10))
    filter.upsert(trommel.Digests(digests[:5]), lambda asked: [])
    inserted, _ = filter.upsert(trommel.Digests(digests), lambda asked: asked)
    assert inserted.tolist() == [False] * 5 + [True] * 5
    with pytest.raises(errors.KeyTypeError):
        filter.upsert([1], lambda asked: [])
    with pytest.raises(errors.KeyTypeError, match="an array or a list"):
        filter.upsert("one", lambda asked: [])
