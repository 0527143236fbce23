"""Counting filters at the speed of plain Bloom filters: approximate multisets of keys.

False is certain; True, maybe present, is wrong for a key that was never inserted at the filter's
false-positive rate. Batches of keys are NumPy arrays of integers, Arrow arrays of strings (of any
library), or lists; answers are NumPy arrays. Batches release the GIL.

    >>> from trommel_filters import CountingFilter
    >>> seen = CountingFilter(1_000_000)
    >>> seen.add("a")
    True
    >>> seen.update(["b", "b"])
    InsertOutcome(num_inserted=2, num_refused=0, refusal='')
    >>> "a" in seen, len(seen)
    (True, 3)
    >>> seen.insert_if_absent(["b", "c", "c"])
    array([False,  True, False])
"""

from . import errors, typing
from ._core import (
    AttributeFilter,
    ColumnMap,
    ConcurrentFilter,
    CountingFilter,
    Digests,
    EraseOutcome,
    Executor,
    Geometry,
    InsertOutcome,
    Int32,
    ScalableFilter,
    Sizing,
    UpsertOutcome,
    WindowFilter,
    active_target,
    capacity_for,
    digests,
    from_bytes,
    load,
    load_metadata,
    metadata_of,
    predicted_fpr,
    runnable_targets,
    size_for,
    type_of,
    version,
)
from .errors import Error

__version__: str = version()

__all__ = [
    "AttributeFilter",
    "ColumnMap",
    "ConcurrentFilter",
    "CountingFilter",
    "Digests",
    "EraseOutcome",
    "Error",
    "Executor",
    "Geometry",
    "InsertOutcome",
    "Int32",
    "ScalableFilter",
    "Sizing",
    "UpsertOutcome",
    "WindowFilter",
    "__version__",
    "active_target",
    "capacity_for",
    "digests",
    "errors",
    "from_bytes",
    "load",
    "load_metadata",
    "metadata_of",
    "predicted_fpr",
    "runnable_targets",
    "size_for",
    "type_of",
    "typing",
    "version",
]
