package trommel.hbase;

import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.util.Bytes;

/** Pairs counted exactly, in the place of the filter: it says when a count is wrong, and fails when a test wants it. */
final class ExactPairs implements PairFilter.Multiset {
  /** What runs before pairs are inserted; it may block, or throw. */
  static volatile Runnable beforeInsert;

  /** Fails one change in so many, at random; 0: none. */
  static volatile int failing;

  /** The pairs of the last question. */
  static volatile int asked;

  /** The one that was made last. */
  static volatile ExactPairs last;

  private final Map<ByteBuffer, Integer> counts = new HashMap<>();
  private final Random random = new Random(1);
  private String wrong = "";
  private boolean closed;

  /** Makes this the filter of the test's server; needs no native code. */
  static PairFilter use() {
    beforeInsert = null;
    failing = 0;
    // Tests make another filter themselves, when they want it.
    PairFilter filter =
        new PairFilter(ExactPairs::new, () -> new Account(new AtomicLong(), Long.MAX_VALUE), task -> {});
    ServerRegions.of(TestRegion.SERVER).filter(filter);
    return filter;
  }

  private ExactPairs(long capacity) {
    last = this;
  }

  private static ByteBuffer key(byte[] bytes, int[] offsets, int i) {
    return ByteBuffer.wrap(Arrays.copyOfRange(bytes, offsets[i], offsets[i + 1]));
  }

  private boolean change(byte[] bytes, int[] offsets, int by) {
    synchronized (this) {
      for (int i = 0; i + 1 < offsets.length; ++i) {
        if (failing > 0 && random.nextInt(failing) == 0) {
          return false;
        }
        int count = counts.merge(key(bytes, offsets, i), by, Integer::sum);
        if (count < 0) {
          wrong = "a pair was erased that was not counted";
        } else if (count == 0) {
          counts.remove(key(bytes, offsets, i));
        }
      }
      return true;
    }
  }

  @Override
  public boolean insert(byte[] bytes, int[] offsets) {
    Runnable first = beforeInsert;
    if (first != null) {
      first.run();
    }
    return change(bytes, offsets, 1);
  }

  @Override
  public boolean erase(byte[] bytes, int[] offsets) {
    return change(bytes, offsets, -1);
  }

  @Override
  public synchronized BitSet query(byte[] bytes, int[] offsets) {
    asked = offsets.length - 1;
    BitSet bits = new BitSet();
    for (int i = 0; i + 1 < offsets.length; ++i) {
      bits.set(i, counts.containsKey(key(bytes, offsets, i)));
    }
    return bits;
  }

  /** Returns in how many sources of a region the value of the first indexed column is. */
  synchronized int count(RegionIndex region, String value) {
    byte[] key = ValueKey.of(0, Bytes.toBytes(value));
    byte[] pair = Bytes.add(Bytes.toBytes(region.number()), key);
    return counts.getOrDefault(ByteBuffer.wrap(pair), 0);
  }

  /** Fails if a count ever was below 0, or one is left although all regions have ended. */
  synchronized void checkEmpty() {
    assertTrue(wrong, wrong.isEmpty());
    assertTrue("pairs are left: " + counts.size(), closed || counts.isEmpty());
  }

  @Override
  public long bytes() {
    return 1000;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}
