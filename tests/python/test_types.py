"""What each class does that the others do not. (Windows: test_windows.py.)"""

import gc
import weakref

import numpy as np
import pytest
import trommel_filters as trommel
from makers import MAKERS
from trommel_filters import errors


def test_sizes_are_predicted_and_met():
    sizing = trommel.size_for(1_000_000, 0.01)
    assert sizing.capacity == 1_000_000
    assert sizing.predicted_fpr <= 0.01
    assert 8 < sizing.bits_per_key < 30
    made = trommel.CountingFilter(1_000_000, 0.01)
    assert made.geometry == sizing.geometry
    assert made.geometry != trommel.size_for(2_000_000).geometry
    assert trommel.predicted_fpr(made.geometry, 1_000_000) == sizing.predicted_fpr
    assert trommel.capacity_for(made.geometry, 0.01) >= 1_000_000
    assert trommel.size_for(1_000, encoding="automatic", preference="speed").geometry.encoding == (
        "fingerprints16"
    )
    with pytest.raises(ValueError, match="num_keys"):
        trommel.predicted_fpr(made.geometry, -1)


@pytest.mark.parametrize("make", [trommel.CountingFilter, trommel.ConcurrentFilter, trommel.ScalableFilter])
def test_a_batch_is_erased_as_a_whole_or_not_at_all(make):
    keys = make(1_000, 0.0001)
    keys.update(["a", "b", "b"])
    outcome = keys.erase_all(["a", "b", "c"])
    assert outcome.num_erased == 0 and outcome.num_refused == 1
    assert keys.erase_all_mask(["b", "b", "b", "a"]).tolist() == [True, True, False, True]
    assert len(keys) == 3 and keys.stats().num_refused_erases == 2
    assert keys.erase_all_mask(["b", "a"]).tolist() == [True, True] and len(keys) == 1
    assert keys.erase_all(["b"]).num_erased == 1
    assert keys.erase_all([]).num_erased == 0


def test_counts_and_masks_of_a_multiset(make_multiset):
    keys = make_multiset(target_fpr=0.0001)
    outcome = keys.update([1, 2, 2, 3, 3, 3])
    assert outcome.num_inserted == 6 and outcome.num_refused == 0
    assert keys.count_estimates([1, 2, 3, 4]).tolist() == [1, 2, 3, 0]
    assert keys.erase([1, 4]) == keys.erase([2, 4])
    assert keys.erase_mask([3, 4]).tolist() == [True, False]
    assert not keys.erase(4)
    assert keys.count_estimates([1, 2, 3, 4]).tolist() == [0, 1, 2, 0]
    assert keys.stats().num_refused_erases == 4
    assert keys.insert_if_absent([3, 9, 9]).tolist() == [False, True, False]
    keys.clear()
    assert len(keys) == 0 and 3 not in keys


def _union(make, other_make):
    """Returns two filters, what they are together, and what has all their keys."""
    one, other, whole = make(), other_make(), make()
    for part in (one, whole):
        part.update(np.arange(100))
    for part in (other, whole):
        part.update(np.arange(50, 200))
    return one, other, one | other, whole


@pytest.mark.parametrize("name", MAKERS)
def test_a_union_is_a_new_filter_that_has_the_keys_of_both(name):
    others = {"concurrent": "counting"}
    one, other, union, whole = _union(MAKERS[name], MAKERS[others.get(name, name)])
    assert type(union) is type(one) and union == whole
    assert (len(one), len(other), len(union)) == (100, 150, 250)
    before = one
    one |= other
    assert one is before and one == whole
    if name not in others:
        assert len(other | other) == 300 and len(other) == 150
    union.clear()
    assert not union and one  # an empty filter is false, as an empty set is


def test_filters_of_other_types_have_no_union():
    concurrent = trommel.ConcurrentFilter(1_000)
    for one, other in (
        (trommel.CountingFilter(1_000), concurrent), (concurrent, concurrent), (concurrent, {1}),
        (trommel.ScalableFilter(), trommel.CountingFilter(1_000)),
    ):
        with pytest.raises(TypeError, match="unsupported operand"):
            one | other
        with pytest.raises(TypeError, match="unsupported operand"):
            one |= other


def test_a_limit_of_side_memory_holds_for_filters_that_grow():
    hot = np.repeat(np.arange(1_000), 6)
    keys = trommel.ScalableFilter(side_memory_limit_bytes=65_536)
    outcome = keys.update(hot)
    assert outcome.num_refused > 0 and "side memory" in outcome.refusal
    other = trommel.ScalableFilter()
    other.update(np.repeat(np.arange(1_000, 2_000), 6))
    before = keys.to_bytes()
    with pytest.raises(errors.OutOfMemoryError):
        keys |= other
    assert keys.to_bytes() == before
    keys.limit_side_memory(0)
    keys |= other
    with pytest.raises(errors.InvalidArgumentError, match="side_memory_limit_bytes"):
        keys.limit_side_memory(100)


def test_filters_of_equal_contents_are_equal_and_can_be_referred_to_weakly(make):
    one, other = make(), make()
    assert one == other and not one != other and one == one
    one.update([1, 2])
    assert one != other
    other.update([2])
    other.update([1])
    assert one == other
    assert one != 5 and one != trommel.ColumnMap(4, 100)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    refers = weakref.ref(one)
    assert refers() is one
    del one
    gc.collect()
    assert refers() is None
    other.close()
    with pytest.raises(errors.ClosedError):
        other == make()


def test_columns_and_attributes_are_equal_by_value():
    columns, others = trommel.ColumnMap(4, 100), trommel.ColumnMap(4, 100)
    columns.open_column(1)
    assert columns != others
    others.open_column(1)
    assert columns == others
    index, same = trommel.AttributeFilter(["a", "b"], 100), trommel.AttributeFilter(["a", "b"], 100)
    index.update({"a": [1], "b": [2]})
    assert index != same
    same.update({"a": [1], "b": [2]})
    assert index == same and weakref.ref(index)() is index


def test_a_filter_is_handed_over_without_a_copy():
    counting = trommel.CountingFilter(1_000)
    counting.update(["a"])
    concurrent = counting.to_concurrent()
    assert counting.closed
    assert type(concurrent) is trommel.ConcurrentFilter and "a" in concurrent
    back = concurrent.to_counting()
    assert concurrent.closed
    assert type(back) is trommel.CountingFilter and "a" in back
    with pytest.raises(errors.ClosedError):
        concurrent.to_counting()


def test_columns_answer_all_at_once():
    columns = trommel.ColumnMap(num_columns=100, capacity=100_000, target_fpr=0.0001)
    for column in (0, 63, 64, 99):
        columns.open_column(column)
        columns.update(column, np.arange(column, column + 10))
    assert columns.add(99, "name") and columns.insert_mask(99, [109, 110]).tolist() == [True] * 2
    assert columns.erase(99, [109, 110]).num_erased == 2
    answers = columns.query([0, 64, 99, 10**9])
    assert answers.shape == (4, 100) and answers.dtype == bool
    assert [np.flatnonzero(row).tolist() for row in answers] == [[0], [63, 64], [99], []]
    bits = columns.query_bits([64])
    assert bits.shape == (1, columns.row_words) and bits.dtype == np.uint64
    assert bits[0, 0] == 1 << 63 and bits[0, 1] == 1
    assert columns.may_contain(99, "name") and not columns.may_contain(0, "name")
    assert columns.erase(99, ["name", "name"]).num_erased == 1
    columns.open_column(2)
    data, empty = columns.columns_to_bytes([63, 2])
    assert empty != data and columns.columns_to_bytes(iter([2])) == [empty]
    columns.close_columns([63, 2])
    assert not columns.is_open(2) and not columns.is_open(63)
    columns.load_column(5, data)
    assert columns.query([63])[0, 5]
    assert columns.columns_to_bytes([5]) == [data]
    assert columns.num_keys(5) == 10
    assert columns.stats().num_pairs == 40 and columns.stats().num_refused_inserts == 0
    assert "pairs 40" in repr(columns)
    same = trommel.ColumnMap(
        100, 1, num_blocks=columns.num_blocks, fingerprint_bits=columns.fingerprint_bits
    )
    same.load_column(7, data)
    assert same.query(np.arange(63, 73))[:, 7].all()
    with pytest.raises(errors.MismatchError, match="num_blocks"):
        trommel.ColumnMap(100, 10_000_000).load_column(7, data)
    for call in (
        lambda: columns.update(100, [1]),
        lambda: columns.update(63, [1]),
        lambda: columns.erase(63, 1),
        lambda: columns.columns_to_bytes([5, 63]),
        lambda: columns.num_keys(63),
        lambda: columns.close_columns([5, 2**31]),
        lambda: columns.close_columns([5, 5]),
        lambda: columns.columns_to_bytes([5, 5]),
        lambda: columns.may_contain(-1, 1),
        lambda: columns.open_column(0),
    ):
        with pytest.raises(errors.InvalidArgumentError, match="column"):
            call()


TUPLES = {"user": [1, 2, 3], "page": ["a", "b", "a"], "day": np.array([5, 5, 6], dtype=np.int32)}


def _frames():
    yield TUPLES
    for module, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            yield getattr(__import__(module), make)(TUPLES)
        except ImportError:
            pass


@pytest.mark.parametrize("tuples", list(_frames()), ids=lambda tuples: type(tuples).__module__)
def test_attributes_are_queried_in_any_combination(tuples):
    index = trommel.AttributeFilter(["user", "page", "day"], 1_000, 0.0001)
    assert index.update(tuples).num_inserted == 3
    assert len(index) == 3 and index.attributes == ["user", "page", "day"]
    assert index.query(tuples).all()
    assert index.query({"page": ["a", "c"]}).tolist() == [True, False]
    assert index.query({"page": ["a", "b"], "day": [6, 6]}).tolist() == [True, False]
    assert index.query(tuples, on=["user"]).all()
    assert index.count_estimates({"page": ["a", "b", "c"]}).tolist() == [2, 1, 0]
    copied = trommel.from_bytes(index.to_bytes())
    assert copied.query(tuples).all()
    assert index.erase(tuples).num_erased == 3
    assert not index.query(tuples).any()
    assert copied.stats().num_tuples == 3


def test_any_name_is_that_of_an_attribute():
    names = ["column_names", "a\0b"]
    index = trommel.AttributeFilter(names, 1_000, 0.0001)
    index.update({"column_names": ["x"], "a\0b": [1]})
    assert index.query({"a\0b": [1, 2]}).tolist() == [True, False]
    pandas = pytest.importorskip("pandas")
    assert index.query(pandas.DataFrame({"column_names": ["x"], "a\0b": [1]})).all()


def test_a_limit_or_a_list_says_which_attributes_are_stored_together():
    names = [f"a{i}" for i in range(20)]
    tuples = {name: [i, i + 100] for i, name in enumerate(names)}
    limited = trommel.AttributeFilter(names, 100, max_together=2)
    assert len(limited.stats().sets) == 20 + 190
    listed = trommel.AttributeFilter(names, 100, kept=[names, ["a3"]])
    assert len(listed.stats().sets) == 2
    for index in (limited, listed):
        index.update(tuples)
        assert index.query(tuples).all()
        assert not index.query({"a3": [4, 999]}).any()
        copied = type(index).from_bytes(index.to_bytes())
        assert copied.query(tuples).all()
    assert listed.query({"a4": [0]}).all()  # of the list no set looks at a4
    for options, message in (
        ({}, "at most 6 together"),
        ({"max_together": 21}, "max_together is 21"),
        ({"kept": [["a0"]]}, "attribute 1 is in no listed set"),
        ({"kept": [[]]}, "a listed set is empty"),
        ({"kept": [names], "max_together": 2}, "a list says it all"),
        ({"kept": [["b"]]}, "no attribute is named"),
    ):
        with pytest.raises(ValueError, match=message):
            trommel.AttributeFilter(names, 100, **options)


def test_tuples_that_do_not_fit_are_refused():
    index = trommel.AttributeFilter(["user", "page"], 1_000, cuts=[["user", "page"]])
    for call, error, message in (
        (lambda: index.update({"user": [1]}), KeyError, "page"),
        (lambda: index.update({"user": [1], "page": []}), ValueError, "one length"),
        (lambda: index.query({"colour": [1]}), ValueError, "there are user, page"),
        (lambda: index.query([1, 2]), TypeError, "dict or a frame"),
        (lambda: index.query(None), TypeError, "dict or a frame"),
        (lambda: index.query(TUPLES, on="user"), TypeError, "list of names"),
        (lambda: index.query({"user": [1.5]}), TypeError, "float"),
        (lambda: trommel.AttributeFilter("user", 10), TypeError, "list of names"),
        (lambda: trommel.AttributeFilter([], 10), ValueError, "attributes"),
        (lambda: trommel.AttributeFilter(["a", "a"], 10), ValueError, "a"),
        (lambda: trommel.AttributeFilter(["a", "b"], 10, cuts=[["c"]]), ValueError, "c"),
        (lambda: trommel.AttributeFilter(["\ud800"], 10), UnicodeEncodeError, "surrogates"),
        (lambda: index.query({"\ud800": [1]}), UnicodeEncodeError, "surrogates"),
        (lambda: trommel.AttributeFilter([f"a{i}" for i in range(40)], 10), ValueError, "40"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_digests_are_those_of_the_filters():
    names = ["a", "b"]
    keys = trommel.CountingFilter(1_000, seed=7)
    keys.update(names)
    digests = trommel.digests(names, seed=7)
    assert digests.dtype == np.uint64
    assert keys.query(trommel.Digests(digests)).all()
    assert trommel.digests([b""], digest="xxh64")[0] == 0xEF46DB3751D8E999
