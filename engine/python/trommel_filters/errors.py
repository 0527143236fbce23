"""The exceptions of the package. All are subclasses of `Error` and of what Python itself would raise.

The messages name the value and the legal range.
"""


class Error(Exception):
    """What every exception of the package is. `code` is the name of the library's error code."""

    code = "invalid_argument"


class InvalidArgumentError(Error, ValueError):
    """A number or name is outside its legal range."""

    code = "invalid_argument"


class KeyTypeError(Error, TypeError):
    """An argument has a type that is not taken: a key that is a float, or None."""

    code = "invalid_argument"


class ClosedError(Error, ValueError):
    """The filter was closed, or given away to another object."""

    code = "invalid_argument"


class OutOfMemoryError(Error, MemoryError):
    """More memory is needed than the limit allows or the system grants."""

    code = "out_of_memory"


class MismatchError(Error, ValueError):
    """Two filters differ in a field that must agree, or a file is of another type."""

    code = "mismatch"


class CorruptError(Error, ValueError):
    """The bytes are not a complete, valid snapshot."""

    code = "corrupt"


class VersionError(Error, ValueError):
    """The snapshot has a format version that this package does not read."""

    code = "version"


class FileError(Error, OSError):
    """The operating system refused a file operation."""

    code = "io"


class ExistsError(FileError, FileExistsError):
    """A file that was to be new exists already."""

    code = "exists"


class NotFlushedError(FileError):
    """The file is in place, but its folder could not be flushed to disk."""

    code = "not_flushed"


class BusyError(Error, RuntimeError):
    """Something else is being done to it, which must end first."""

    code = "busy"
