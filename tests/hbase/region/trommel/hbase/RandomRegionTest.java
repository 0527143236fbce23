package trommel.hbase;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.After;
import org.junit.Test;

/**
 * Random writes, flushes, compactions and openings of one region; at each point of a flush and a compaction where
 * HBase calls a coprocessor, more random writes and questions, in the same thread. The truth is a scan.
 */
public class RandomRegionTest {
  private static final String[] COLUMNS = {"f:a", "f:b", "f:n", "g:c"};
  private static final String[] POINTS = {
    "preFlush", "early preFlush", "snapshot", "postFlush(store)", "early postFlush(store)", "postFlush",
    "early postFlush", "preCompact", "postCompact", "early postCompact"
  };

  private Random random;
  private TestRegion t;
  private int questions;
  private int byIndex;
  private int excluded;
  private int depth;
  private Throwable failure;

  @After
  public void openGates() {
    Gate.STEPS.clear();
  }

  private static TableDescriptor table() throws Exception {
    ColumnFamilyDescriptor[] families = {
      ColumnFamilyDescriptorBuilder.newBuilder("f".getBytes()).setMaxVersions(3).build(),
      ColumnFamilyDescriptorBuilder.of("g")
    };
    TableDescriptorBuilder builder = TestRegion.table(families, COLUMNS);
    for (Class<?> gate : new Class<?>[] {Gate.Early.class, Gate.class}) {
      builder.setCoprocessor(
          CoprocessorDescriptorBuilder.newBuilder(gate.getName())
              .setPriority(gate == Gate.class ? Integer.MAX_VALUE : 0)
              .build());
    }
    return builder.build();
  }

  private void run(long seed, int steps, String... settings) throws Exception {
    random = new Random(seed);
    PairFilter filter = ExactPairs.use();
    ExactPairs.failing = seed % 2 == 0 ? 0 : 2000;
    try (TestRegion region = new TestRegion(table(), settings)) {
      t = region;
      for (String point : POINTS) {
        Gate.STEPS.put(point, this::inside);
      }
      for (int step = 0; step < steps; ++step) {
        step();
        if (filter.bytes() == 0 && random.nextInt(4) == 0) {
          filter.rebuild();
        }
        if (failure != null) {
          throw new AssertionError("seed " + seed + ", step " + step, failure);
        }
      }
      for (String column : COLUMNS) {
        for (Map.Entry<String, TreeSet<String>> e : t.truth(column).entrySet()) {
          check(column, e.getKey(), e.getValue());
        }
      }
      Gate.STEPS.clear();
    }
    ExactPairs.last.checkEmpty();
    assertTrue("questions " + questions + ", by index " + byIndex, byIndex > questions / 3);
    assertTrue("questions " + questions + ", excluded " + excluded, excluded > questions / 10);
  }

  /** A few steps in the middle of a hook. Nested flushes are refused by HBase, and must do no harm. */
  private void inside() throws Exception {
    if (depth > 1 || failure != null || t.region == null || t.region.isClosing()) {
      return;
    }
    ++depth;
    try {
      someSteps();
    } catch (Exception | AssertionError e) {
      failure = e;  // Thrown by the test: thrown here it would end the server.
    } finally {
      --depth;
    }
  }

  private void someSteps() throws Exception {
    for (int i = random.nextInt(4); i > 0; --i) {
      int kind = random.nextInt(10);
      if (kind < 6) {
        write();
      } else if (kind < 9) {
        question();
      } else {
        t.flush();
      }
    }
  }

  private void step() throws Exception {
    int kind = random.nextInt(100);
    if (kind < 70) {
      write();
    } else if (kind < 90) {
      question();
    } else if (kind < 96) {
      t.flush();
    } else if (kind < 98) {
      t.region.compact(random.nextBoolean());
    } else if (kind < 99) {
      t.reopen(t.table);
    } else {
      t.awaitBuilt();
    }
  }

  private void write() throws Exception {
    String row = "r" + random.nextInt(60);
    String a = "a" + random.nextInt(6);
    Durability durability = random.nextInt(4) == 0 ? Durability.SKIP_WAL : Durability.USE_DEFAULT;
    byte[] key = row.getBytes();
    byte[] f = "f".getBytes();
    switch (random.nextInt(13)) {
      case 0:
        t.region.put(TestRegion.cell(row, "f:a", a).setDurability(durability));
        break;
      case 1:
        t.region.put(TestRegion.cell(row, "g:c", "c" + random.nextInt(5)).setDurability(durability));
        break;
      case 2:
        t.region.delete(new Delete(key).setDurability(durability));
        break;
      case 3:
        t.region.delete(new Delete(key).addColumn(f, "a".getBytes()).setDurability(durability));
        break;
      case 4:
        t.region.delete(new Delete(key).addColumns(f, "b".getBytes()));
        break;
      case 5:
        t.region.put(
            new Put(key).addColumn(f, "a".getBytes(), System.currentTimeMillis() - random.nextInt(9), a.getBytes()));
        break;
      case 6:
        t.region.put(new Put(key).addColumn(f, "a".getBytes(), 1, a.getBytes()));
        break;
      case 7:
        t.region.increment(new Increment(key).addColumn(f, "n".getBytes(), random.nextInt(3)).setDurability(durability));
        break;
      case 8:
        t.region.append(new Append(key).addColumn(f, "b".getBytes(), "x".getBytes()).setDurability(durability));
        break;
      case 9:
        t.region.checkAndMutate(
            CheckAndMutate.newBuilder(key)
                .ifNotExists(f, "a".getBytes())
                .build(TestRegion.cell(row, "f:a", a).setDurability(durability)));
        break;
      case 10:
        t.region.mutateRow(
            new RowMutations(key)
                .add((Mutation) TestRegion.cell(row, "f:a", a))
                .add((Mutation) TestRegion.cell(row, "g:c", "c" + random.nextInt(5)))
                .add((Mutation) new Delete(key).addColumns(f, "b".getBytes())));
        break;
      case 11: {
        List<Mutation> both = new ArrayList<>();
        List<byte[]> locks = new ArrayList<>();
        for (int i = 0; i < 2; ++i) {
          String other = "r" + (random.nextInt(30) + 30 * i);
          both.add(TestRegion.cell(other, "f:a", a));
          locks.add(other.getBytes());
        }
        t.region.mutateRowsWithLocks(both, locks, 0, 0);
        break;
      }
      default: {
        Mutation[] batch = new Mutation[1 + random.nextInt(20)];
        for (int i = 0; i < batch.length; ++i) {
          batch[i] = TestRegion.cell("r" + random.nextInt(60), "f:b", "b" + random.nextInt(9));
          batch[i].setDurability(random.nextInt(4) == 0 ? Durability.SKIP_WAL : Durability.USE_DEFAULT);
        }
        t.region.batchMutate(batch);
      }
    }
  }

  private void question() throws Exception {
    String column = COLUMNS[random.nextInt(COLUMNS.length)];
    Map<String, TreeSet<String>> truth = t.truth(column);
    if (random.nextInt(4) == 0) {
      TreeSet<String> both = new TreeSet<>(t.truth("f:a").getOrDefault("a1", new TreeSet<>()));
      both.retainAll(t.truth("g:c").getOrDefault("c1", new TreeSet<>()));
      assertEquals(both, t.rows("f:a", "a1", "g:c", "c1"));
    } else if (truth.isEmpty()) {
      check(column, "none", new TreeSet<>());
    } else {
      List<String> values = new ArrayList<>(truth.keySet());
      String value = values.get(random.nextInt(values.size()));
      check(column, value, truth.get(value));
    }
  }

  private void check(String column, String value, TreeSet<String> truth) throws Exception {
    byte[] bytes = value.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    assertEquals(column + "=" + value, truth, t.rows(column, bytes));
    assertEquals("by the server, " + column + "=" + value, truth, t.serverRows(column, bytes));
    if (t.excluded(column, "none")) {
      ++excluded;
    }
    ++questions;
    if (t.how(column, bytes) == Answer.How.INDEX) {
      ++byIndex;
    }
  }

  @Test
  public void answersEqualAScanAtEachPointOfFlushesAndCompactions() throws Exception {
    for (long seed = 1; seed <= Integer.getInteger("trommel.seeds", 3); ++seed) {
      run(seed, 200);
    }
  }

  @Test
  public void answersEqualAScanWithPagesOfOneRow() throws Exception {
    run(11, 150, "trommel.index.page.rows", "1");
  }

  @Test
  public void answersEqualAScanWithInMemoryCompaction() throws Exception {
    run(12, 200, "hbase.hregion.compacting.memstore.type", "EAGER", "hbase.hregion.memstore.flush.size", "262144");
  }

  @Test
  public void answersEqualAScanWithStripes() throws Exception {
    run(13, 200, "hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.StripeStoreEngine",
        "hbase.store.stripe.initialStripeCount", "3");
  }

  @Test
  public void answersEqualAScanWithDateTiers() throws Exception {
    run(14, 200, "hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine");
  }
}
