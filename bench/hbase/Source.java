package trommel.hbase.demo;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;

/** Rows for a table, and what to ask about them. Thread safety: all members. */
interface Source {
  byte[] FAMILY = Bytes.toBytes("a");

  TableName table();

  /** What a row is, in the singular. */
  String noun();

  /** The attributes, the most useful first. */
  List<String> attributes();

  long rows();

  /** Returns row i of {@link #rows}. */
  Put row(long i);

  /** Returns the first row keys of all regions but the first, for regions of about the same size. */
  byte[][] splits(int regions);

  /** Texts of conditions, {@code attribute=value} with spaces between them. */
  List<String> questions();

  static Column column(String attribute) {
    return Column.of(FAMILY, Bytes.toBytes(attribute));
  }

  static void add(Put put, String attribute, String value) {
    put.addColumn(FAMILY, Bytes.toBytes(attribute), Bytes.toBytes(value));
  }

  /** Returns the keys that cut sorted keys into parts of the same size; fewer if there are not enough of them. */
  static byte[][] cut(List<String> sorted, int parts) {
    return IntStream.range(1, parts)
        .mapToObj(part -> sorted.get((int) ((long) part * sorted.size() / parts)))
        .distinct()
        .filter(key -> !key.equals(sorted.get(0)))
        .map(Bytes::toBytes)
        .toArray(byte[][]::new);
  }
}
