package trommel.hbase.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.IndexedRows;
import trommel.hbase.IndexedTable;
import trommel.hbase.Query;
import trommel.hbase.RegionStatus;

/**
 * Measures what the index on HBase promises, and prints a table with each target and whether it is met. Times are
 * ratios of two things that take turns in one run, warm: the median of the ratios of neighbouring rounds, with the
 * quarter and three quarters. Exit status: 0 all met, 1 one is not, or an answer is wrong.
 */
public final class Targets {
  private static final TableName INDEXED = TableName.valueOf("indexed");
  private static final TableName PLAIN = TableName.valueOf("plain");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] A = Bytes.toBytes("a");
  private static final byte[] B = Bytes.toBytes("b");
  private static final byte[] PAD = Bytes.toBytes("pad");
  private static final int ROWS = 200_000;
  private static final int BATCH = 1000;
  private static final int ROUNDS = 41;

  private final Connection connection;
  private final Admin admin;
  private final Random random = new Random(1);
  private boolean met = true;
  private int written;

  private Targets(Connection connection, Admin admin) {
    this.connection = connection;
    this.admin = admin;
  }

  public static void main(String[] arguments) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    boolean met;
    try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
      met = new Targets(connection, admin).run();
    }
    System.exit(met ? 0 : 1);
  }

  private boolean run() throws Exception {
    TableDescriptor plain =
        TableDescriptorBuilder.newBuilder(PLAIN).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build();
    admin.createTable(plain);
    admin.createTable(IndexedTable.index(
        TableDescriptorBuilder.copy(INDEXED, plain), Column.of(F, A), Column.of(F, B)));
    System.out.printf("%-66s %9s %20s %9s%n", "what", "median", "quarter to 3 quarters", "target");
    try (Table with = connection.getTable(INDEXED); Table without = connection.getTable(PLAIN);
        IndexedTable index = new IndexedTable(connection, INDEXED)) {
      sameServer();
      batches(with, without);
      singlePuts(with, without);
      fill(with);
      lookups(index);
      memory(index);
      move(index);
    }
    return met;
  }

  /** Both tables on one server, so that none of them shares its server with something else. */
  private void sameServer() throws Exception {
    RegionInfo plain = admin.getRegions(PLAIN).get(0);
    var server = connection.getRegionLocator(INDEXED).getRegionLocation(new byte[0], true).getServerName();
    if (!connection.getRegionLocator(PLAIN).getRegionLocation(new byte[0], true).getServerName().equals(server)) {
      admin.move(plain.getEncodedNameAsBytes(), server);
    }
    connection.clearRegionLocationCache();
  }

  private void report(String what, double[] values, double target) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double median = sorted[sorted.length / 2];
    boolean good = median <= target;
    met &= good;
    System.out.printf(Locale.ROOT, "%-66s %9.2f %9.2f to %8.2f %9.2f %s%n", what, median, sorted[sorted.length / 4],
        sorted[sorted.length * 3 / 4], target, good ? "met" : "NOT MET");
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private interface Step {
    void run() throws Exception;
  }

  private static double seconds(Step step) throws Exception {
    long start = System.nanoTime();
    step.run();
    return (System.nanoTime() - start) / 1e9;
  }

  /** The ratio of two steps for each round, after a warm-up of a third of the rounds; who begins changes. */
  private void ratio(String what, Step one, Step other, double target) throws Exception {
    int warm = ROUNDS / 3;
    double[] ratios = new double[ROUNDS];
    double[] ones = new double[ROUNDS];
    double[] others = new double[ROUNDS];
    for (int i = -warm; i < ROUNDS; ++i) {
      double a = 0;
      double b;
      if (i % 2 == 0) {
        a = seconds(one);
      }
      b = seconds(other);
      if (i % 2 != 0) {
        a = seconds(one);
      }
      if (i >= 0) {
        ratios[i] = a / b;
        ones[i] = a;
        others[i] = b;
      }
    }
    report(what, ratios, target);
    System.out.printf(Locale.ROOT, "    %.3f ms and %.3f ms per round%n", median(ones) * 1e3, median(others) * 1e3);
  }

  private Put put(int i) {
    return new Put(Bytes.toBytes(String.format("row%07d", i)))
        .addColumn(F, A, Bytes.toBytes("value" + i / 10))
        .addColumn(F, B, Bytes.toBytes("other" + i % 1000))
        .addColumn(F, PAD, new byte[100]);
  }

  private List<Put> puts(int n) {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < n; ++i) {
      puts.add(put(written + i));
    }
    return puts;
  }

  private void batches(Table with, Table without) throws Exception {
    ratio("batch of 1,000 puts, two indexed columns / table without index",
        () -> with.put(puts(BATCH)),
        () -> {
          without.put(puts(BATCH));
          written += BATCH;
        }, 1.5);
  }

  private void singlePuts(Table with, Table without) throws Exception {
    ratio("100 single puts, two indexed columns / table without index",
        () -> {
          for (int i = 0; i < 100; ++i) {
            with.put(put(random.nextInt(ROWS)));
          }
        },
        () -> {
          for (int i = 0; i < 100; ++i) {
            without.put(put(random.nextInt(ROWS)));
          }
        }, 1.3);
  }

  private void fill(Table table) throws Exception {
    for (written = 0; written < ROWS; written += BATCH) {
      table.put(puts(BATCH));
    }
    admin.flush(INDEXED);
    admin.majorCompact(INDEXED);
    try (IndexedTable index = new IndexedTable(connection, INDEXED)) {
      waitUntilBuilt(index);
    }
  }

  /** Returns after how many seconds all is in segments. */
  private double waitUntilBuilt(IndexedTable index) throws Exception {
    long start = System.nanoTime();
    for (int quiet = 0; quiet < 10; ) {
      Thread.sleep(100);
      boolean built = true;
      for (RegionStatus s : index.status()) {
        built &= s.built() && s.segmentEntries() >= 2L * ROWS;
      }
      quiet = built ? quiet + 1 : 0;
      if (System.nanoTime() - start > 120_000_000_000L) {
        throw new IOException("not built after 120 s: " + index.status());
      }
    }
    return (System.nanoTime() - start) / 1e9 - 1;
  }

  private int count(IndexedTable index, byte[] value) throws IOException {
    int n = 0;
    try (IndexedRows rows = index.query(new Query().where(Column.of(F, A), value))) {
      while (rows.next() != null) {
        ++n;
      }
    }
    return n;
  }

  private void expect(int expected, int got, String what) {
    if (expected != got) {
      met = false;
      System.out.printf("WRONG: %s: %d rows instead of %d%n", what, got, expected);
    }
  }

  private void lookups(IndexedTable index) throws Exception {
    for (int i = 0; i < 4000; ++i) {  // The compiler of the server needs some thousand calls.
      index.ping(Bytes.toBytes("row"));
      expect(0, count(index, Bytes.toBytes("absent" + i)), "absent value");
    }
    ratio("100 queries of an absent value, one region / empty calls of the endpoint",
        () -> {
          for (int i = 0; i < 100; ++i) {
            expect(0, count(index, Bytes.toBytes("absent" + random.nextInt())), "absent value");
          }
        },
        () -> {
          for (int i = 0; i < 100; ++i) {
            index.ping(Bytes.toBytes("row"));
          }
        }, 1.6);
  }

  private void memory(IndexedTable index) throws IOException {
    double bytes = 0;
    double data = 0;
    double entries = 0;
    for (RegionStatus s : index.status()) {
      bytes += s.segmentBytes();
      data += s.dataBytes();
      entries += s.segmentEntries();
    }
    report("bytes of segments per entry, beyond value and row", new double[] {(bytes - data) / entries}, 60);
    System.out.printf(Locale.ROOT, "    %.0f entries, %.1f bytes each in all%n", entries, bytes / entries);
  }

  private void move(IndexedTable index) throws Exception {
    double[] firsts = new double[9];
    double[] builts = new double[firsts.length];
    for (int i = 0; i < firsts.length; ++i) {
      RegionInfo region = admin.getRegions(INDEXED).get(0);
      admin.move(region.getEncodedNameAsBytes());
      byte[] value = Bytes.toBytes("value" + random.nextInt(ROWS / 10));
      firsts[i] = seconds(() -> expect(10, count(index, value), "the first query after a move"));
      expect(10, count(index, Bytes.toBytes("value" + i)), "the second query after a move");
      builts[i] = firsts[i] + waitUntilBuilt(index);
    }
    report("first query after a move of 200,000 rows, seconds", firsts, 1.5);
    // HBase's client learns of the end of a move some time after the region is open, and the build begins at once.
    System.out.printf(
        Locale.ROOT, "    asked when move() has returned, which is after the build began; built again %.2f s later (median)%n", median(builts));
  }
}
