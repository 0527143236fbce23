package trommel;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;

/**
 * What a batch of updates did.
 *
 * <p>Thread safety: immutable.
 */
public final class Outcome {
  /** Why a filter refused keys. */
  public enum Refusal { // in the order of TROMMEL_REFUSAL_*
    /** It refused none, or erasures of absent keys. */
    NONE,
    /** A scalable filter has reached its largest capacity. */
    LARGEST_CAPACITY,
    /** Growth would exceed the memory limit. */
    MEMORY_LIMIT,
    /** The system refused memory for growth. */
    OUT_OF_MEMORY,
    /** The limit of side memory leaves no space. */
    SIDE_MEMORY_LIMIT
  }

  // numbers: done, refused, expired, time, refusal; the bitmap; of a window its times, one per chunk.
  private static final int NUM_COUNTS = 5;
  private static final int CHUNK_KEYS = 2048; // TROMMEL_WINDOW_CHUNK_KEYS

  final long[] numbers;
  private final int numKeys;
  private final int numWords;

  Outcome(Keys keys, boolean isWindow) {
    numKeys = keys.size;
    numWords = keys.numWords();
    int numTimes = isWindow ? (int) ((keys.size + CHUNK_KEYS - 1L) / CHUNK_KEYS) : 0;
    numbers = new long[NUM_COUNTS + numWords + numTimes];
  }

  /** Returns the number of keys that were inserted or erased. */
  public long numDone() {
    return numbers[0];
  }

  /** Returns the number of keys for which nothing changed, and which must not be erased. */
  public long numRefused() {
    return numbers[1];
  }

  /** Returns the number of erasures from a bucket of a window that is not live. */
  public long numExpired() {
    return numbers[2];
  }

  /** Returns why keys were refused, if insertions were. */
  public Refusal refusal() {
    return Refusal.values()[(int) numbers[4]];
  }

  /**
   * Returns the time at which a window inserted key {@code i}, which its erasure needs; 0 of other
   * filters.
   *
   * @throws IndexOutOfBoundsException if there is no such key
   */
  public long time(int i) {
    int times = NUM_COUNTS + numWords;
    Objects.checkIndex(i, numKeys);
    return times == numbers.length ? 0 : numbers[times + i / CHUNK_KEYS];
  }

  /**
   * Returns the bits of the keys that were inserted or erased; after {@link Filter#eraseAll} those of
   * the keys that are missing.
   */
  public BitSet bits() {
    return BitSet.valueOf(Arrays.copyOfRange(numbers, NUM_COUNTS, NUM_COUNTS + numWords));
  }
}
