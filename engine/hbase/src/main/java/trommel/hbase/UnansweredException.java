package trommel.hbase;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Regions did not answer within HBase's own retries ({@code hbase.client.retries.number}, {@code hbase.client.pause},
 * {@code hbase.client.operation.timeout}). The rows that a query returned before are right, and those of the range
 * named here are missing.
 */
public final class UnansweredException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient byte[] from;
  private final transient byte[] stop;

  UnansweredException(TableName table, byte[] from, byte[] stop, long milliseconds, IOException cause) {
    super(
        "rows of table " + table + " from " + bound(from, "the first") + " to " + bound(stop, "the last")
            + " were not answered after " + milliseconds + " ms: " + cause.getMessage(),
        cause);
    this.from = from;
    this.stop = stop;
  }

  private static String bound(byte[] row, String none) {
    return row.length == 0 ? none : "\"" + Bytes.toStringBinary(row) + "\"";
  }

  /** Returns the first row key that was not answered; empty: no bound. */
  public byte[] from() {
    return from.clone();
  }

  /** Returns the row key after the last that was not answered; empty: no bound. */
  public byte[] stop() {
    return stop.clone();
  }
}
