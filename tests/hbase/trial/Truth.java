package trommel.hbase.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.IndexedTable;

/**
 * Compares the index with a scan of the table, both ways and for every value: those that the scan found, those that
 * a row may have had, and some that no row ever had. No writes must be under way; everything else may.
 */
final class Truth {
  private static final int THREADS = 3;
  private static final int PAIRS = 60;
  private static final int SHOWN = 20;

  private final Connection connection;
  private final Tally tally;
  /** Of each indexed column: value, row, time stamp of the cell. */
  private final List<NavigableMap<byte[], NavigableMap<byte[], Long>>> truth = new ArrayList<>();

  private final TableName name;

  Truth(Connection connection, TableName name, Tally tally) {
    this.connection = connection;
    this.name = name;
    this.tally = tally;
  }

  /** Compares one value in `every`, 1 for all of them; returns how many rows were wrong. */
  long check(Random random, int every) throws Exception {
    double start = tally.seconds();
    scan();
    List<Map<Column, byte[]>> questions = new ArrayList<>();
    long rows = 0;
    for (int c = 0; c < TrialTable.COLUMNS.length; ++c) {
      for (Map.Entry<byte[], NavigableMap<byte[], Long>> e : withAbsent(c).entrySet()) {
        if (random.nextInt(every) == 0) {
          questions.add(Map.of(TrialTable.COLUMNS[c], e.getKey()));
          rows += e.getValue().size();
        }
      }
    }
    int single = questions.size();
    for (int i = 0; i < PAIRS / every; ++i) {
      questions.add(pair(random));
    }
    long wrong = askAll(questions);
    tally.count("checks against a scan");
    tally.add("rows compared", rows);
    tally.say("check: %d values, %d pairs of values, %d rows: %d wrong; %.1f s", single, PAIRS / every, rows, wrong,
        tally.seconds() - start);
    return wrong;
  }

  private void scan() throws IOException {
    for (int c = 0; c < TrialTable.COLUMNS.length; ++c) {
      truth.add(new TreeMap<>(Arrays::compareUnsigned));
    }
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(new Scan().setCaching(1000))) {
      for (Result r : scanner) {
        for (int c = 0; c < TrialTable.COLUMNS.length; ++c) {
          Column column = TrialTable.COLUMNS[c];
          Cell cell = r.getColumnLatestCell(column.family(), column.qualifier());
          if (cell != null) {
            byte[] value = r.getValue(column.family(), column.qualifier());
            truth.get(c).computeIfAbsent(value, v -> new TreeMap<>(Arrays::compareUnsigned))
                .put(r.getRow(), cell.getTimestamp());
          }
        }
      }
    }
  }

  private Map<byte[], NavigableMap<byte[], Long>> withAbsent(int c) {
    NavigableMap<byte[], NavigableMap<byte[], Long>> all = new TreeMap<>(truth.get(c));
    int values = new int[] {Writer.VALUES_A, Writer.VALUES_B, 0, Writer.VALUES_C}[c];
    String letter = Bytes.toString(TrialTable.COLUMNS[c].qualifier());
    for (int i = 0; i < values + 3; ++i) {
      all.putIfAbsent(Bytes.toBytes(letter + i), new TreeMap<>(Arrays::compareUnsigned));
    }
    all.putIfAbsent(new byte[0], new TreeMap<>(Arrays::compareUnsigned));
    return all;
  }

  private Map<Column, byte[]> pair(Random random) {
    Map<Column, byte[]> pair = new LinkedHashMap<>();
    int first = random.nextInt(TrialTable.COLUMNS.length);
    int second = (first + 1 + random.nextInt(TrialTable.COLUMNS.length - 1)) % TrialTable.COLUMNS.length;
    for (int c : new int[] {first, second}) {
      List<byte[]> values = new ArrayList<>(truth.get(c).keySet());
      pair.put(TrialTable.COLUMNS[c],
          values.isEmpty() ? Bytes.toBytes("none") : values.get(random.nextInt(values.size())));
    }
    return pair;
  }

  private long askAll(List<Map<Column, byte[]>> questions) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int t = 0; t < THREADS; ++t) {
        int first = t;
        tasks.add(() -> {
          long wrong = 0;
          try (IndexedTable table = new IndexedTable(connection, name)) {
            for (int i = first; i < questions.size(); i += THREADS) {
              wrong += compare(table, questions.get(i));
            }
          }
          return wrong;
        });
      }
      long wrong = 0;
      for (Future<Long> f : pool.invokeAll(tasks)) {
        wrong += f.get();
      }
      return wrong;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
    } finally {
      pool.shutdownNow();
    }
  }

  private NavigableSet<byte[]> expected(Map<Column, byte[]> question) {
    NavigableSet<byte[]> rows = null;
    for (Map.Entry<Column, byte[]> e : question.entrySet()) {
      int c = Arrays.asList(TrialTable.COLUMNS).indexOf(e.getKey());
      NavigableMap<byte[], Long> have = truth.get(c).get(e.getValue());
      NavigableSet<byte[]> these = TrialTable.sortedRows();
      if (have != null) {
        these.addAll(have.keySet());
      }
      if (rows == null) {
        rows = these;
      } else {
        rows.retainAll(these);
      }
    }
    return rows;
  }

  private long compare(IndexedTable table, Map<Column, byte[]> question) throws IOException {
    NavigableSet<byte[]> expected = expected(question);
    NavigableSet<byte[]> got = TrialTable.ask(table, question, tally);
    long wrong = 0;
    for (byte[] row : expected) {
      if (!got.contains(row)) {
        wrong += finding("LOST", table, question, row);
      }
    }
    for (byte[] row : got) {
      if (!expected.contains(row)) {
        wrong += finding("EXTRA", table, question, row);
      }
    }
    return wrong;
  }

  /**
   * Reports a row on which scan and index disagree. A change that a client gave up on may still have been carried
   * out after the scan: then the row's cells differ from those that the scan saw, and the row proves nothing.
   */
  private long finding(String kind, IndexedTable index, Map<Column, byte[]> question, byte[] row) throws IOException {
    try (Table table = connection.getTable(name)) {
      for (Column column : question.keySet()) {
        if (!unchanged(table, column, row)) {
          tally.count("rows that changed during a check");
          return 0;
        }
      }
      if (tally.add(kind.equals("LOST") ? "LOST rows" : "EXTRA rows", 1) <= SHOWN) {
        boolean now = TrialTable.ask(index, question, tally).contains(row);
        HRegionLocation at = connection.getRegionLocator(name).getRegionLocation(row, true);
        tally.say("%s: row %s, question %s; asked again it is %s; region %s on %s", kind, Bytes.toStringBinary(row),
            text(question), now ? "in the answer" : "not in the answer",
            at.getRegion().getEncodedName(), at.getServerName());
        Result all = null;
        try (ResultScanner s = table.getScanner(new Scan().withStartRow(row).withStopRow(row, true).setRaw(true).readAllVersions())) {
          all = s.next();
        }
        for (Cell cell : all == null ? new Cell[0] : all.rawCells()) {
          tally.say("    %s %s", cell, Bytes.toStringBinary(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
        }
      }
    }
    return 1;
  }

  private boolean unchanged(Table table, Column column, byte[] row) throws IOException {
    Cell now = table.get(new Get(row).addColumn(column.family(), column.qualifier()))
        .getColumnLatestCell(column.family(), column.qualifier());
    int c = Arrays.asList(TrialTable.COLUMNS).indexOf(column);
    for (Map.Entry<byte[], NavigableMap<byte[], Long>> e : truth.get(c).entrySet()) {
      Long time = e.getValue().get(row);
      if (time != null) {
        return now != null && now.getTimestamp() == time
            && Bytes.equals(e.getKey(), 0, e.getKey().length, now.getValueArray(), now.getValueOffset(), now.getValueLength());
      }
    }
    return now == null;
  }

  private static String text(Map<Column, byte[]> question) {
    StringBuilder text = new StringBuilder();
    question.forEach((c, v) -> text.append(text.length() == 0 ? "" : " and ").append(c).append(" = ").append(Bytes.toStringBinary(v)));
    return text.toString();
  }
}
