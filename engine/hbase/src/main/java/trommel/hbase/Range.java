package trommel.hbase;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;

/** Row keys from {@code from} (inclusive) to {@code stop} (exclusive; empty: no bound). Immutable. */
final class Range {
  final byte[] from;
  final byte[] stop;

  Range(byte[] from, byte[] stop) {
    this.from = from;
    this.stop = stop;
  }

  boolean empty() {
    return stop.length > 0 && Arrays.compareUnsigned(from, stop) >= 0;
  }

  boolean has(byte[] row) {
    return Arrays.compareUnsigned(from, row) <= 0 && before(row, stop);
  }

  /** Returns whether a row key is below the end of a range. */
  static boolean before(byte[] row, byte[] stop) {
    return stop.length == 0 || Arrays.compareUnsigned(row, stop) < 0;
  }

  /** Returns the end of a range that is lower. */
  static byte[] lowerStop(byte[] a, byte[] b) {
    return a.length == 0 || b.length > 0 && Arrays.compareUnsigned(b, a) < 0 ? b : a;
  }

  /** Returns what both ranges have; it may be empty. */
  Range and(Range other) {
    byte[] first = Arrays.compareUnsigned(from, other.from) < 0 ? other.from : from;
    return new Range(first, lowerStop(stop, other.stop));
  }

  /** Returns what is left of this range without these, which are in order. */
  List<Range> without(List<Range> answered) {
    List<Range> left = new ArrayList<>();
    byte[] at = from;
    for (Range range : answered) {
      Range inside = and(range);
      if (inside.empty()) {
        continue;
      }
      if (Arrays.compareUnsigned(at, inside.from) < 0) {
        left.add(new Range(at, inside.from));
      }
      if (inside.stop.length == 0) {
        return left;
      }
      at = Arrays.compareUnsigned(at, inside.stop) < 0 ? inside.stop : at;
    }
    if (before(at, stop)) {
      left.add(new Range(at, stop));
    }
    return left;
  }

  @Override
  public String toString() {
    return "from " + bound(from, "the first") + " to " + bound(stop, "the last");
  }

  private static String bound(byte[] row, String none) {
    return row.length == 0 ? none : "\"" + Bytes.toStringBinary(row) + "\"";
  }
}
