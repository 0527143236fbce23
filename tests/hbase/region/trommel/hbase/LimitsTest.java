package trommel.hbase;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.After;
import org.junit.Test;

/** Bad input, large values, limits: a clear error or the right answer, and the region goes on. */
public class LimitsTest {
  private static TableDescriptor table(String... columns) throws Exception {
    ColumnFamilyDescriptor[] families = {
      ColumnFamilyDescriptorBuilder.of("f"),
      ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("m")).setMobEnabled(true).setMobThreshold(1000).build()
    };
    return TestRegion.table(families, columns).setCoprocessor(Gate.class.getName()).build();
  }

  @After
  public void openGates() {
    Gate.STEPS.clear();
    Gate.denied = false;
  }

  private static void fails(TestRegion t, String text, Object... conditions) {
    IOException e = assertThrows(DoNotRetryIOException.class, () -> t.rows(conditions));
    assertTrue(e.getMessage(), e.getMessage().contains(text));
  }

  @Test
  public void unknownColumnsFamiliesAndVersionsAreNamed() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a"))) {
      t.put("r", "f:a", "v");
      fails(t, "column f:b of table t is not indexed; indexed are [f:a]", "f:b", "v");
      fails(t, "no such family; it has [f, m]", "x:a", "v");
      byte[] request = TestRegion.query(new byte[0], TestRegion.where("f:a", "v"));
      request[0] = 9;
      IOException e = assertThrows(DoNotRetryIOException.class, () -> t.observer().answer(request));
      assertTrue(e.getMessage(), e.getMessage().contains("the request has version 9, this server's trommel-hbase has 2"));
      request[0] = Request.VERSION;
      for (int length = 0; length < request.length; ++length) {
        byte[] cut = Arrays.copyOf(request, length);
        assertThrows(DoNotRetryIOException.class, () -> t.observer().answer(cut));
      }
      assertEquals(Set.of("r"), t.rows("f:a", "v"));
    }
  }

  @Test
  public void aMistakeInTheDescriptorIsToldAndOtherColumnsAreServed() throws Exception {
    TableDescriptor wrong =
        TableDescriptorBuilder.newBuilder(table("f:a")).setValue(Column.TABLE_VALUE, "f:a nonsense x:y").build();
    try (TestRegion t = new TestRegion(wrong)) {
      t.put("r", "f:a", "v");
      assertEquals(Set.of("r"), t.rows("f:a", "v"));
      fails(t, "a column is written family:qualifier; got \"nonsense\"", "f:b", "v");
      fails(t, "family of \"x:y\" does not exist", "f:b", "v");
    }
  }

  @Test
  public void largeEmptyAndMobValuesAreFound() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a", "m:a"))) {
      byte[] large = new byte[2 << 20];
      Arrays.fill(large, (byte) 7);
      byte[] other = large.clone();
      other[1 << 20] = 8;
      byte[] sixtyFour = new byte[64];
      byte[] sixtyFive = new byte[65];
      for (String column : new String[] {"f:a", "m:a"}) {
        t.put("large", column, large);
        t.put("other", column, other);
        t.put("empty", column, new byte[0]);
        t.put("64", column, sixtyFour);
        t.put("65", column, sixtyFive);
      }
      for (int round = 0; round < 4; ++round) {
        for (String column : new String[] {"f:a", "m:a"}) {
          assertEquals(Set.of("large"), t.rows(column, large));
          assertEquals(Set.of("other"), t.rows(column, other));
          assertEquals(Set.of("empty"), t.rows(column, new byte[0]));
          assertEquals(Set.of("64"), t.rows(column, sixtyFour));
          assertEquals(Set.of("65"), t.rows(column, sixtyFive));
          assertEquals(Set.of(), t.rows(column, new byte[66]));
        }
        if (round == 0) {
          t.flush();
        } else if (round == 1) {
          t.awaitBuilt();
        } else if (round == 2) {
          t.reopen(t.table);
        }
      }
    }
  }

  @Test
  public void rowsOfTheGreatestLengthAreAnsweredInPages() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a"), "trommel.index.page.rows", "1")) {
      char[] longest = new char[Short.MAX_VALUE];
      Arrays.fill(longest, 'x');
      String last = new String(longest);
      for (String row : new String[] {"a", last.substring(1), last}) {
        t.put(row, "f:a", "v");
      }
      t.put(last, "f:a", "v");
      t.flush();
      t.awaitBuilt();
      assertEquals(new TreeSet<>(Set.of("a", last.substring(1), last)), t.rows("f:a", "v"));
    }
  }

  @Test
  public void aboveTheLimitARegionScansAndSaysSoAndComesBack() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a"), "trommel.index.memory.mb", "1")) {
      for (int i = 0; i < 30_000; ++i) {
        t.region.put(TestRegion.cell("row-of-some-length-" + i, "f:a", "v" + i).setDurability(Durability.SKIP_WAL));
      }
      assertEquals(Answer.How.SCAN_MEMORY, t.how("f:a", "v77"));
      assertEquals(Set.of("row-of-some-length-77"), t.rows("f:a", "v77"));
      t.flush();
      for (int i = 0; i < 50; ++i) {
        assertEquals(Set.of("row-of-some-length-77"), t.rows("f:a", "v77"));
        Thread.sleep(10);
      }
      assertEquals(Answer.How.SCAN_MEMORY, t.how("f:a", "v77"));
      for (int i = 100; i < 30_000; ++i) {
        t.region.delete(new Delete(Bytes.toBytes("row-of-some-length-" + i)).setDurability(Durability.SKIP_WAL));
      }
      t.flush();
      t.region.compact(true);
      t.reopen(t.table);
      t.awaitBuilt();
      assertEquals(Answer.How.INDEX, t.how("f:a", "v77"));
      assertEquals(Set.of("row-of-some-length-77"), t.rows("f:a", "v77"));
    }
  }

  @Test
  public void withoutMemoryAllIsScanned() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a"), "trommel.index.memory.mb", "0", "trommel.index.page.ms", "0")) {
      for (int i = 0; i < 100; ++i) {
        t.put("r" + i, i % 2 == 0 ? "f:a" : "f:other", "v");
      }
      assertEquals(50, t.rows("f:a", "v").size());
      assertEquals(Answer.How.SCAN_MEMORY, t.how("f:a", "v"));
    }
  }

  @Test
  public void segmentsTakeAtMostSixtyBytesPerEntryBeyondValueAndRow() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a", "f:b"))) {
      for (int i = 0; i < 40_000; ++i) {
        t.region.put(
            TestRegion.cell("r" + i, "f:a", "unique" + i)
                .addColumn(Bytes.toBytes("f"), Bytes.toBytes("b"), Bytes.toBytes("few" + i % 10))
                .setDurability(Durability.SKIP_WAL));
      }
      t.flush();
      t.awaitBuilt();
      Answer status = Answer.parse(t.observer().answer(Request.of(Request.Kind.STATUS, TestRegion.TABLE).toBytes()));
      assertEquals(80_000, status.state[1]);
      double beyond = (double) (status.state[2] - status.state[3]) / status.state[1];
      System.out.printf("segments: %.1f bytes per entry beyond value and row%n", beyond);
      assertTrue("bytes per entry beyond value and row: " + beyond, beyond > 0 && beyond < 60);
    }
  }

  @Test
  public void aRowDeletedWhileItIsAskedForIsNotInTheAnswer() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a"))) {
      t.put("r", "f:a", "v");
      Gate.STEPS.put(
          "preGet",
          () -> {
            Gate.STEPS.remove("preGet");
            t.region.delete(new Delete(Bytes.toBytes("r")));
          });
      assertEquals(Set.of(), t.rows("f:a", "v"));
    }
  }

  @Test
  public void whoMayNotReadIsRefusedByIndexAndScanAlike() throws Exception {
    try (TestRegion t = new TestRegion(table("f:a"))) {
      t.put("r", "f:a", "v");
      for (String value : new String[] {"v", "none"}) {
        for (boolean built : new boolean[] {true, false}) {
          Gate.denied = false;
          if (!built) {
            t.observer().preWALAppend(null, null, null);  // A fault: the region scans.
          }
          assertEquals(built, t.how("f:a", value) == Answer.How.INDEX);
          Gate.denied = true;
          assertThrows(AccessDeniedException.class, () -> t.rows("f:a", value));
          assertThrows(
              AccessDeniedException.class,
              () -> t.observer().answer(Request.of(Request.Kind.STATUS, TestRegion.TABLE).toBytes()));
          Gate.denied = false;
          t.put("again", "f:a", "w");
          t.flush();
          t.awaitBuilt();
        }
      }
    }
  }

  @Test
  public void columnsAreWrittenAsTextAndReadBack() {
    Column odd = Column.of(new byte[] {'f', 0}, new byte[] {' ', '\\', ':', (byte) 0xFF});
    assertEquals(odd, Column.parse(odd.toString()));
    assertFalse(odd.toString(), odd.toString().contains(" "));
    assertThrows(IllegalArgumentException.class, () -> Column.parse("nonsense"));
    assertThrows(IllegalArgumentException.class, () -> Column.parse(":q"));
    assertEquals(0, Column.parse("f:").qualifier().length);
    Query query = new Query().where("f:a", new byte[0]);
    assertThrows(IllegalArgumentException.class, () -> query.where("f:a", new byte[1]));
    assertEquals(Map.of(Column.parse("f:a"), 0), Map.of(Column.parse("f:a"), query.conditions().get(Column.parse("f:a")).length));
  }
}
