"""A key is the same key in every form in which it can be passed."""

import array

import numpy as np
import pytest
import trommel_filters as trommel


def _answers(inserted, queried):
    keys = trommel.CountingFilter(10_000, 0.0001)
    keys.update(inserted)
    return keys.query(queried)


INTEGER_FORMS = {
    "int64": lambda keys: np.array(keys, dtype=np.int64),
    "uint64": lambda keys: np.array(keys, dtype=np.int64).view(np.uint64),
    "int32": lambda keys: np.array(keys, dtype=np.int32),
    "int16": lambda keys: np.array(keys, dtype=np.int16),
    "int8": lambda keys: np.array(keys, dtype=np.int8),
    "strided": lambda keys: np.repeat(np.array(keys, dtype=np.int64), 3)[::3],
    "reversed": lambda keys: np.array(keys[::-1], dtype=np.int64)[::-1],
    "unaligned": lambda keys: np.frombuffer(
        b"x" + np.array(keys, dtype=np.int64).tobytes(), dtype=np.uint8
    )[1:].view(np.int64),
    "read-only": lambda keys: np.frombuffer(np.array(keys, dtype=np.int64).tobytes(), np.int64),
    "column of a matrix": lambda keys: np.array([keys, keys], dtype=np.int64).T[:, 0],
    "objects": lambda keys: np.array(keys, dtype=object),
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "numpy scalars": lambda keys: [np.int64(key) for key in keys],
    "array module": lambda keys: array.array("q", keys),
}


@pytest.mark.parametrize("form", INTEGER_FORMS)
def test_an_integer_is_one_key_whatever_its_type(form):
    keys = [-128, -1, 0, 1, 42, 127]
    assert _answers(INTEGER_FORMS[form](keys), keys).all()
    assert _answers(keys, INTEGER_FORMS[form](keys)).all()
    assert not _answers(keys, INTEGER_FORMS[form]([2, 3, 4])).any()


def test_unsigned_integers_are_widened_without_sign():
    for dtype in (np.uint8, np.uint16, np.uint32):
        largest = int(np.iinfo(dtype).max)
        assert _answers(np.array([largest], dtype=dtype), [largest]).all()
    assert _answers([2**64 - 1], np.array([2**64 - 1], dtype=np.uint64)).all()


STRING_FORMS = {
    "list of str": list,
    "list of bytes": lambda keys: [key.encode() for key in keys],
    "mixed list": lambda keys: [key.encode() if i % 2 else key for i, key in enumerate(keys)],
    "numpy str": lambda keys: np.array(keys),
    "numpy bytes": lambda keys: np.array([key.encode() for key in keys]),
    "numpy objects": lambda keys: np.array(keys, dtype=object),
    "dict keys": lambda keys: dict.fromkeys(keys).keys(),
}
STRINGS = ["a", "b\u00e4r", "a string that is longer than twelve bytes", "\u732b", "z"]


@pytest.mark.parametrize("form", STRING_FORMS)
def test_a_string_is_its_utf8_bytes(form):
    assert _answers(STRING_FORMS[form](STRINGS), STRINGS).all()
    assert _answers(STRINGS, STRING_FORMS[form](STRINGS)).all()
    assert not _answers(STRINGS, STRING_FORMS[form](["b", "c"])).any()


def test_single_keys_are_batches_of_one(make):
    keys = make()
    for key in (-5, 2**64 - 1, np.int32(7), "text", b"bytes", np.str_("numpy")):
        assert key not in keys
        assert not keys.query(key)
        keys.add(key)
        assert key in keys
        assert keys.count_estimates(key) == 1
        assert keys.query([key]).tolist() == [True]
    assert len(keys) == 6


def test_digests_and_32_bit_keys_are_keys_of_their_own():
    numbers = np.arange(1, 100, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    small = np.arange(1, 100, dtype=np.int32)
    assert _answers(trommel.Digests(numbers), trommel.Digests(numbers.view(np.int64))).all()
    assert not _answers(trommel.Digests(numbers), numbers).any()
    assert _answers(trommel.Int32(small), trommel.Int32(small.astype(np.uint32))).all()
    assert not _answers(trommel.Int32(small), small).any()
    with pytest.raises(trommel.Error, match="64 bits"):
        _answers(trommel.Digests(small), [])
    with pytest.raises(trommel.Error, match="32 bits"):
        _answers(trommel.Int32(numbers), [])


def test_empty_batches_are_batches(make):
    keys = make()
    for empty in ([], np.array([], dtype=np.int64), np.array([], dtype=str)):
        keys.update(empty)
        assert keys.query(empty).shape == (0,)
        assert keys.query(empty).dtype == bool
        assert keys.count_estimates(empty).dtype == np.uint64
        assert keys.select(empty).dtype == np.uint32
    assert len(keys) == 0


@pytest.mark.parametrize("size", [1, 7, 8, 9, 63, 64, 65, 1000])
def test_answers_have_one_entry_per_key(make, size):
    present = np.arange(size) % 3 == 0
    candidates = np.arange(size)
    keys = make(target_fpr=0.0001)
    keys.update(candidates[present])
    assert keys.query(candidates).tolist() == present.tolist()
    assert keys.select(candidates).tolist() == candidates[present].tolist()
    assert keys.select(candidates, present=False).tolist() == candidates[~present].tolist()
    assert keys.count_estimates(candidates).tolist() == present.astype(int).tolist()


def test_masked_elements_are_no_keys():
    keys = trommel.CountingFilter(100)
    numbers = np.ma.array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(ValueError, match="keys must not be masked"):
        keys.update(numbers)
    with pytest.raises(TypeError, match="NoneType at index 1"):
        keys.update(np.ma.array(["a", "b"], mask=[False, True]))
    keys.update(numbers.compressed())
    keys.update(np.ma.array([7, 8]))  # nothing is masked
    assert len(keys) == 4
    assert keys.query([1, 3, 7, 8]).all()


def test_an_array_is_not_copied_and_not_changed():
    numbers = np.arange(1_000)
    before = numbers.copy()
    keys = trommel.CountingFilter(1_000)
    keys.update(numbers)
    numbers.flags.writeable = False
    assert keys.query(numbers).all()
    assert (numbers == before).all()
