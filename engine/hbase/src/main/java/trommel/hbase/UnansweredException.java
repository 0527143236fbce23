package trommel.hbase;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Pair;

/**
 * Regions did not answer within the query's time ({@link Query#timeout}), or within HBase's own retries ({@code
 * hbase.client.retries.number}, {@code hbase.client.pause}, {@code hbase.client.operation.timeout}). The rows that a
 * query returned before are right, and those of the ranges named here are missing.
 */
public final class UnansweredException extends IOException {
  private static final long serialVersionUID = 1;
  private static final int SHOWN = 3;

  private final transient List<Range> ranges;

  UnansweredException(TableName table, List<Range> ranges, long milliseconds, Throwable cause) {
    super(
        "rows of table " + table + " "
            + ranges.stream().limit(SHOWN).map(Range::toString).collect(Collectors.joining(", "))
            + (ranges.size() > SHOWN ? " and of " + (ranges.size() - SHOWN) + " more ranges" : "")
            + " were not answered after " + milliseconds + " ms: "
            + (cause == null ? "the query's time is over" : cause.getMessage()),
        cause);
    this.ranges = ranges;
  }

  List<Range> missing() {
    return ranges;
  }

  /**
   * Returns what was not answered: of each range the first row key, and the one after the last; empty: no bound.
   * {@link Query#within} asks for one of them again.
   */
  public List<Pair<byte[], byte[]>> ranges() {
    return ranges.stream()
        .map(range -> Pair.newPair(range.from.clone(), range.stop.clone()))
        .collect(Collectors.toList());
  }
}
