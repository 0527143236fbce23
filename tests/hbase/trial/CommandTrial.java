package trommel.hbase.trial;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.IndexedTable;
import trommel.hbase.command.Main;

/**
 * The command trommel-hbase on a cluster: what it prints and its exit statuses, on a table that is written meanwhile,
 * and on one whose index was made wrong on purpose. Exit status: 0 all as promised, 1 not.
 */
public final class CommandTrial {
  private static final TableName SHOP = TableName.valueOf("shop");
  private static final TableName SPOILT = TableName.valueOf("spoilt");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] G = Bytes.toBytes("g");
  private static final byte[] A = Bytes.toBytes("a");
  private static final byte[] B = Bytes.toBytes("b");
  private static final byte[] N = Bytes.toBytes("n");
  private static final int ROWS = 2000;
  private static final int VALUES = 40;
  private static final int INCREMENTED = 5;

  private final Configuration conf = HBaseConfiguration.create();
  private final Connection connection;
  private final Admin admin;
  private int asserted;
  private int wrong;

  private CommandTrial() throws IOException {
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
  }

  public static void main(String[] arguments) throws Exception {
    CommandTrial trial = new CommandTrial();
    trial.refused();
    trial.shop();
    trial.spoilt();
    trial.oneServer();
    System.out.println((trial.wrong == 0 ? "PASSED: " : "FAILED: ") + trial.asserted + " asserted, " + trial.wrong + " wrong");
    System.exit(trial.wrong == 0 ? 0 : 1);
  }

  private void check(boolean right, String what) {
    ++asserted;
    if (!right) {
      ++wrong;
      System.out.println("WRONG: " + what);
    }
  }

  /** Runs the command; returns its standard output, or its standard error where that says more. */
  private String run(int status, String expected, String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int got = Main.run(new Configuration(conf), List.of(words), out, new PrintStream(err, true));
    String both = out + "|" + err;
    check(got == status && both.contains(expected),
        String.join(" ", words) + ": status " + got + " instead of " + status + ", or no \"" + expected + "\" in " + both);
    return out.toString();
  }

  // ---- what is refused

  private void refused() throws IOException {
    for (String[] words : new String[][] {{"index", "none", "f:a"}, {"drop", "none"}, {"query", "none", "f:a=1"}, {"verify", "none"}, {"stats", "none"}}) {
      run(3, "none: no such table", words);
    }
    admin.createTable(plain(SHOP), new byte[][] {row(500), row(1000), row(1500)});
    for (String[] words : new String[][] {{"drop", "shop"}, {"query", "shop", "f:a=1"}, {"verify", "shop"}, {"stats", "shop"}}) {
      run(3, "the table has no index", words);
    }
    run(3, "column h:a: the table has no such family; it has f, g", "index", "shop", "f:a", "h:a");
  }

  private static TableDescriptor plain(TableName name) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G))
        .build();
  }

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format("r%05d", i));
  }

  // ---- a table that is written

  private void shop() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong written = new AtomicLong();
    Thread[] writers = new Thread[2];
    for (int i = 0; i < writers.length; ++i) {
      int seed = i;
      writers[i] = new Thread(() -> write(new Random(seed), stop, written));
      writers[i].start();
    }
    while (written.get() < ROWS / 2) {
      Thread.sleep(10);
    }
    run(0, "1 column indexed (f:a)", "index", "shop", "f:a");
    run(0, "2 columns indexed (f:a g:b)", "index", "shop", "g:b", "f:a");
    run(0, "2 columns indexed (f:a g:b)", "index", "shop", "g:b");
    run(0, "all agree", "verify", "shop");
    run(0, "\"agree\": true", "verify", "shop", "--repair", "--json", "--one-in", "3", "--threads", "2");
    String stats = run(0, "4 regions", "stats", "shop");
    check(stats.lines().count() == 1 + 4 + serversOf(SHOP) + 1, "stats has a line for each region and server: " + stats);
    long before = written.get();
    Thread.sleep(500);
    check(written.get() > before, "writers go on");
    stop.set(true);
    for (Thread writer : writers) {
      writer.join();
    }
    queries();
    run(3, "column f:x has no index", "drop", "shop", "f:x");
    run(0, "indexed are: g:b", "drop", "shop", "f:a");
    run(3, "is not indexed", "query", "shop", "f:a=a1");
    run(0, "\t", "query", "shop", "g:b=b1");
    run(0, "no index any more", "drop", "shop");
    run(3, "the table has no index", "query", "shop", "g:b=b1");
  }

  private long serversOf(TableName name) throws IOException {
    return connection.getRegionLocator(name).getAllRegionLocations().stream().map(l -> l.getServerName()).distinct().count();
  }

  private void write(Random random, AtomicBoolean stop, AtomicLong written) {
    try (Table table = connection.getTable(SHOP)) {
      for (int i = 0; !stop.get(); ++i) {
        byte[] row = row(random.nextInt(ROWS));
        if (random.nextInt(10) == 0) {
          table.delete(new Delete(row));
        } else {
          table.put(new Put(row)
              .addColumn(F, A, Bytes.toBytes("a" + random.nextInt(VALUES)))
              .addColumn(G, B, Bytes.toBytes("b" + random.nextInt(VALUES))));
        }
        written.incrementAndGet();
        if (i % 1000 == 999) {
          admin.flush(SHOP);
        }
        Thread.sleep(1);
      }
    } catch (IOException | InterruptedException e) {
      throw new RuntimeException(e);
    }
  }

  private void queries() throws IOException {
    for (int i = 0; i < VALUES; ++i) {
      String a = "a" + i;
      String expected = lines(SHOP, F, A, Bytes.toBytes(a), "f:a=" + a);
      check(sorted(run(0, "candidates", "query", "shop", "f:a=" + a)).equals(expected), "rows of f:a=" + a);
    }
    try (Table table = connection.getTable(SHOP)) {
      byte[] odd = {0, 'Z', (byte) 0xC3, (byte) 0xBC, '\\', '=', ' ', '\t', '"'};
      table.put(new Put(new byte[] {'r', (byte) 255}).addColumn(F, A, odd).addColumn(G, new byte[] {'='}, new byte[0]));
    }
    String odd = "\\x00Z\\xC3\\xBC\\x5C= \\x09\"";
    for (String typed : new String[] {odd, "\\x00Z\u00FC\\x5c= \t\""}) {
      check(run(0, "1 row ", "query", "shop", "f:a=" + typed, "--select", "g:\\x3D").equals("r\\xFF\tf:a=" + odd + "\tg:\\x3D=\n"),
          "odd bytes, typed as " + typed);
    }
    String json = run(0, "", "query", "shop", "f:a=" + odd, "--json");
    check(json.startsWith("{\"row\": \"r\\\\xFF\", \"columns\": {\"f:a\": \"\\\\x00Z\\\\xC3\\\\xBC\\\\x5C= \\\\x09\\\"\"}}\n{\"statistics\": {\"rows\": 1, "),
        "JSON of odd bytes: " + json);
    check(run(0, "the limit", "query", "shop", "f:a=a1", "--limit", "3").lines().count() == 3, "three lines with --limit 3");
    check(run(0, "", "query", "shop", "f:a=a1", "--from", "r005", "--to", "r01").lines().allMatch(l -> l.compareTo("r005") >= 0 && l.compareTo("r01") < 0),
        "rows within --from and --to");
    run(1, "0 rows", "query", "shop", "f:a=absent", "--timeout", "60");
    run(3, "is not indexed; indexed are", "query", "shop", "g:c=1");
  }

  private String lines(TableName name, byte[] family, byte[] qualifier, byte[] value, String text) throws IOException {
    TreeSet<String> lines = new TreeSet<>();
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(new Scan().addColumn(family, qualifier))) {
      for (Result r : scanner) {
        if (Arrays.equals(r.getValue(family, qualifier), value)) {
          lines.add(Bytes.toStringBinary(r.getRow()) + "\t" + text);
        }
      }
    }
    return String.join("\n", lines);
  }

  private static String sorted(String lines) {
    return lines.lines().sorted().collect(Collectors.joining("\n"));
  }

  // ---- an index that is wrong

  private void spoilt() throws IOException {
    admin.createTable(
        TableDescriptorBuilder.newBuilder(
                IndexedTable.index(plain(SPOILT), Column.of(F, A), Column.of(F, N)))
            .setCoprocessor(
                CoprocessorDescriptorBuilder.newBuilder(Spoiler.class.getName())
                    .setPriority(Coprocessor.PRIORITY_USER + 1)  // After the index, which therefore sees another value.
                    .build())
            .build(),
        new byte[][] {row(0), row(2)});
    try (Table table = connection.getTable(SPOILT)) {
      incrementAfterTheIndex(table);
      byte[] forged = Bytes.toBytes(Spoiler.FORGED_ROWS);
      table.put(new Put(forged).addColumn(F, A, Spoiler.FORGED));
      table.put(new Put(forged).addColumn(F, A, Bytes.toBytes("a1")));
      // The forged row is lost, too: by its gets it has not the value that scans show.
      String found = run(1, INCREMENTED + 1 + " lost, 1 extra", "verify", "spoilt");
      check(found.contains("lost\tr00003\tf:n=\\x00\\x00\\x00\\x00\\x00\\x0FBA\n"), "the lost row is named in " + found);
      check(found.contains("extra\tforged\tf:a=a0\n"), "the extra row is named in " + found);
      run(1, "\"lost\": 1, \"extra\": 1", "verify", "spoilt", "--repair", "--json");
      table.delete(new Delete(forged));
      run(0, "all agree", "verify", "spoilt");
      admin.flush(SPOILT);
      incrementAfterTheIndex(table);
      run(0, "3 regions opened again, and compared again:", "verify", "spoilt", "--repair");
      run(0, "all agree", "verify", "spoilt", "--repair");
    }
  }

  private static void incrementAfterTheIndex(Table table) throws IOException {
    for (int i = 0; i < INCREMENTED; ++i) {
      byte[] row = i == 0 ? Bytes.toBytes("a") : row(i);
      table.increment(new Increment(row).addColumn(F, N, 1).setDurability(Durability.SKIP_WAL));
    }
  }

  /** Without another server, regions are opened again where they are. */
  private void oneServer() throws Exception {
    cluster("kill", "1");
    cluster("kill", "2");
    run(0, "all agree", "verify", "spoilt");
    try (Table table = connection.getTable(SPOILT)) {
      incrementAfterTheIndex(table);
    }
    run(0, "3 regions opened again, and compared again:", "verify", "spoilt", "--repair");
    cluster("start", "1");
    cluster("start", "2");
  }

  private static void cluster(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(
        List.of(System.getProperty("trommel.cluster"), "--dir", System.getProperty("trommel.cluster.dir")));
    command.addAll(List.of(arguments));
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException("tools/hbase/cluster " + String.join(" ", arguments) + ": status " + status);
    }
  }
}
