package trommel.hbase.trial;

import static trommel.hbase.trial.TrialTable.A;
import static trommel.hbase.trial.TrialTable.B;
import static trommel.hbase.trial.TrialTable.C;
import static trommel.hbase.trial.TrialTable.F;
import static trommel.hbase.trial.TrialTable.G;
import static trommel.hbase.trial.TrialTable.N;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.IndexedTable;

/** Readers that know, without a scan, what an answer must be at any moment: it is that, or an exception. */
final class Readers {
  private static final int KEPT = 300;
  private static final int KEPT_VALUES = 30;
  private static final Column CA = Column.of(F, A);
  private static final Column CB = Column.of(F, B);
  private static final Column CN = Column.of(F, N);
  private static final Column CC = Column.of(G, C);

  private Readers() {}

  private static byte[] keptRow(int i) {
    return Bytes.toBytes(String.format("r%04d-kept", i * (TrialTable.ROWS / KEPT)));
  }

  /** Writes the rows that never change. */
  static void writeKept(Connection connection) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < KEPT; ++i) {
      puts.add(new Put(keptRow(i)).addColumn(F, A, Bytes.toBytes("kept" + i % KEPT_VALUES)).addColumn(G, C, Bytes.toBytes("kept")));
    }
    try (Table table = connection.getTable(TrialTable.NAME)) {
      table.put(puts);
    }
  }

  /** Asks for rows that never change, whatever happens to the table, until told to stop. */
  static void readKept(Connection connection, Random random, AtomicBoolean stop, Tally tally) throws IOException {
    try (IndexedTable table = TrialTable.open(connection)) {
      while (!stop.get()) {
        int v = random.nextInt(KEPT_VALUES);
        Map<Column, byte[]> question = new LinkedHashMap<>();
        question.put(CA, Bytes.toBytes("kept" + v));
        if (random.nextInt(4) == 0) {
          question.put(CC, Bytes.toBytes("kept"));
        }
        try {
          NavigableSet<byte[]> got = TrialTable.ask(table, question, tally);
          NavigableSet<byte[]> expected = TrialTable.sortedRows();
          for (int i = v; i < KEPT; i += KEPT_VALUES) {
            expected.add(keptRow(i));
          }
          tally.count("queries for rows that never change");
          if (!got.equals(expected) && tally.add("WRONG: answers for rows that never change", 1) <= 20) {
            expected.removeAll(got);
            tally.say("WRONG: rows of kept%d: %d found, missing %s", v, got.size(),
                expected.stream().map(Bytes::toStringBinary).collect(java.util.stream.Collectors.toList()));
          }
        } catch (IOException | RuntimeException e) {
          tally.failed("query for rows that never change", e);
          pause(50);
        }
      }
    }
  }

  /** One row that no other thread writes, and what it must be found under. */
  private static final class OwnRow {
    final byte[] key;
    byte[] b;
    byte[] n;
    byte[] before;

    OwnRow(byte[] key) {
      this.key = key;
    }
  }

  /**
   * Changes rows of its own and asks for them at once, with no other change of them possible between: the answer to
   * an acknowledged change has the row, and one to the value before does not. A change that failed may have been
   * carried out or may be later: that row is never used again.
   */
  static final class Owner {
    private final RandomTrial trial;
    private final Random random;
    private final List<OwnRow> rows = new ArrayList<>();
    private long serial;
    private long epoch;

    Owner(RandomTrial trial, Random random) {
      this.trial = trial;
      this.random = random;
    }

    void run() throws IOException {
      try (Table table = trial.connection().getTable(TrialTable.NAME);
          IndexedTable index = TrialTable.open(trial.connection())) {
        while (!trial.stopped().get()) {
          trial.writing().lock();
          trial.restoring().readLock().lock();
          try {
            turn(table, index);
          } finally {
            trial.restoring().readLock().unlock();
            trial.writing().unlock();
          }
        }
      }
    }

    private void turn(Table table, IndexedTable index) {
      if (epoch != trial.epoch()) {  // The table was set back to a snapshot.
        epoch = trial.epoch();
        rows.clear();
      }
      int at = random.nextInt(60);
      OwnRow row = at < rows.size() ? rows.get(at)
          : new OwnRow(Bytes.toBytes(String.format("r%04d-own%d", random.nextInt(TrialTable.ROWS), serial++)));
      String change;
      try {
        change = change(table, row);
      } catch (Exception e) {
        trial.tally().failed("change of an own row", e);
        rows.remove(row);
        pause(50);
        return;
      }
      if (at >= rows.size()) {
        rows.add(row);
      }
      trial.tally().count("own rows: " + change);
      expect(index, CB, row.b, row, true, change);
      expect(index, CN, row.n, row, true, change);
      expect(index, CB, row.before, row, false, change);
    }

    private String change(Table table, OwnRow row) throws IOException {
      row.before = row.b;
      int kind = row.b == null ? 0 : random.nextInt(6);
      if (kind == 0 || kind == 1) {
        byte[] value = Bytes.toBytes("own" + trial.seed() + "-" + serial++);
        table.put(logged(new Put(row.key).addColumn(F, B, value)));
        row.b = value;
        return "put";
      }
      if (kind == 2 || kind == 3) {
        Result r = table.increment(logged(new Increment(row.key).addColumn(F, N, 1000 + random.nextInt(1000000))));
        row.n = r.getValue(F, N);
        row.before = null;
        return "increment";
      }
      if (kind == 4) {
        Result r = table.append(logged(new Append(row.key).addColumn(F, B, Bytes.toBytes("+"))));
        row.b = r.getValue(F, B);
        return "append";
      }
      table.delete(new Delete(row.key).addColumns(F, B));
      row.b = null;
      return "delete";
    }

    private <M extends Mutation> M logged(M mutation) {
      if (trial.skipsLog() && random.nextBoolean()) {
        mutation.setDurability(Durability.SKIP_WAL);
      }
      return mutation;
    }

    private void expect(IndexedTable index, Column column, byte[] value, OwnRow row, boolean present, String change) {
      if (value == null) {
        return;
      }
      Tally tally = trial.tally();
      try {
        boolean found = TrialTable.ask(index, Map.of(column, value), tally).contains(row.key);
        tally.count("queries for own rows");
        if (found != present && tally.add("WRONG: answers for own rows", 1) <= 20) {
          tally.say("WRONG: after %s of %s, %s = %s: the row is %s", change, Bytes.toStringBinary(row.key), column,
              Bytes.toStringBinary(value), found ? "still found" : "not found");
        }
      } catch (IOException | RuntimeException e) {
        tally.failed("query for own rows", e);
      }
    }
  }

  static void pause(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
