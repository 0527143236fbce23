package trommel.hbase.trial;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import trommel.hbase.IndexedRows;
import trommel.hbase.IndexedTable;
import trommel.hbase.Query;
import trommel.hbase.UnansweredException;

/** What queries say when all region servers are killed: nothing silently, and within the times that were set. */
final class ServersDown {
  /** Takes what was asserted, and a text if it is wrong. */
  interface Check {
    void that(boolean right, String wrong);
  }

  private final Configuration conf;
  private final TableName table;
  private final Query bounded;
  private final Query all;
  private final byte[] from;
  private final byte[] stop;
  private final Check check;

  /** Takes a table and a condition that several rows of [from, stop) meet. */
  ServersDown(Configuration conf, TableName table, String column, byte[] value, byte[] from, byte[] stop, Check check) {
    this.conf = conf;
    this.table = table;
    this.bounded = new Query().where(column, value).within(from, stop);
    this.all = new Query().where(column, value);
    this.from = from;
    this.stop = stop;
    this.check = check;
  }

  /** Kills all servers while an answer is read. */
  void run() throws Exception {
    Configuration retries = new Configuration(conf);
    retries.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 2);
    Configuration timeouts = new Configuration(conf);
    timeouts.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 1000);
    for (Configuration c : List.of(retries, timeouts)) {
      c.setInt(HConstants.HBASE_RPC_TIMEOUT_KEY, 3000);
      c.setInt(HConstants.HBASE_CLIENT_OPERATION_TIMEOUT, 6000);
      c.setInt(HConstants.HBASE_CLIENT_META_OPERATION_TIMEOUT, 6000);
    }
    try (Connection one = ConnectionFactory.createConnection(retries); Connection two = ConnectionFactory.createConnection(timeouts);
        IndexedTable first = new IndexedTable(one, table); IndexedTable second = new IndexedTable(two, table)) {
      Set<String> expected = new TreeSet<>();
      first.query(bounded).forEach(found -> expected.add(Bytes.toString(found.getRow())));
      IndexedRows begun = first.query(bounded);
      Result row = begun.next();
      check.that(row != null, "no row before servers were killed");
      second.status();  // Its connection knows where the regions are.
      int status = new ProcessBuilder(
          System.getProperty("trommel.cluster"), "--dir", System.getProperty("trommel.cluster.dir"), "kill", "all")
          .inheritIO().start().waitFor();
      check.that(status == 0, "servers could not be killed");
      unanswered("a query that had begun", begun, expected, row, from, stop);
      unanswered("few retries", first.query(bounded), expected, null, from, stop);
      unanswered("short timeouts", second.query(all), expected, null, new byte[0], new byte[0]);
      unanswered("the query's own time", second.query(all.timeout(Duration.ofMillis(500))), expected, null, new byte[0], new byte[0]);
      try {
        second.status();
        check.that(false, "a status without servers");
      } catch (UnansweredException e) {
        check.that(e.getMessage().contains("from the first to the last"), "status without servers: " + e);
      }
    }
  }

  /** What came is right, what did not come is in the ranges that are named; without servers these are all rows. */
  private void unanswered(String what, IndexedRows rows, Set<String> expected, Result begun, byte[] from, byte[] stop)
      throws IOException {
    long start = System.nanoTime();
    Set<String> came = new TreeSet<>();
    if (begun != null) {
      came.add(Bytes.toString(begun.getRow()));
    }
    try {
      for (Result row = rows.next(); row != null; row = rows.next()) {
        came.add(Bytes.toString(row.getRow()));
      }
      check.that(begun != null, what + ": an answer without servers");
    } catch (UnansweredException e) {
      List<Pair<byte[], byte[]>> missing = new ArrayList<>(e.ranges());
      missing.sort((a, b) -> Arrays.compareUnsigned(a.getFirst(), b.getFirst()));
      for (String row : begun != null ? expected : Set.<String>of()) {
        byte[] key = Bytes.toBytes(row);
        boolean named = missing.stream().anyMatch(range -> Arrays.compareUnsigned(range.getFirst(), key) <= 0
            && (range.getSecond().length == 0 || Arrays.compareUnsigned(key, range.getSecond()) < 0));
        check.that(came.contains(row) || named, what + ": row " + row + " neither came nor is in " + e.getMessage());
      }
      if (begun == null) {
        byte[] at = from;
        for (Pair<byte[], byte[]> range : missing) {
          check.that(Arrays.equals(at, range.getFirst()), what + ": not all rows are in " + e.getMessage());
          at = range.getSecond();
        }
        check.that(Arrays.equals(at, stop) && came.isEmpty(), what + ": not all rows are in " + e.getMessage());
      }
      System.out.printf("%s: after %.1f s: %s%n", what, (System.nanoTime() - start) / 1e9, e.getMessage().lines().findFirst().get());
    } catch (IOException e) {
      check.that(false, what + ": no UnansweredException but " + e);
    }
    check.that(expected.containsAll(came), what + ": rows that do not meet the condition: " + came);
  }
}
