package trommel.hbase;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.Test;

/** For how many pairs the filter over a server's regions is made, and when another one is. */
public class FilterSizeTest {
  private static final int FIRST = 1 << 16;

  private final List<Long> made = new ArrayList<>();
  private final AtomicLong memory = new AtomicLong();
  private boolean fails;
  private boolean refuses;

  /** Takes every pair, and keeps none. */
  private final class Nothing implements PairFilter.Multiset {
    private final long capacity;

    Nothing(long capacity) {
      this.capacity = capacity;
      made.add(capacity);
    }

    @Override
    public boolean insert(byte[] bytes, int[] offsets) {
      if (fails) {
        throw new IllegalStateException("the library failed");
      }
      return true;
    }

    @Override
    public boolean erase(byte[] bytes, int[] offsets) {
      return !refuses;
    }

    @Override
    public BitSet query(byte[] bytes, int[] offsets) {
      return new BitSet();
    }

    @Override
    public long bytes() {
      return capacity;
    }

    @Override
    public void close() {}
  }

  private static PairFilter.Values values(int number) {
    return new PairFilter.Values() {
      @Override
      public int values() {
        return number;
      }

      @Override
      public byte[] chunkOf(int value) {
        return new byte[4];
      }

      @Override
      public int keyFrom(int value) {
        return 0;
      }

      @Override
      public int keyTo(int value) {
        return 4;
      }
    };
  }

  private PairFilter filter(Executor background) {
    return new PairFilter(Nothing::new, () -> new Account(memory, Long.MAX_VALUE), background);
  }

  private long last() {
    return made.get(made.size() - 1);
  }

  /** Memory that many segments took must come back when compactions have dropped them. */
  @Test
  public void itShrinksWhenFewPairsAreLeft() {
    PairFilter filter = filter(Runnable::run);
    PairFilter.Counted many = filter.counted(1);
    for (int before = 0; before < made.size(); ) {
      before = made.size();
      many.update(values(20 * FIRST));  // In the one that has been made meanwhile.
    }
    long largest = last();
    assertTrue("" + made, largest >= 20 * FIRST);
    many.end(values(20 * FIRST));
    assertTrue("" + made, last() <= largest / 4);
    assertEquals(last(), memory.get());
    assertEquals(last(), filter.bytes());
  }

  @Test
  public void afterAFailureTheNextOneIsMadeForWhatWasCounted() {
    PairFilter filter = filter(task -> {});
    filter.counted(1).update(values(3 * FIRST));
    fails = true;
    filter.counted(2).update(values(1));
    fails = false;
    assertNull(filter.question(1));
    filter.rebuild();
    assertEquals(List.of((long) FIRST, 6L * FIRST), made);
  }

  /** Only an insertion that is refused wants more memory. */
  @Test
  public void aRefusedErasureDoesNotMakeItLarger() {
    PairFilter filter = filter(task -> {});
    PairFilter.Counted one = filter.counted(1);
    one.update(values(1));
    refuses = true;
    one.end(values(1));
    filter.rebuild();
    assertEquals(List.of((long) FIRST, (long) FIRST), made);
  }

  /** A server that cannot start a thread for once makes another filter later. */
  @Test
  public void aRefusedTaskIsGivenAgain() throws Exception {
    boolean[] refused = {false};
    PairFilter filter =
        filter(
            task -> {
              if (!refused[0]) {
                refused[0] = true;
                throw new RejectedExecutionException();
              }
              task.run();
            });
    PairFilter.Counted one = filter.counted(1);
    one.update(values(1));
    refuses = true;
    one.end(values(1));
    assertTrue(refused[0]);
    assertNull(filter.question(1));
    Thread.sleep(10_500);  // The pause after a failure.
    assertNull(filter.question(1));
    assertNotNull("made in the background", filter.question(1));
  }
}
