package trommel;

import java.util.Objects;

/**
 * The keys of a sliding window of time. Time is the caller's, in ticks of any unit, from 0 to 2^63 - 1;
 * it never decreases, and moves by {@link #advance} alone. The window is cut into buckets; a key is
 * in for at least the window, and at most a bucket longer. Updates run beside each other and
 * beside queries.
 *
 * <p>Insertions without a time are into the current bucket. An erasure needs the time of insertion,
 * which {@link Outcome#time} tells.
 */
public final class WindowFilter extends Filter {
  /**
   * Makes an empty filter at time 0, with 8 buckets and the default digest.
   *
   * @param window length in ticks, at least as many as there are buckets
   * @param capacity distinct keys within a window and one bucket
   * @param targetFpr the false-positive rate over the whole window; 0: 0.01
   * @throws IllegalArgumentException naming the value and the legal range
   */
  public WindowFilter(long window, long capacity, double targetFpr) {
    this(window, 0, capacity, targetFpr, Digest.XXH3);
  }

  /**
   * Makes an empty filter with this digest, as {@link #WindowFilter(long, long, double)}.
   *
   * @param numBuckets of the window; 0: 8
   */
  public WindowFilter(long window, int numBuckets, long capacity, double targetFpr, Digest digest) {
    this(Native.createWindow(
        requireNotNegative(window, "window"), (int) requireNotNegative(numBuckets, "numBuckets"),
        requireNotNegative(capacity, "capacity"), targetFpr, digest));
  }

  WindowFilter(long address) {
    super(address, false);
  }

  /** Sets the time. Returns false, and changes nothing, if {@code now} is before the time reached. */
  public boolean advance(long now) {
    requireNotNegative(now, "now");
    int entered = handle.enter(false);
    try {
      return Native.advance(handle.address, now);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns the time of the last advance that has taken effect; 0 at first. */
  public long now() {
    int entered = handle.enter(false);
    try {
      return Native.now(handle.address);
    } finally {
      handle.leave(entered);
    }
  }

  /**
   * Inserts every key into the bucket of {@code time}, or refuses all if it has expired or lies in
   * the future.
   */
  public Outcome insert(Keys keys, long time) {
    return update(Native.INSERT_AT, requireNotNegative(time, "time"), keys);
  }

  /**
   * Erases every key from the bucket of {@code insertedAt}, or refuses one that is certainly absent from
   * it. If that bucket is not live, all keys count as expired.
   */
  public Outcome erase(Keys keys, long insertedAt) {
    return update(Native.ERASE_AT, requireNotNegative(insertedAt, "insertedAt"), keys);
  }

  /**
   * Erases every key, or changes nothing, as {@link #eraseAll(Keys)}, each key from the bucket of its
   * time. Keys of buckets that are not live count as expired, and are not missing.
   *
   * @param insertedAt one time for each key, or one for all
   * @throws IllegalArgumentException for another number of times, or a negative one
   */
  public Outcome eraseAll(Keys keys, long... insertedAt) {
    for (long time : insertedAt) requireNotNegative(time, "insertedAt");
    Outcome outcome = new Outcome(keys, true);
    int entered = handle.enter(false);
    try {
      Native.eraseAllAt(handle.address, keys.data, keys.offsets, keys.kind, keys.start, keys.size,
          insertedAt, outcome.numbers);
    } finally {
      handle.leave(entered);
    }
    return outcome;
  }

  /** Inserts one key into the bucket of {@code time}. Returns false if it was refused. */
  public boolean insert(long key, long time) {
    return one(Native.INSERT_AT, requireNotNegative(time, "time"), key, null);
  }

  /** Inserts one key into the bucket of {@code time}. Returns false if it was refused. */
  public boolean insert(byte[] key, long time) {
    return one(Native.INSERT_AT, requireNotNegative(time, "time"), 0, Objects.requireNonNull(key, "key"));
  }

  /** Erases one key that was inserted at that time. Returns false if it was refused. */
  public boolean erase(long key, long insertedAt) {
    return one(Native.ERASE_AT, requireNotNegative(insertedAt, "insertedAt"), key, null);
  }

  /** Erases one key that was inserted at that time. Returns false if it was refused. */
  public boolean erase(byte[] key, long insertedAt) {
    return one(Native.ERASE_AT, requireNotNegative(insertedAt, "insertedAt"), 0, Objects.requireNonNull(key, "key"));
  }
}
