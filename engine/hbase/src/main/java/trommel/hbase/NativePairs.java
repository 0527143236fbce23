package trommel.hbase;

import java.util.BitSet;
import trommel.ConcurrentFilter;
import trommel.Keys;
import trommel.Outcome;

/** Pairs in a filter of trommel-java, which has native code; the only class that needs it. */
final class NativePairs implements PairFilter.Multiset {
  private static final double RATE = 0.01;  // A false positive costs one look-up, of some microseconds.
  // What counts above 3 take. With a limit keys are refused; without it the process ends when the system has no memory.
  private static final long SIDE_BYTES_PER_PAIR = 4;

  private final ConcurrentFilter filter;

  /** Makes an empty one; a LinkageError if trommel-java is not on the class path, or has no library for this machine. */
  NativePairs(long capacity) {
    filter = new ConcurrentFilter(capacity, RATE);
    filter.limitSideMemory(SIDE_BYTES_PER_PAIR * capacity);
  }

  private static boolean complete(Outcome outcome) {
    return outcome.numRefused() == 0;
  }

  @Override
  public boolean insert(byte[] bytes, int[] offsets) {
    return complete(filter.insert(Keys.of(bytes, offsets)));
  }

  @Override
  public boolean erase(byte[] bytes, int[] offsets) {
    return complete(filter.erase(Keys.of(bytes, offsets)));
  }

  @Override
  public BitSet query(byte[] bytes, int[] offsets) {
    return filter.query(Keys.of(bytes, offsets));
  }

  @Override
  public long bytes() {
    return filter.stats().numBytes;
  }

  @Override
  public void close() {
    filter.close();
  }
}
