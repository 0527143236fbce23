package trommel.hbase;

import java.util.Arrays;
import org.apache.hadoop.hbase.HConstants;

/** Row keys as numbers on a line. */
final class RowKeys {
  private RowKeys() {}

  /** Returns the first key above {@code row}. There is one: no key of a table is all 0xFF and of the greatest length. */
  static byte[] after(byte[] row) {
    if (row.length < HConstants.MAX_ROW_LENGTH) {
      return Arrays.copyOf(row, row.length + 1);
    }
    int length = row.length;
    while (length > 1 && row[length - 1] == (byte) 0xFF) {
      --length;
    }
    byte[] next = Arrays.copyOf(row, length);
    ++next[length - 1];
    return next;
  }
}
