package trommel.hbase;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.After;
import org.junit.Assume;
import org.junit.Test;

/** What the filter over a server's regions counts, and when it is trusted: with exact counts in its place. */
public class PairFilterTest {
  private final PairFilter filter = ExactPairs.use();

  @After
  public void openGates() {
    Gate.STEPS.clear();
    Gate.denied = false;
    ExactPairs.use();
  }

  private static TestRegion open(String... settings) throws Exception {
    return new TestRegion(InterleavingsTest.table(), settings);
  }

  private static int count(TestRegion t, String value) {
    return ExactPairs.last.count(t.observer().index(), value);
  }

  @Test
  public void aPairCountsTheGenerationsAndSegmentsThatHaveTheValue() throws Exception {
    try (TestRegion t = open()) {
      t.put("r1", "f:a", "v");
      t.put("r2", "f:a", "v");
      assertEquals("one generation", 1, count(t, "v"));
      t.flush();
      t.awaitBuilt();
      assertEquals("one segment", 1, count(t, "v"));
      t.put("r3", "f:a", "v");
      assertEquals("a segment and a generation", 2, count(t, "v"));
      t.flush();
      t.awaitBuilt();
      assertEquals("two segments", 2, count(t, "v"));
      t.region.compact(true);
      t.awaitBuilt();
      assertEquals("one segment", 1, count(t, "v"));
      assertEquals(0, count(t, "none"));
      assertTrue(t.excluded("f:a", "none"));
      assertFalse(t.excluded("f:a", "v"));
      assertEquals(Set.of("r1", "r2", "r3"), t.serverRows("f:a", "v"));
    }
    ExactPairs.last.checkEmpty();
  }

  /** The second put finds the value in the generation, and must not become visible before the first has counted it. */
  @Test(timeout = 60_000)
  public void twoFirstPutsOfOneValueAtOnce() throws Exception {
    try (TestRegion t = open()) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      ExactPairs.beforeInsert =
          () -> {
            inside.countDown();
            await(go);
          };
      Thread one = thread(() -> t.put("r1", "f:a", "v"));
      assertTrue(inside.await(30, TimeUnit.SECONDS));
      Thread two = thread(() -> t.put("r2", "f:a", "v"));
      two.join(200);
      assertEquals(t.truth("f:a").getOrDefault("v", new TreeSet<>()), t.serverRows("f:a", "v"));
      go.countDown();
      one.join();
      two.join();
      assertEquals(Set.of("r1", "r2"), t.serverRows("f:a", "v"));
      assertEquals(1, count(t, "v"));
    }
    ExactPairs.last.checkEmpty();
  }

  /** The generation is frozen after the first put's entry and before the second's: both generations count it. */
  @Test(timeout = 60_000)
  public void rotationBetweenTwoFirstPutsOfOneValue() throws Exception {
    try (TestRegion t = open()) {
      Gate.STEPS.put(
          "preWALAppend",
          () -> {
            Gate.STEPS.remove("preWALAppend");
            t.observer().index().families().forEach(family -> family.index.rotate());
            thread(() -> t.put("r2", "f:a", "v")).join();
            assertEquals("the first is not visible yet", Set.of("r2"), t.serverRows("f:a", "v"));
          });
      t.put("r1", "f:a", "v");
      assertEquals(2, count(t, "v"));
      assertEquals(Set.of("r1", "r2"), t.serverRows("f:a", "v"));
      t.flush();
      t.awaitBuilt();
      assertEquals(1, count(t, "v"));
      assertEquals(Set.of("r1", "r2"), t.serverRows("f:a", "v"));
    }
    ExactPairs.last.checkEmpty();
  }

  /** A question that has begun must not trust a filter that missed a count meanwhile, or a state that has changed. */
  @Test(timeout = 60_000)
  public void anExclusionEndsWithItsStateAndWithItsFilter() throws Exception {
    try (TestRegion t = open()) {
      t.put("r1", "f:a", "v");
      assertTrue(ask(t).holds());
      Exclusion early = ask(t);
      t.flush();
      assertFalse("another state", early.holds());
      t.awaitBuilt();
      early = ask(t);
      ExactPairs.failing = 1;
      t.put("r2", "f:a", "w");
      ExactPairs.failing = 0;
      assertFalse("another filter", early.holds());
      filter.rebuild();
      early = ask(t);
      t.observer().preWALAppend(null, null, null);  // A fault: an entry is lost.
      assertFalse("sources with a loss", early.holds());
    }
  }

  private Exclusion ask(TestRegion t) {
    Exclusion exclusion =
        Exclusion.ask(filter, Set.of(t.observer().index()), TestRegion.where("f:a", "none")).get(t.observer().index());
    assertTrue("there is an exclusion", exclusion != null);
    return exclusion;
  }

  @Test
  public void afterAFailureTheFilterIsMadeOfWhatTheSourcesHave() throws Exception {
    try (TestRegion t = open()) {
      t.put("r1", "f:a", "old");
      t.flush();
      t.awaitBuilt();
      for (int kind = 0; kind < 2; ++kind) {
        ExactPairs before = ExactPairs.last;
        if (kind == 0) {
          ExactPairs.failing = 1;
        } else {
          ExactPairs.beforeInsert = () -> { throw new IllegalStateException("the library failed"); };
        }
        t.put("r2", "f:a", "new" + kind);
        ExactPairs.failing = 0;
        ExactPairs.beforeInsert = null;
        assertFalse("no filter, so the region is looked into", t.excluded("f:a", "none"));
        assertEquals(Set.of("r2"), t.serverRows("f:a", "new" + kind));
        boolean[] early = {false};
        ExactPairs.beforeInsert = () -> early[0] |= filter.question(1) != null;
        filter.rebuild();
        ExactPairs.beforeInsert = null;
        assertFalse("asked before it counts all sources", early[0]);
        assertNotSame(before, ExactPairs.last);
        assertTrue(t.excluded("f:a", "none"));
        assertEquals(1, count(t, "old"));
        assertEquals(1, count(t, "new" + kind));
        assertEquals(Set.of("r1"), t.serverRows("f:a", "old"));
        assertEquals(Set.of("r2"), t.serverRows("f:a", "new" + kind));
      }
      t.flush();
      t.awaitBuilt();
    }
    ExactPairs.last.checkEmpty();
  }

  @Test
  public void theNativeFilterKeepsWhatIsInAndTakesLessThanASet() {
    PairFilter.Multiset pairs = nativePairs(1 << 20);
    Assume.assumeTrue("trommel-java is not built: tools/test-java", pairs != null);
    int regions = 20;
    int values = 20_000;
    for (int source = 0; source < 2; ++source) {
      inBatches(regions, values, batch -> assertTrue(pairs.insert(batch.bytes(), batch.offsets)));
    }
    Set<ByteBuffer> set = new HashSet<>();
    long before = heap();
    inBatches(regions, values, batch -> {
      for (int i = 0; i < batch.size(); ++i) {
        set.add(ByteBuffer.wrap(Arrays.copyOfRange(batch.bytes(), batch.offsets[i], batch.offsets[i + 1])));
      }
    });
    double setBytes = heap() - before;
    System.out.printf(
        "%d pairs, each in two sources: filter %.1f bytes per pair, a Java set %.1f%n",
        set.size(), (double) pairs.bytes() / set.size(), setBytes / set.size());
    assertTrue(pairs.bytes() < setBytes / 4);
    inBatches(regions, values, batch -> assertTrue(pairs.erase(batch.bytes(), batch.offsets)));
    inBatches(regions, values, batch -> assertEquals(batch.size(), pairs.query(batch.bytes(), batch.offsets).cardinality()));
    inBatches(regions, values, batch -> assertTrue(pairs.erase(batch.bytes(), batch.offsets)));
    int[] found = {0};
    inBatches(regions, values, batch -> found[0] += pairs.query(batch.bytes(), batch.offsets).cardinality());
    assertEquals(0, found[0]);
    pairs.close();
  }

  private static PairFilter.Multiset nativePairs(long capacity) {
    try {
      return new NativePairs(capacity);
    } catch (LinkageError e) {
      return null;
    }
  }

  private static void inBatches(int regions, int values, Consumer<PairBatch> action) {
    for (int region = 0; region < regions; ++region) {
      for (int first = 0; first < values; first += 1000) {
        PairBatch batch = new PairBatch(1000);
        for (int i = 0; i < batch.size(); ++i) {
          byte[] key = ValueKey.of(0, Bytes.toBytes("value" + (first + i)));
          batch.add(region, key, 0, key.length);
        }
        action.accept(batch);
      }
    }
  }

  private static long heap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Thread thread(Gate.Step step) {
    Thread thread = new Thread(() -> {
      try {
        step.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    });
    thread.start();
    return thread;
  }
}
