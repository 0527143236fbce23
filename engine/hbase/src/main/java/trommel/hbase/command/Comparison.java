package trommel.hbase.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.IndexedRows;
import trommel.hbase.IndexedTable;
import trommel.hbase.Query;

/**
 * Compares a scan of a range of rows with the index, while both change: for some thousand rows at a time, each value
 * that they have or had is asked for in their range alone. Rows on which both disagree are read, asked for, and read
 * again, until they did not change meanwhile.
 *
 * <p>Thread safety: for one thread.
 */
final class Comparison {
  private static final int CHUNK_ROWS = 5000;
  private static final long CHUNK_BYTES = 8 << 20;
  private static final int VERSIONS = 2;  // A value that a row had is a candidate still, and must not be answered.
  private static final int CONFIRMATIONS = 3;
  private static final int ATTEMPTS = 30;
  private static final long PAUSE_MILLISECONDS = 20;

  private final Table table;
  private final IndexedTable index;
  private final List<Column> columns;
  private final long oneIn;
  private final Findings findings;
  private final Runnable afterChunk;
  private long chunkBytes;

  Comparison(
      Table table, IndexedTable index, List<Column> columns, long oneIn, Findings findings, Runnable afterChunk) {
    this.table = table;
    this.index = index;
    this.columns = columns;
    this.oneIn = oneIn;
    this.findings = findings;
    this.afterChunk = afterChunk;
  }

  /** Compares the rows from {@code from} (inclusive) to {@code stop} (exclusive; empty: to the last). */
  void run(byte[] from, byte[] stop) throws IOException, InterruptedException {
    for (byte[] at = from; at != null; ) {
      List<Result> rows = scan(at, stop);
      byte[] last = rows.isEmpty() ? null : rows.get(rows.size() - 1).getRow();
      byte[] next = full(rows) ? Bytes.add(last, new byte[1]) : null;
      compare(rows, at, next == null ? stop : next);
      afterChunk.run();
      at = next;
    }
  }

  private boolean full(List<Result> rows) {
    return rows.size() == CHUNK_ROWS || chunkBytes > CHUNK_BYTES;
  }

  private List<Result> scan(byte[] from, byte[] stop) throws IOException {
    Scan scan =
        new Scan().withStartRow(from).withStopRow(stop).setLimit(CHUNK_ROWS).readVersions(VERSIONS).setCacheBlocks(false);
    columns.forEach(column -> scan.addColumn(column.family(), column.qualifier()));
    List<Result> rows = new ArrayList<>();
    chunkBytes = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result row = scanner.next(); row != null; row = full(rows) ? null : scanner.next()) {
        rows.add(row);
        chunkBytes += Result.getTotalSizeOfCells(row);
      }
    }
    return rows;
  }

  private void compare(List<Result> rows, byte[] from, byte[] stop) throws IOException, InterruptedException {
    long values = 0;
    for (Column column : columns) {
      for (Map.Entry<byte[], NavigableSet<byte[]>> value : rowsByValue(rows, column).entrySet()) {
        compare(column, value.getKey(), value.getValue(), from, stop);
        ++values;
      }
    }
    findings.compared(rows.size(), values);
  }

  /** Returns the values that rows have or had, as far as they are chosen, each with the rows that have it now. */
  private NavigableMap<byte[], NavigableSet<byte[]>> rowsByValue(List<Result> rows, Column column) {
    NavigableMap<byte[], NavigableSet<byte[]>> byValue = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (Result row : rows) {
      boolean newest = true;
      for (Cell cell : row.getColumnCells(column.family(), column.qualifier())) {
        byte[] value = CellUtil.cloneValue(cell);
        if (Integer.toUnsignedLong(Bytes.hashCode(value)) % oneIn == 0) {
          NavigableSet<byte[]> have = byValue.computeIfAbsent(value, v -> new TreeSet<>(Bytes.BYTES_COMPARATOR));
          if (newest) {
            have.add(row.getRow());
          }
        }
        newest = false;
      }
    }
    return byValue;
  }

  private void compare(Column column, byte[] value, NavigableSet<byte[]> have, byte[] from, byte[] stop)
      throws IOException, InterruptedException {
    NavigableSet<byte[]> differ = ask(column, value, from, stop);
    for (byte[] row : have) {
      if (!differ.remove(row)) {
        differ.add(row);
      }
    }
    for (byte[] row : differ) {
      settle(column, value, row);
    }
  }

  private NavigableSet<byte[]> ask(Column column, byte[] value, byte[] from, byte[] stop) throws IOException {
    NavigableSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    try (IndexedRows answer = index.query(new Query().where(column, value).within(from, stop))) {
      for (Result row = answer.next(); row != null; row = answer.next()) {
        rows.add(row.getRow());
      }
      findings.asked(answer.statistics());
    }
    return rows;
  }

  /** Decides about a row on which scan and index disagreed; one that changed in between proves nothing. */
  private void settle(Column column, byte[] value, byte[] row) throws IOException, InterruptedException {
    byte[] after = Bytes.add(row, new byte[1]);
    int confirmed = 0;
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
      Cell before = newest(column, row, after);
      boolean found = !ask(column, value, row, after).isEmpty();
      if (!same(before, newest(column, row, after))) {
        confirmed = 0;
        Thread.sleep(PAUSE_MILLISECONDS * attempt);
        continue;
      }
      boolean has = before != null && CellUtil.matchingValue(before, value);
      if (has == found) {
        return;
      }
      if (++confirmed == CONFIRMATIONS) {
        findings.differs(has, row, column, value);
        return;
      }
    }
    findings.changes();
  }

  private Cell newest(Column column, byte[] row, byte[] after) throws IOException {
    Scan scan = new Scan().withStartRow(row).withStopRow(after).setLimit(1).setReadType(Scan.ReadType.PREAD);
    try (ResultScanner scanner = table.getScanner(scan.addColumn(column.family(), column.qualifier()))) {
      Result result = scanner.next();
      return result == null ? null : result.getColumnLatestCell(column.family(), column.qualifier());
    }
  }

  private static boolean same(Cell a, Cell b) {
    return a == null || b == null
        ? a == b
        : a.getTimestamp() == b.getTimestamp() && CellUtil.matchingValue(a, b);
  }
}
