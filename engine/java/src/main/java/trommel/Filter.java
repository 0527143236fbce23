package trommel;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Objects;

/**
 * A filter that holds keys: {@link CountingFilter}, {@link ConcurrentFilter}, {@link ScalableFilter}
 * or {@link WindowFilter}. It answers "certainly absent", or "maybe present", which is wrong for keys
 * that it does not hold at a rate that its maker chose. Filters are multisets: a key that is inserted
 * twice may be erased twice.
 *
 * <p>Memory is outside of the Java heap, and is given back by {@link #close}, or after the filter was
 * found unreachable.
 *
 * <p>Failure: numbers that are not legal are an {@link IllegalArgumentException}, a call after close an
 * {@link IllegalStateException}, and what else can go wrong a {@link TrommelException}; a call that
 * fails has changed nothing.
 *
 * <p>Thread safety: any thread, any call, at any time. Queries run beside each other, and beside
 * updates but for a {@link CountingFilter}, whose updates run alone. {@link #merge}, {@link #clear}
 * and {@link #close} wait for the calls that have begun; calls that begin meanwhile wait for them.
 *
 * <p>Cost: a batch of one takes several times as long per key as one of a hundred (JAVA.md has
 * figures), so batch where you can.
 */
public abstract class Filter implements AutoCloseable {
  /** How {@link #save} treats the file. */
  public enum SaveOption {
    /** Fail with EXISTS rather than replace a file. */
    KEEP_EXISTING,
    /** Save a concurrent filter as it is at one moment, although threads change it. */
    POINT_IN_TIME
  }

  /** The caller's table, as {@link #upsert} asks it. */
  @FunctionalInterface
  public interface Existing {
    /**
     * Returns those of the indices {@code asked}, which are ascending, whose keys the table has, in
     * any order. May throw: the filter then holds the keys that it held before.
     */
    int[] among(int[] asked);
  }

  final Handle handle;
  private final boolean updatesAlone;

  Filter(long address, boolean updatesAlone) {
    handle = new Handle(this, address, Native::free);
    this.updatesAlone = updatesAlone;
  }

  // --- Batches.

  /** Inserts every key. The outcome's bits are those of the keys that were not refused. */
  public Outcome insert(Keys keys) {
    return update(Native.INSERT, 0, keys);
  }

  /**
   * Inserts every key that is absent, and leaves alone those that are maybe present. The outcome's bits
   * are those of the keys that were inserted: only these may be erased on account of this call. For
   * the puts of a table use {@link #upsert}.
   */
  public Outcome insertIfAbsent(Keys keys) {
    return update(Native.INSERT_IF_ABSENT, 0, keys);
  }

  /**
   * Erases every key, or refuses a key that is certainly absent. Erase a key as often as it was
   * inserted, at most: erasing one that was not goes undetected with the false-positive rate, and takes
   * counts of other keys.
   *
   * @throws UnsupportedOperationException for a window, whose erasures need the time
   */
  public Outcome erase(Keys keys) {
    return update(Native.ERASE, 0, keys);
  }

  /**
   * Erases every key, or changes nothing if one is certainly absent, or counted less often than the
   * batch has it: for a list that a job may erase a second time. The outcome's bits are those of the
   * keys that are missing, of the copies of a key the last ones, and numRefused is their number.
   *
   * @throws UnsupportedOperationException for a window, whose erasures need the time
   */
  public Outcome eraseAll(Keys keys) {
    return update(Native.ERASE_ALL, 0, keys);
  }

  /**
   * Makes the filter of a table hold every key of the batch, if it holds each key of the table once:
   * inserts the keys that the table does not have, and changes nothing for the others. The outcome's
   * bits are those of the keys that were inserted: if the put of such a key fails afterwards, erase
   * it. Apply the puts after the call.
   *
   * <p>Requires that no other thread puts or deletes the same keys between the begin of the call and
   * the puts.
   *
   * @param existing is called at most once, in this thread, with the keys that look present; it may
   *     query this filter, unless that is a {@link CountingFilter}, and change nothing of it
   * @throws UnsupportedOperationException for a window
   */
  public Outcome upsert(Keys keys, Existing existing) {
    Objects.requireNonNull(existing, "existing");
    Outcome outcome = new Outcome(keys, false);
    int entered = handle.enter(updatesAlone);
    try {
      handle.beginCallBack();
      try {
        Native.upsert(handle.address, keys.data, keys.offsets, keys.kind, keys.start, keys.size,
            existing, outcome.numbers);
      } finally {
        handle.endCallBack();
      }
    } finally {
      handle.leave(entered);
    }
    return outcome;
  }

  /** Returns the bits of the keys that are maybe present. A key that is in always is. */
  public BitSet query(Keys keys) {
    long[] words = new long[keys.numWords()];
    query(keys, words);
    return BitSet.valueOf(words);
  }

  /**
   * Writes the bits of the keys that are maybe present: that of key i is bit i % 64 of word i / 64.
   * Unused bits of the last word become 0; words beyond it are left alone.
   *
   * @return how many keys are maybe present
   * @throws IllegalArgumentException if there are fewer words than the number of keys / 64, rounded up
   */
  public long query(Keys keys, long[] maybePresent) {
    requireLength(maybePresent, keys.numWords(), "maybePresent");
    int entered = handle.enter(false);
    try {
      return Native.query(handle.address, keys.data, keys.offsets, keys.kind, keys.start, keys.size,
          maybePresent);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns an upper bound of how often each key is in the filter; 0 means certainly absent. */
  public long[] countEstimates(Keys keys) {
    long[] counts = new long[keys.size];
    int entered = handle.enter(false);
    try {
      Native.counts(handle.address, keys.data, keys.offsets, keys.kind, keys.start, keys.size, counts);
    } finally {
      handle.leave(entered);
    }
    return counts;
  }

  // --- One key.

  /** Returns false if the key is certainly absent, true if it is maybe present. */
  public boolean mayContain(long key) {
    return one(Native.QUERY, 0, key, null);
  }

  /** Returns false if the key is certainly absent, true if it is maybe present. */
  public boolean mayContain(byte[] key) {
    return one(Native.QUERY, 0, 0, Objects.requireNonNull(key, "key"));
  }

  /** Returns true if the key was inserted, false if it was refused. */
  public boolean insert(long key) {
    return one(Native.INSERT, 0, key, null);
  }

  /** Returns true if the key was inserted, false if it was refused. */
  public boolean insert(byte[] key) {
    return one(Native.INSERT, 0, 0, Objects.requireNonNull(key, "key"));
  }

  /** Returns true if the key was absent and is now in. */
  public boolean insertIfAbsent(long key) {
    return one(Native.INSERT_IF_ABSENT, 0, key, null);
  }

  /** Returns true if the key was absent and is now in. */
  public boolean insertIfAbsent(byte[] key) {
    return one(Native.INSERT_IF_ABSENT, 0, 0, Objects.requireNonNull(key, "key"));
  }

  /** Returns true if the key was erased, false if it was refused ({@link #erase(Keys)}). */
  public boolean erase(long key) {
    return one(Native.ERASE, 0, key, null);
  }

  /** Returns true if the key was erased, false if it was refused ({@link #erase(Keys)}). */
  public boolean erase(byte[] key) {
    return one(Native.ERASE, 0, 0, Objects.requireNonNull(key, "key"));
  }

  // --- The whole filter.

  /**
   * Adds the counts of {@code other}, as if its keys had been inserted here. Counting, scalable and
   * window filters take one of their own type, a concurrent filter a counting one.
   *
   * @throws TrommelException MISMATCH, naming the field that differs
   */
  public void merge(Filter other) {
    withOther(other, Native::merge);
  }

  /** Removes all keys. */
  public void clear() {
    int entered = handle.enter(true);
    try {
      Native.clear(handle.address);
    } finally {
      handle.leave(entered);
    }
  }

  /**
   * Limits from now on the memory for what the blocks cannot hold, such as the counts of a key that is
   * inserted a million times; 0: no limit. Without a limit a batch of updates that the system refuses
   * memory for this ends the process. Files do not keep it.
   *
   * @throws IllegalArgumentException if the limit is too low
   * @throws TrommelException OUT_OF_MEMORY, if what is in needs more
   */
  public void limitSideMemory(long limitBytes) {
    requireNotNegative(limitBytes, "limitBytes");
    int entered = handle.enter(true);
    try {
      Native.limitSideMemory(handle.address, limitBytes);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns statistics. */
  public Stats stats() {
    long[] numbers = new long[Stats.NUM_NUMBERS];
    int entered = handle.enter(false);
    try {
      Native.stats(handle.address, numbers);
    } finally {
      handle.leave(entered);
    }
    return new Stats(numbers);
  }

  /**
   * Gives the filter's memory back, once the calls that have begun have ended. Later calls fail with
   * an {@link IllegalStateException}; closing again does nothing.
   */
  @Override
  public void close() {
    handle.close();
  }

  // --- Files and bytes: those of all languages, which FORMAT.md describes.

  /**
   * Saves the filter: to a temporary file beside {@code path}, flushed, then renamed.
   *
   * @throws TrommelException IO, OUT_OF_MEMORY, EXISTS or NOT_FLUSHED
   */
  public void save(Path path, SaveOption... options) {
    saveWith(new byte[0], path, options);
  }

  /**
   * Saves the filter with bytes of the caller's own, at most 65,536, which {@link #metadata} returns.
   *
   * @throws TrommelException as {@link #save}
   */
  public void saveWith(byte[] metadata, Path path, SaveOption... options) {
    int bits = 0;
    for (SaveOption option : options) bits |= 1 << option.ordinal();
    byte[] name = Native.fileName(path);
    Objects.requireNonNull(metadata, "metadata");
    int entered = handle.enter(false);
    try {
      Native.save(handle.address, name, metadata, bits);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns the bytes that a file of any type was saved with; none if there were none. */
  public static byte[] metadata(Path path) {
    Native.requireLibrary();
    return Native.metadata(Native.fileName(path));
  }

  /**
   * Returns the bytes that {@link #save} writes.
   *
   * @throws TrommelException OUT_OF_MEMORY, if they are 2^31 or more: save them to a file, or write
   *     them to a stream
   */
  public byte[] toBytes() {
    int entered = handle.enter(false);
    try {
      return Native.toBytes(handle.address);
    } finally {
      handle.leave(entered);
    }
  }

  /** Writes the same bytes to a stream. */
  public void writeTo(OutputStream out) throws IOException {
    Objects.requireNonNull(out, "out");
    int entered = handle.enter(false);
    try {
      handle.beginCallBack();
      try {
        Native.write(handle.address, out);
      } finally {
        handle.endCallBack();
      }
    } finally {
      handle.leave(entered);
    }
  }

  /**
   * Loads a filter. The file may be anything: what is not a complete filter is refused.
   *
   * @param type what it must be; Filter.class: any of them. ConcurrentFilter.class makes a concurrent
   *     filter of a counting one's file
   * @throws TrommelException CORRUPT, VERSION, MISMATCH for another type, IO, OUT_OF_MEMORY
   */
  public static <F extends Filter> F load(Class<F> type, Path path) {
    return load(type, path, 0, null);
  }

  /**
   * Loads a filter, with limits for what is not trusted.
   *
   * @param memoryLimitBytes more are refused; 0: the machine's memory is the limit
   * @param digestKey the secret key of {@link Digest#sipHash}; null without
   * @throws TrommelException as above
   * @throws IllegalArgumentException for a key that is not the file's
   */
  public static <F extends Filter> F load(
      Class<F> type, Path path, long memoryLimitBytes, byte[] digestKey) {
    return load(type, Native.fileName(path), true, memoryLimitBytes, digestKey);
  }

  /** Loads a filter from the bytes of a file, as {@link #load(Class, Path)}. */
  public static <F extends Filter> F fromBytes(Class<F> type, byte[] bytes) {
    return fromBytes(type, bytes, 0, null);
  }

  /** Loads a filter from the bytes of a file, as {@link #load(Class, Path, long, byte[])}. */
  public static <F extends Filter> F fromBytes(
      Class<F> type, byte[] bytes, long memoryLimitBytes, byte[] digestKey) {
    return load(type, Objects.requireNonNull(bytes, "bytes"), false, memoryLimitBytes, digestKey);
  }

  private static <F extends Filter> F load(
      Class<F> type, byte[] source, boolean isName, long memoryLimitBytes, byte[] digestKey) {
    Objects.requireNonNull(type, "type");
    requireNotNegative(memoryLimitBytes, "memoryLimitBytes");
    if (digestKey != null) Digest.checkedKey(digestKey);
    Native.requireLibrary();
    int wanted = type == Filter.class ? 0 : number(type);
    long address = Native.load(source, isName, wanted, memoryLimitBytes, digestKey);
    switch (Native.type(address)) {
      case SCALABLE:
        return type.cast(new ScalableFilter(address));
      case WINDOW:
        return type.cast(new WindowFilter(address));
      case CONCURRENT:
        return type.cast(new ConcurrentFilter(address));
      default:
        return type.cast(new CountingFilter(address));
    }
  }

  private static final int COUNTING = 1; // TROMMEL_TYPE_*
  private static final int SCALABLE = 2;
  private static final int WINDOW = 3;
  private static final int CONCURRENT = 100;

  private static int number(Class<?> type) {
    return type == CountingFilter.class
        ? COUNTING
        : type == ScalableFilter.class ? SCALABLE : type == WindowFilter.class ? WINDOW : CONCURRENT;
  }

  // --- What the types share.

  final Outcome update(int operation, long time, Keys keys) {
    Outcome outcome = new Outcome(keys, this instanceof WindowFilter);
    int entered = handle.enter(updatesAlone);
    try {
      Native.update(handle.address, operation, time, keys.data, keys.offsets, keys.kind, keys.start,
          keys.size, outcome.numbers);
    } finally {
      handle.leave(entered);
    }
    return outcome;
  }

  final boolean one(int operation, long time, long key, byte[] bytes) {
    int entered = handle.enter(updatesAlone && operation != Native.QUERY);
    try {
      return Native.one(handle.address, operation, time, key, bytes);
    } finally {
      handle.leave(entered);
    }
  }

  /** What is done to two filters. */
  interface Pair {
    void apply(long filter, long other);
  }

  final void withOther(Filter other, Pair action) {
    if (other == this) {
      throw new IllegalArgumentException("a filter cannot be merged with itself, or subtracted");
    }
    Handle.withBoth(handle, other.handle, () -> action.apply(handle.address, other.handle.address));
  }

  static void requireLength(long[] words, int length, String name) {
    if (words.length < length) {
      throw new IllegalArgumentException(
          name + " must have at least " + length + " words; got " + words.length);
    }
  }

  static long requireNotNegative(long number, String name) {
    if (number >= 0) return number;
    throw new IllegalArgumentException(name + " must be 0 or more; got " + number);
  }
}
