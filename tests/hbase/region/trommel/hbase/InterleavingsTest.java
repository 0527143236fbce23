package trommel.hbase;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.lang.reflect.Field;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.MemStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The orders of events that break a naive index, each forced in one region; numbers are those of HBASE.md. */
public class InterleavingsTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] A = Bytes.toBytes("a");

  private TestRegion t;

  static TableDescriptor table() throws Exception {
    ColumnFamilyDescriptor[] families = {
      ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build(), ColumnFamilyDescriptorBuilder.of("g")
    };
    TableDescriptorBuilder builder = TestRegion.table(families, "f:a", "f:n", "g:b");
    for (Class<?> gate : new Class<?>[] {Gate.Early.class, Gate.class}) {
      builder.setCoprocessor(
          CoprocessorDescriptorBuilder.newBuilder(gate.getName())
              .setPriority(gate == Gate.class ? Integer.MAX_VALUE : 0)
              .build());
    }
    return builder.build();
  }

  @Before
  public void open() throws Exception {
    t = new TestRegion(table());
  }

  @After
  public void close() throws Exception {
    Gate.STEPS.clear();
    t.close();
  }

  private void expect(String value, String... rows) throws Exception {
    assertEquals("f:a=" + value, new TreeSet<>(Set.of(rows)), t.rows("f:a", value));
  }

  private void byIndex(String value) throws Exception {
    assertEquals("f:a=" + value, Answer.How.INDEX, t.how("f:a", value));
  }

  @Test(timeout = 60_000)
  public void i1TwoPutsOfOneRowAtOnce() throws Exception {
    Thread[] second = {null};
    Gate.STEPS.put(
        "preWALAppend",
        () -> {
          if (second[0] == null) {
            second[0] = new Thread(() -> quietly(() -> t.put("r", "f:a", "two")));
            second[0].start();
            Thread.sleep(100);  // Row locks of puts are shared: the other one is inside now.
          }
        });
    t.put("r", "f:a", "one");
    second[0].join();
    String winner = t.truth("f:a").keySet().iterator().next();
    expect(winner, "r");
    expect(winner.equals("one") ? "two" : "one");
  }

  @Test
  public void i2ThreeValuesAtOneTimeStamp() throws Exception {
    for (String value : new String[] {"v1", "v2", "v1"}) {
      t.region.put(new Put(Bytes.toBytes("r")).addColumn(F, A, 1, Bytes.toBytes(value)));
    }
    expect("v1", "r");
    t.flush();
    expect("v1", "r");
    expect("v2");
  }

  @Test
  public void i3DeleteOfTheNewestVersionRevealsAnOlderValue() throws Exception {
    t.region.put(new Put(Bytes.toBytes("r")).addColumn(F, A, 10, Bytes.toBytes("old")));
    t.flush();
    t.region.put(new Put(Bytes.toBytes("r")).addColumn(F, A, 20, Bytes.toBytes("new")));
    expect("old");
    t.region.delete(new Delete(Bytes.toBytes("r")).addColumn(F, A));
    expect("old", "r");
    expect("new");
  }

  @Test
  public void i4PutInThePast() throws Exception {
    t.region.put(new Put(Bytes.toBytes("r")).addColumn(F, A, 20, Bytes.toBytes("new")));
    t.region.put(new Put(Bytes.toBytes("r")).addColumn(F, A, 10, Bytes.toBytes("past")));
    expect("new", "r");
    expect("past");
  }

  @Test
  public void i5ResultsOfIncrementsAndAppends() throws Exception {
    for (int i = 0; i < 3; ++i) {
      t.region.increment(new Increment(Bytes.toBytes("r")).addColumn(F, Bytes.toBytes("n"), 5));
      t.region.append(new Append(Bytes.toBytes("r")).addColumn(F, A, Bytes.toBytes("x")));
      // Before the flush: afterwards the file has them, whatever the hooks of writes saw.
      assertEquals(Set.of("r"), t.rows("f:n", Bytes.toBytes(5L * (i + 1))));
      expect("xxx".substring(0, i + 1), "r");
      t.flush();
    }
    assertEquals(Set.of("r"), t.rows("f:n", Bytes.toBytes(15L)));
    assertEquals(Set.of(), t.rows("f:n", Bytes.toBytes(5L)));
    expect("xxx", "r");
  }

  @Test
  public void i6PutsBetweenRotationSnapshotAndEndOfAFlush() throws Exception {
    int[] n = {0};
    for (String point : new String[] {"preFlush", "snapshot", "postFlush(store)", "early postFlush"}) {
      Gate.STEPS.put(point, () -> t.put("r" + n[0]++, "f:a", "v"));
    }
    t.put("first", "f:a", "v");
    t.flush();
    Gate.STEPS.clear();
    assertEquals(t.truth("f:a").get("v"), t.rows("f:a", "v"));
    assertTrue("rows " + n[0], n[0] >= 4);
    byIndex("v");
    t.awaitBuilt();
    assertEquals(t.truth("f:a").get("v"), t.rows("f:a", "v"));
    t.flush();
    assertEquals(t.truth("f:a").get("v"), t.rows("f:a", "v"));
  }

  @Test
  public void i7FlushThatIsRefusedBecauseAnotherRuns() throws Exception {
    t.put("first", "f:a", "v");
    Gate.STEPS.put(
        "snapshot",
        () -> {
          Gate.STEPS.remove("snapshot");
          t.put("between", "f:a", "v");
          t.flush();  // Refused, after its preFlush has frozen the generation of this put.
        });
    t.flush();
    t.awaitBuilt();
    expect("v", "first", "between");
    t.flush();
    t.awaitBuilt();
    expect("v", "first", "between");
    byIndex("v");
  }

  @Test
  public void i8QuestionsAtEachPointOfAFlush() throws Exception {
    t.put("r", "f:a", "v");
    for (String point :
        new String[] {
          "early preFlush", "preFlush", "snapshot", "early postFlush(store)", "postFlush(store)", "early postFlush",
          "postFlush"
        }) {
      Gate.STEPS.put(
          point,
          () -> {
            expect("v", "r");
            byIndex("v");  // A flush makes no region unbuilt.
          });
    }
    t.flush();
    t.awaitBuilt();
    expect("v", "r");
  }

  @Test
  public void i9CompactionDropsACellWhoseEntryIsNewInTheMemstore() throws Exception {
    t.put("r", "f:a", "v");
    t.flush();
    t.region.delete(new Delete(Bytes.toBytes("r")));
    t.flush();
    t.awaitBuilt();
    Gate.STEPS.put("preCompact", () -> t.put("r", "f:a", "v"));
    Gate.STEPS.put("early postCompact", () -> expect("v", "r"));
    Gate.STEPS.put("postCompact", () -> expect("v", "r"));
    t.region.compact(true);
    Gate.STEPS.clear();
    expect("v", "r");
    byIndex("v");
    t.awaitBuilt();
    expect("v", "r");
  }

  @Test
  public void i10CoversSurviveUntilTheirFileIsPublished() throws Exception {
    t.put("r", "f:a", "v");
    // Each question drops covers of files that are gone; the new file is not published yet at these points.
    Gate.STEPS.put("postFlush(store)", () -> expect("v", "r"));
    t.flush();
    Gate.STEPS.clear();
    byIndex("v");
    t.put("s", "f:a", "v");
    t.flush();
    t.awaitBuilt();
    Gate.STEPS.put("postCompact", () -> expect("v", "r", "s"));
    t.region.compact(true);
    byIndex("v");  // Neither did the compaction make it unbuilt.
    expect("v", "r", "s");
  }

  @Test
  public void i12OpenedAgainElsewhereAnswersAtOnce() throws Exception {
    t.put("r", "f:a", "v");
    t.reopen(t.table);
    expect("v", "r");
    t.awaitBuilt();
    byIndex("v");
    expect("v", "r");
  }

  @Test
  public void i14CoprocessorRemovedRowsWrittenAddedAgain() throws Exception {
    t.put("r", "f:a", "v");
    t.reopen(IndexedTable.unindex(t.table));
    t.put("s", "f:a", "v");
    t.flush();
    t.region.delete(new Delete(Bytes.toBytes("r")));
    t.reopen(t.table);
    expect("v", "s");
    t.awaitBuilt();
    expect("v", "s");
  }

  @Test
  public void aFlushThatFailedAfterItsSnapshotKeepsTheGenerationsOfLaterWrites() throws Exception {
    // What a failed sync of the log leaves behind: a snapshot that the next flush writes, and nothing newer.
    t.put("old", "f:a", "v");
    HStore store = t.region.getStore(F);
    Field field = store.getClass().getDeclaredField("memstore");
    field.setAccessible(true);
    ((MemStore) field.get(store)).snapshot();
    t.put("new", "f:a", "v");
    t.flush();
    t.awaitBuilt();
    expect("v", "old", "new");
    byIndex("v");
  }

  @Test
  public void aFaultInAHookIsCountedAndMendedByAFlush() throws Exception {
    t.put("r", "f:a", "v");
    t.observer().preWALAppend(null, null, null);  // No edit: a fault.
    assertEquals(Answer.How.SCAN_UNBUILT, t.how("f:a", "v"));
    expect("v", "r");
    t.flush();
    t.awaitBuilt();
    expect("v", "r");
    byIndex("v");
  }

  private interface Action {
    void run() throws Exception;
  }

  private static void quietly(Action action) {
    try {
      action.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
