package trommel;

/**
 * Statistics of a filter at one moment: running figures, no pass over its memory. What its type does
 * not have is 0.
 */
public final class Stats {
  static final int NUM_NUMBERS = 14;

  /** Insertions less erasures; duplicates count. */
  public final long numKeys;
  /** Bytes of all memory that the filter keeps. */
  public final long numBytes;
  /** Part of numBytes: what keys beyond the blocks take. */
  public final long sideTableBytes;
  /** As configured: the keys to size for, or the first size. */
  public final long capacity;
  /** As configured: the false-positive rate. */
  public final double targetFpr;
  /** The false-positive rate by the model, for numKeys distinct keys. */
  public final double predictedFpr;
  /** The share of queries beside writers that answer "maybe present" undecided, on top of it. */
  public final double undecidedShare;
  /** Insertions that were refused since the filter was made, loaded or cleared. */
  public final long numRefusedInserts;
  /** Erasures that were refused since then. */
  public final long numRefusedErases;
  /** Queries since then that answered "maybe present" because of a writer. */
  public final long numInterruptedQueries;
  /** Sizes of a scalable filter, live buckets of a window; else 1. */
  public final long numParts;
  /** The time of a window. */
  public final long now;
  /** Erasures of a window since then from buckets that were not live. */
  public final long numExpiredErases;
  /** Keys of a window beyond its capacity. */
  public final long numExcessKeys;

  Stats(long[] numbers) { // in the order of jni_filters.c
    int i = 0;
    numKeys = numbers[i++];
    numBytes = numbers[i++];
    sideTableBytes = numbers[i++];
    capacity = numbers[i++];
    targetFpr = Double.longBitsToDouble(numbers[i++]);
    predictedFpr = Double.longBitsToDouble(numbers[i++]);
    undecidedShare = Double.longBitsToDouble(numbers[i++]);
    numRefusedInserts = numbers[i++];
    numRefusedErases = numbers[i++];
    numInterruptedQueries = numbers[i++];
    numParts = numbers[i++];
    now = numbers[i++];
    numExpiredErases = numbers[i++];
    numExcessKeys = numbers[i++];
  }
}
