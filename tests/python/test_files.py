"""Files, bytes, pickle and copies: what comes back is what went in."""

import copy
import os
import pickle

import pytest
import trommel_filters as trommel
from trommel_filters import errors


def test_what_is_saved_is_loaded(make, strings, tmp_path):
    keys = make()
    keys.update(strings)
    path = tmp_path / "keys.trommel"
    keys.save(path)
    for loaded in (
        type(keys).load(path),
        type(keys).load(os.fspath(path)),
        type(keys).load(os.fsencode(path)),
        type(keys).from_bytes(path.read_bytes()),
        type(keys).from_bytes(bytearray(path.read_bytes())),
        type(keys).from_bytes(memoryview(path.read_bytes())),
    ):
        assert type(loaded) is type(keys)
        assert loaded.query(strings).all()
        assert loaded.to_bytes() == keys.to_bytes() == path.read_bytes()


def test_pickle_and_copies_are_equal_and_apart(make, integers):
    keys = make()
    keys.update(integers)
    for same in (
        pickle.loads(pickle.dumps(keys)),
        pickle.loads(pickle.dumps(keys, protocol=2)),
        copy.copy(keys),
        copy.deepcopy({"nested": [keys]})["nested"][0],
    ):
        assert type(same) is type(keys)
        assert same.to_bytes() == keys.to_bytes()
        same.update(["another"])
        assert len(same) == len(keys) + 1


def test_load_finds_the_type(make, integers, tmp_path):
    keys = make()
    keys.update(integers)
    path = tmp_path / "keys.trommel"
    keys.save(path)
    expected = trommel.CountingFilter if type(keys) is trommel.ConcurrentFilter else type(keys)
    for loaded in (trommel.load(path), trommel.from_bytes(keys.to_bytes())):
        assert type(loaded) is expected
        assert loaded.to_bytes() == keys.to_bytes()


def test_an_existing_file_is_kept_on_request(tmp_path):
    path = tmp_path / "keys.trommel"
    trommel.CountingFilter(100).save(path)
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        trommel.CountingFilter(1_000).save(path, replace=False)
    assert path.read_bytes() == before
    trommel.CountingFilter(1_000).save(path)
    assert path.read_bytes() != before


@pytest.mark.parametrize("metadata", [b"", b"x", bytearray(b"made of logs"), bytes(65_536)])
def test_metadata_is_kept_beside_the_filter(tmp_path, metadata):
    path = tmp_path / "keys.trommel"
    keys = trommel.ScalableFilter()
    keys.update([1, 2])
    keys.save(path, metadata=metadata)
    assert trommel.load_metadata(path) == metadata
    assert trommel.load(path).to_bytes() == keys.to_bytes()


def test_metadata_that_cannot_be_kept_is_refused(tmp_path):
    path = tmp_path / "keys.trommel"
    keys = trommel.CountingFilter(100)
    with pytest.raises(ValueError, match="65,537 bytes"):
        keys.save(path, metadata=bytes(65_537))
    with pytest.raises(TypeError, match="metadata must be bytes"):
        keys.save(path, metadata="text")
    assert not path.exists()
    with pytest.raises(OSError):
        trommel.load_metadata(path)
    path.write_bytes(b"no filter")
    with pytest.raises(trommel.errors.CorruptError):
        trommel.load_metadata(path)


def test_a_concurrent_filter_is_saved_at_one_moment(tmp_path):
    keys = trommel.ConcurrentFilter(100)
    keys.update([1, 2])
    keys.save(tmp_path / "keys.trommel", point_in_time=True)
    assert trommel.load(tmp_path / "keys.trommel").query([1, 2]).all()


@pytest.mark.parametrize("path", ["", "no/such/folder/keys", "with\0zero"])
def test_a_path_that_cannot_be_used_is_an_exception(path):
    with pytest.raises((OSError, ValueError)):
        trommel.CountingFilter(100).save(path)
    with pytest.raises((OSError, ValueError)):
        trommel.load(path)


def test_a_path_has_to_be_a_path():
    for path in (None, 1, [], trommel.CountingFilter(10)):
        with pytest.raises(TypeError):
            trommel.load(path)


def test_damaged_bytes_are_refused_wherever_they_are_cut(make, integers):
    keys = make()
    keys.update(integers)
    data = keys.to_bytes()
    for size in (0, 1, 7, 8, 40, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(errors.Error):
            type(keys).from_bytes(data[:size])
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    with pytest.raises(errors.CorruptError):
        type(keys).from_bytes(flipped)
    with pytest.raises(errors.Error):
        keys.__class__.from_bytes(data + b"x")


def test_a_file_of_another_version_or_type_is_refused():
    data = bytearray(trommel.CountingFilter(100).to_bytes())
    with pytest.raises(errors.MismatchError, match="counting"):
        trommel.ScalableFilter.from_bytes(data)
    data[8:12] = (250).to_bytes(4, "little")  # the version: FORMAT.md, 2.1
    with pytest.raises(errors.VersionError, match="250"):
        trommel.CountingFilter.from_bytes(data)


def test_bytes_have_to_be_bytes():
    for data in (None, "text", 1, [1, 2]):
        with pytest.raises(TypeError):
            trommel.from_bytes(data)


def test_a_limit_of_memory_holds_for_files():
    data = trommel.CountingFilter(1_000_000).to_bytes()
    with pytest.raises(MemoryError):
        trommel.from_bytes(data, memory_limit_bytes=1_000)
