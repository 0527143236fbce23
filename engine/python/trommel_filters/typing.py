"""Types of arguments, for annotations. Nothing here is needed at run time."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping

Key = typing.Union[int, str, bytes]
"""One key. An int is the same key as an element of an integer array, a str the same key as its UTF-8
bytes."""

if typing.TYPE_CHECKING:
    import numpy
    import numpy.typing

    from trommel_filters import Digests, Int32

    Keys = typing.Union[
        numpy.typing.NDArray[numpy.integer],
        # One Iterable for keys and columns: of two, checkers take the wrong one for a list.
        Iterable[typing.Union[Key, numpy.typing.NDArray[typing.Any], "ArrowArray", "ArrowStream"]],
        "ArrowArray",
        "ArrowStream",
        Digests,
        Int32,
    ]
    """A batch of keys: an array of integers of one dimension, an Arrow array of integers, strings or
    bytes (pyarrow, polars, ...), a list of ints, or a list of str and bytes. A table or frame, and a
    list of arrays, is a batch of keys of several columns: a key per row."""
else:
    Keys = typing.Any

Encoding = typing.Literal["runs", "planes", "fingerprints16", "dense", "automatic"]
Preference = typing.Literal["memory", "speed", "headroom", "parquet"]
Digest = typing.Literal["xxh3", "xxh64", "siphash", "caller"]
Tuples = Mapping[str, typing.Any]
"""Tuples as one column of keys per attribute: a dict, or a frame of pandas, polars or pyarrow."""


class ArrowArray(typing.Protocol):
    """What exports one Arrow array through the C data interface."""

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...


class ArrowStream(typing.Protocol):
    """What exports chunks of Arrow arrays through the C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
