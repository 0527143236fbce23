"""Keys through the Arrow C data interface, from the libraries that are installed."""

import datetime
import re

import numpy as np
import pytest
import trommel_filters as trommel

STRINGS = ["a", "b\u00e4r", "", "a string that is longer than twelve bytes", "\u732b"]
ABSENT = ["b", "ab", "\u72ac"]


def _matches(present, absent):
    keys = trommel.CountingFilter(10_000, 0.0001)
    keys.update(STRINGS)
    assert keys.query(present).all()
    assert not keys.query(absent).any()
    again = trommel.CountingFilter(10_000, 0.0001)
    again.update(present)
    assert again.to_bytes() == keys.to_bytes()


PYARROW_STRINGS = {
    "string": lambda pa, keys: pa.array(keys, pa.string()),
    "large_string": lambda pa, keys: pa.array(keys, pa.large_string()),
    "string_view": lambda pa, keys: pa.array(keys, pa.string_view()),
    "binary": lambda pa, keys: pa.array([key.encode() for key in keys], pa.binary()),
    "large_binary": lambda pa, keys: pa.array([key.encode() for key in keys], pa.large_binary()),
    "binary_view": lambda pa, keys: pa.array([key.encode() for key in keys], pa.binary_view()),
    "dictionary": lambda pa, keys: pa.array(keys).dictionary_encode(),
    "sliced": lambda pa, keys: pa.array(["x", "y", *keys, "z"])[2:-1],
    "sliced views": lambda pa, keys: pa.array(["x", *keys, "z"], pa.string_view())[1:-1],
    "chunked": lambda pa, keys: pa.chunked_array([keys[:1], [], keys[1:]], pa.string()),
    "chunked dictionary": lambda pa, keys: pa.chunked_array(
        [pa.array(keys[:1]).dictionary_encode(), pa.array(keys[1:]).dictionary_encode()]
    ),
    "column of a table": lambda pa, keys: pa.table({"key": keys})["key"],
}


@pytest.mark.parametrize("form", PYARROW_STRINGS)
def test_arrow_strings_of_every_layout_are_keys(form):
    pa = pytest.importorskip("pyarrow")
    _matches(PYARROW_STRINGS[form](pa, STRINGS), PYARROW_STRINGS[form](pa, ABSENT))


@pytest.mark.parametrize(
    "name", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_arrow_integers_of_every_width_are_keys(name):
    pa = pytest.importorskip("pyarrow")
    numbers = [0, 1, 100] if name.startswith("u") else [-128, 0, 1, 100]
    keys = trommel.CountingFilter(1_000, 0.0001)
    keys.update(pa.array(numbers, getattr(pa, name)()))
    assert keys.query(numbers).all()
    assert keys.query(pa.array([7, *numbers], getattr(pa, name)())[1:]).all()
    assert keys.query(pa.chunked_array([numbers, numbers], getattr(pa, name)())).all()
    assert len(keys) == len(numbers)


def test_fixed_size_binary_is_bytes():
    pa = pytest.importorskip("pyarrow")
    keys = trommel.CountingFilter(1_000)
    keys.update(pa.array([b"xx", b"ab", b"cd"], pa.binary(2))[1:])
    assert keys.query([b"ab", "cd"]).all()
    assert b"xx" not in keys


def test_digests_come_from_arrow_too():
    pa = pytest.importorskip("pyarrow")
    numbers = np.random.default_rng(2).integers(0, 2**64, 100, dtype=np.uint64)
    keys = trommel.CountingFilter(1_000)
    keys.update(trommel.Digests(pa.array(numbers)))
    assert keys.query(trommel.Digests(numbers)).all()


def test_nulls_are_refused_with_their_number():
    pa = pytest.importorskip("pyarrow")
    keys = trommel.CountingFilter(100)
    for nulls in (
        pa.array(["a", None, None]),
        pa.array([1, None, None]),
        pa.array(["a", None, None]).dictionary_encode(),
        pa.chunked_array([["a", None], [None]]),
    ):
        with pytest.raises(
            ValueError, match=r"must not be null.*of 3 has nulls \(2\), the first at index 1:"
        ):
            keys.update(nulls)
    second_chunk = pa.chunked_array([["a", "b"], ["c", None]])
    with pytest.raises(ValueError, match=r"of 4 has nulls \(1\), the first at index 3:"):
        keys.update(second_chunk)
    values = pa.array(["a", None])
    with pytest.raises(ValueError, match=r"of 2 has nulls \(1\) in its dictionary:"):
        keys.update(pa.DictionaryArray.from_arrays(pa.array([0, 0]), values))
    keys.update(pa.array([None, "a"])[1:])  # the null is not in the slice
    assert len(keys) == 1


def test_integers_that_are_not_aligned_are_copied():
    pa = pytest.importorskip("pyarrow")
    numbers = np.arange(1_000, dtype=np.int64)
    buffer = pa.py_buffer(b"x" + numbers.tobytes()).slice(1)
    keys = trommel.CountingFilter(1_000)
    keys.update(pa.Array.from_buffers(pa.int64(), 1_000, [None, buffer]))
    assert keys.query(numbers).all()


def test_views_outside_of_their_buffers_are_refused():
    pa = pytest.importorskip("pyarrow")
    good = pa.array(["a string that is longer than twelve bytes"], pa.string_view())
    _, views, data = good.buffers()
    keys = trommel.CountingFilter(100)
    for number, value in ((0, -1), (0, data.size + 1), (2, 1), (2, -1), (3, 1), (3, -1)):
        fields = np.frombuffer(views.to_pybytes()[:16], np.int32).copy()
        fields[number] = value
        view = pa.py_buffer(fields.tobytes())
        with pytest.raises(ValueError, match="damaged: a view lies outside of its buffer"):
            keys.update(pa.Array.from_buffers(pa.string_view(), 1, [None, view, data]))
    keys.update(good)


def test_other_arrow_types_are_refused_by_their_names():
    pa = pytest.importorskip("pyarrow")
    keys = trommel.CountingFilter(100)
    for array, name in (
        (pa.array([1.5]), "double"),
        (pa.array([True]), "bool"),
        (pa.array([None]), "null"),
        (pa.array([[1]]), "list<int64>"),
        (pa.array([[[b"x"]]], pa.large_list(pa.list_(pa.binary(), 1))), "large_list<fixed_size_list<binary>>"),
        (pa.array([{"a": 1}]), "struct"),
        (pa.array([[(1, 2)]], pa.map_(pa.int8(), pa.int8())), "map"),
        (pa.array([1.5]).dictionary_encode(), "dictionary<double>"),
        (pa.array([1], pa.decimal128(5)), "decimal"),
        (pa.RunEndEncodedArray.from_arrays([1], ["a"]), "run_end_encoded<string>"),
        (pa.array([datetime.date(2024, 1, 1)]), "date32: cast it to int64"),
        (pa.array([1], pa.timestamp("us")), "timestamp[us]: cast it to int64"),
        (pa.array([1], pa.timestamp("ns", "UTC")), "timestamp[ns, tz]: cast it to int64"),
    ):
        message = f"keys must be integers, strings or bytes; got an Arrow array of {name}"
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            keys.update(array)


def test_a_stream_that_fails_is_an_exception():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("no stream today")

    class NoCapsule:
        def __arrow_c_array__(self, requested_schema=None):
            return 1, 2

    keys = trommel.CountingFilter(100)
    with pytest.raises(RuntimeError, match="no stream today"):
        keys.update(Broken())
    with pytest.raises(ValueError):
        keys.update(NoCapsule())


def test_a_series_of_polars_is_keys():
    pl = pytest.importorskip("polars")
    _matches(pl.Series(STRINGS), pl.Series(ABSENT))
    _matches(pl.Series(STRINGS, dtype=pl.Categorical), pl.Series(ABSENT))
    keys = trommel.CountingFilter(1_000, 0.0001)
    keys.update(pl.Series([1, 2, 3], dtype=pl.Int32))
    assert keys.query(pl.Series([1, 2, 3, 4])).tolist() == [True, True, True, False]
    with pytest.raises(ValueError, match="null"):
        keys.query(pl.Series(["a", None]))


def test_a_series_of_pandas_is_keys():
    pd = pytest.importorskip("pandas")
    _matches(pd.Series(STRINGS), pd.Series(ABSENT))
    _matches(pd.Series(STRINGS, dtype=object), pd.Series(ABSENT, dtype=object))
    _matches(pd.Series(STRINGS).astype("category"), pd.Series(ABSENT).astype("category"))
    _matches(pd.Index(STRINGS), pd.Index(ABSENT))
    keys = trommel.CountingFilter(1_000, 0.0001)
    keys.update(pd.Series([1, 2, 3], dtype="int16"))
    keys.update(pd.Series([4], dtype="Int64"))
    assert keys.query(pd.Series([1, 2, 3, 4, 5])).tolist() == [True, True, True, True, False]
    with pytest.raises(TypeError, match="float64"):
        keys.query(pd.Series([1, None]))
    with pytest.raises(ValueError, match="null"):
        keys.query(pd.Series([1, None], dtype="Int64"))
