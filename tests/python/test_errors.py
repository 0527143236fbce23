"""What is wrong is an exception with the library's message, and never ends the process."""

import copy
import pickle

import numpy as np
import pytest
import trommel_filters as trommel
from trommel_filters import errors


def test_every_error_is_an_error_of_the_package_and_of_python():
    parents = {
        errors.InvalidArgumentError: ValueError,
        errors.KeyTypeError: TypeError,
        errors.ClosedError: ValueError,
        errors.OutOfMemoryError: MemoryError,
        errors.MismatchError: ValueError,
        errors.CorruptError: ValueError,
        errors.VersionError: ValueError,
        errors.FileError: OSError,
        errors.ExistsError: FileExistsError,
        errors.BusyError: RuntimeError,
    }
    for error, parent in parents.items():
        assert issubclass(error, trommel.Error)
        assert issubclass(error, parent)


BAD_BATCHES = {
    "None": (None, TypeError, "NoneType"),
    "a float": (1.5, TypeError, "float"),
    "floats": (np.array([1.5]), TypeError, "float64"),
    "booleans": (np.array([True]), TypeError, "bool"),
    "complex numbers": (np.array([1j]), TypeError, "complex128"),
    "times": (np.array(["2024-01-01"], dtype="datetime64[s]"), TypeError, "view"),
    "records": (np.array([(1, 2)], dtype="i4,i4"), TypeError, "array of"),
    "foreign byte order": (np.array([1], dtype=">i8"), TypeError, "byte order"),
    "a matrix": (np.zeros((2, 2), dtype=np.int64), ValueError, "one dimension"),
    "a matrix of str": (np.array([["a"]]), ValueError, "one dimension"),
    "a scalar array": (np.array(1), ValueError, "one dimension"),
    "a list of floats": ([1.0], TypeError, "float at index 0"),
    "a list with None": (["a", "b", None], TypeError, "NoneType at index 2"),
    "integers, then str": ([1, "a"], TypeError, "all integers or all str.*index 1"),
    "str, then integers": (["a", 1], TypeError, "all integers or all str.*index 1"),
    "a list of lists": ([[1]], TypeError, "list at index 0"),
    "a list of bool": ([True], TypeError, "bool at index 0"),
    "an integer too large": ([2**64], ValueError, "2\\^64 - 1; got 18446744073709551616"),
    "an integer too small": ([-(2**63) - 1], ValueError, "between -2\\^63"),
    "a lone surrogate": (["\ud800"], UnicodeEncodeError, "surrogates"),
    "bytearray": (bytearray(b"ab"), TypeError, "ambiguous"),
    "an object": (object(), TypeError, "object"),
}


@pytest.mark.parametrize("name", BAD_BATCHES)
def test_a_bad_batch_is_refused_and_changes_nothing(make, name):
    batch, error, message = BAD_BATCHES[name]
    keys = make()
    empty = keys.to_bytes()
    for call in (keys.update, keys.query, keys.insert_if_absent, keys.count_estimates, keys.select):
        with pytest.raises(error, match=message):
            call(batch)
    assert keys.to_bytes() == empty


@pytest.mark.parametrize("raised", [ConnectionError, KeyboardInterrupt])
def test_what_the_iteration_of_keys_raises_is_raised(make, raised):
    class Keys:
        def __iter__(self):
            raise raised

    def generated():
        yield "a"
        raise raised

    keys = make()
    for batch in (Keys(), generated()):
        with pytest.raises(raised):
            keys.update(batch)
    assert len(keys) == 0


@pytest.mark.parametrize("key", [None, 1.5, True, 2**64, bytearray(b"x"), [1], np.array([1])])
def test_a_bad_single_key_is_refused(make, key):
    keys = make()
    with pytest.raises((TypeError, ValueError)):
        key in keys  # noqa: B015
    with pytest.raises(trommel.Error):
        keys.add(key)


def test_a_key_and_a_batch_are_not_mistaken_for_each_other(make):
    keys = make()
    for key in ("key", b"key", 7, np.int64(7)):
        with pytest.raises(TypeError, match=r"a list; got \w+: pass \[key\] for a batch of one"):
            keys.update(key)
    with pytest.raises(TypeError, match="got list: update takes a batch"):
        keys.add(["key"])
    assert len(keys) == 0


BAD_OPTIONS = [
    ({"capacity": -1}, ValueError, "capacity must be between 0 and .*; got -1"),
    ({"capacity": 0}, ValueError, "capacity"),
    ({"capacity": 2**70}, ValueError, "capacity"),
    ({"capacity": 1.5}, TypeError, "capacity must be an integer; got float"),
    ({"capacity": None}, TypeError, "capacity must be an integer; got NoneType"),
    ({"capacity": 10, "target_fpr": float("nan")}, ValueError, "target_fpr is nan"),
    ({"capacity": 10, "target_fpr": 0}, ValueError, "target_fpr"),
    ({"capacity": 10, "target_fpr": "x"}, TypeError, "target_fpr must be a number"),
    ({"capacity": 10, "encoding": "bits"}, ValueError, '"runs", "planes"'),
    ({"capacity": 10, "preference": "speed"}, ValueError, 'given as "runs": .*"automatic"'),
    ({"capacity": 10, "encoding": "automatic", "preference": "x"}, ValueError, '"memory", "speed"'),
    ({"capacity": 10, "digest": None}, ValueError, '"xxh3", "xxh64"'),
    ({"capacity": 10, "seed": -1}, ValueError, "seed"),
    ({"capacity": 10, "num_slices": 7}, ValueError, "num_slices"),
    ({"capacity": 10, "num_slices": 2**40}, ValueError, "num_slices"),
    ({"capacity": 10, "digest": "siphash"}, ValueError, "digest_key"),
    ({"capacity": 10, "digest": "siphash", "digest_key": b"short"}, ValueError, "16 bytes"),
    ({"capacity": 10, "digest_key": bytes(16)}, ValueError, "siphash"),
    ({"capacity": 10, "power_of_two_blocks": 1}, TypeError, "True or False"),
    ({"capacity": 10, "executor": 4}, TypeError, "trommel_filters.Executor"),
    ({"capacity": 10**9, "memory_limit_bytes": 1_000}, MemoryError, "memory"),
    ({"capacity": 10, "encoding": "\ud800"}, UnicodeEncodeError, "surrogates"),
    ({"capacity": 10, "colour": "red"}, TypeError, "colour|incompatible"),
]


@pytest.mark.parametrize("options,error,message", BAD_OPTIONS)
@pytest.mark.parametrize("cls", [trommel.CountingFilter, trommel.ConcurrentFilter])
def test_bad_options_are_refused_by_name(cls, options, error, message):
    with pytest.raises(error, match=message):
        cls(**options)


def test_a_closed_filter_says_so(make):
    keys = make()
    keys.update([1])
    keys.close()
    keys.close()
    assert keys.closed
    assert "closed" in repr(keys)
    assert "closed" in keys._repr_html_()
    for call in (
        lambda: keys.update([1]),
        lambda: keys.add(1),
        lambda: 1 in keys,
        lambda: keys.query([1]),
        lambda: len(keys),
        lambda: keys.stats(),
        lambda: keys.clear(),
        lambda: keys.to_bytes(),
        lambda: pickle.dumps(keys),
        lambda: copy.copy(keys),
    ):
        with pytest.raises(errors.ClosedError, match="closed"):
            call()


@pytest.mark.filterwarnings("ignore:nanobind")
@pytest.mark.parametrize("call", [lambda keys: keys.update([1]), lambda keys: 1 in keys, repr])
def test_a_filter_without_its_init_is_an_exception(call):
    with pytest.raises(TypeError):
        call(trommel.CountingFilter.__new__(trommel.CountingFilter))


def test_a_second_init_is_refused():
    keys = trommel.CountingFilter(100)
    keys.update([1, 2])
    with pytest.warns(RuntimeWarning), pytest.raises(TypeError):
        keys.__init__(1_000)
    assert keys.query([1, 2]).all()


def test_filters_that_do_not_match_are_not_merged():
    small, large = trommel.CountingFilter(100), trommel.CountingFilter(100_000)
    with pytest.raises(errors.MismatchError, match="num_blocks|num_slices"):
        small |= large
    with pytest.raises(errors.MismatchError, match="seed"):
        small |= trommel.CountingFilter(100, seed=1)
    with pytest.raises(errors.MismatchError, match="seed"):
        small | trommel.CountingFilter(100, seed=1)
    with pytest.raises(ValueError, match="itself"):
        small |= small
    with pytest.raises(ValueError, match="cannot subtract"):
        other = trommel.CountingFilter(100)
        other.update([1])
        small.subtract(other)
    with pytest.raises(TypeError):
        small |= None
    with pytest.raises(TypeError):
        small |= trommel.ScalableFilter(100)


def test_secret_keys_are_needed_to_hash_and_not_stored():
    secret = bytes(range(16))
    keys = trommel.CountingFilter(100, digest="siphash", digest_key=secret)
    keys.update(["a"])
    assert secret not in keys.to_bytes()
    assert "a" in copy.deepcopy(keys)
    keyless = pickle.loads(pickle.dumps(keys))
    for call in (lambda: keyless.update(["b"]), lambda: "a" in keyless, lambda: keyless.query([1])):
        with pytest.raises(ValueError, match="digest_key"):
            call()
    assert keyless.query(trommel.Digests(np.array([1], dtype=np.uint64))).shape == (1,)
    assert "a" in trommel.CountingFilter.from_bytes(keys.to_bytes(), digest_key=secret)
    with pytest.raises(ValueError):
        trommel.CountingFilter.from_bytes(keys.to_bytes(), digest_key=bytes(16))


def test_a_filter_of_the_callers_digests_takes_nothing_else():
    keys = trommel.CountingFilter(100, digest="caller")
    with pytest.raises(TypeError, match="Digests"):
        keys.update(["a"])
    with pytest.raises(TypeError, match="Digests"):
        "a" in keys  # noqa: B015
    keys.update(trommel.Digests(np.array([2**63 + 12345], dtype=np.uint64)))
    assert len(keys) == 1
