package trommel.hbase;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/**
 * The rows of a query in the order of their keys, each once. They are asked for page by page, each from where the
 * last answer ended, until the table's range is covered; so a region that was split, merged or moved meanwhile is
 * not missed. A row that does not change while it is asked for is found if and only if it meets the conditions; a row
 * that changes is found as it was at one moment.
 *
 * <p>Thread safety: for one thread. Cost: one call per page of a region.
 */
public final class IndexedRows implements ResultScanner {
  private final IndexedTable table;
  private final Map<Column, byte[]> conditions;
  private final List<Column> selected;
  private final byte[] stop;
  private final QueryStatistics statistics = new QueryStatistics();
  private final Deque<Result> page = new ArrayDeque<>();
  private byte[] from;  // Null: the range is covered.

  IndexedRows(IndexedTable table, Query query) {
    this.table = table;
    this.conditions = new LinkedHashMap<>(query.conditions());
    this.selected = query.selected();
    this.from = query.startRow();
    this.stop = query.stopRow();
  }

  /**
   * Returns the next row, with the columns of the conditions and those selected, or null at the end.
   *
   * @throws UnansweredException if a region does not answer within HBase's own retries.
   * @throws IOException if the question cannot be answered: no index, a column without one, a family that does not
   *     exist, no permission to read.
   */
  @Override
  public Result next() throws IOException {
    while (page.isEmpty() && from != null) {
      Answer answer = table.call(Request.query(from, stop, conditions, selected), from, stop);
      statistics.add(answer);
      page.addAll(answer.results);
      boolean end = answer.to.length == 0 || stop.length > 0 && Arrays.compareUnsigned(answer.to, stop) >= 0;
      if (!end && Arrays.compareUnsigned(answer.to, from) <= 0) {
        throw new IOException("a region's answer went backwards");
      }
      from = end ? null : answer.to;
    }
    return page.poll();
  }

  /** Returns what the query has cost up to now. */
  public QueryStatistics statistics() {
    return statistics;
  }

  /** Ends the query. Nothing is held on servers. */
  @Override
  public void close() {
    from = null;
    page.clear();
  }

  /** Returns true: nothing is held on servers that could end. */
  @Override
  public boolean renewLease() {
    return true;
  }

  /** Returns null: {@link #statistics} has the cost of a query. */
  @Override
  public ScanMetrics getScanMetrics() {
    return null;
  }
}
