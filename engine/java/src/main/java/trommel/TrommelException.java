package trommel;

/**
 * A call that failed, with the library's message. What is wrong with an argument is an
 * {@link IllegalArgumentException} instead, a call after close an {@link IllegalStateException}, and
 * an operation that filters of a type do not have an {@link UnsupportedOperationException}.
 */
public final class TrommelException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why a call failed. */
  public enum Code { // in the order of TROMMEL_*, from 2 on
    /** More memory is needed than a limit or the system grants. */
    OUT_OF_MEMORY,
    /** Two filters, or a file and a filter, do not fit together. */
    MISMATCH,
    /** The bytes are not a complete, valid snapshot. */
    CORRUPT,
    /** The snapshot has a version or type that is not known here. */
    VERSION,
    /** A file operation was refused. */
    IO,
    /** A file that was to be new exists already. */
    EXISTS,
    /** The file is in place, but its folder could not be flushed. */
    NOT_FLUSHED,
    /** Something else is being done to it, which must end first. */
    BUSY,
    /** An error that the library should have prevented. */
    INTERNAL
  }

  private static final Code[] CODES = {
    null, null, Code.OUT_OF_MEMORY, Code.MISMATCH, Code.CORRUPT, Code.VERSION, Code.IO, Code.EXISTS,
    Code.NOT_FLUSHED, Code.BUSY
  };

  private final Code code;

  private TrommelException(Code code, String message) {
    super(message);
    this.code = code;
  }

  /** Returns why the call failed. */
  public Code code() {
    return code;
  }

  /** Returns what to throw for a TROMMEL_* code. */
  static RuntimeException of(int code, String message) {
    if (code == 1) return new IllegalArgumentException(message);
    if (code == 10) return new UnsupportedOperationException(message);
    return new TrommelException(code < CODES.length ? CODES[code] : Code.INTERNAL, message);
  }
}
