package trommel.hbase;

import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;

/** Pairs of a region and a key that are changed or asked for together: the region's number, then the key. One thread. */
final class PairBatch {
  private byte[] bytes;
  final int[] offsets;
  private int count;

  PairBatch(int keys) {
    bytes = new byte[24 * keys];
    offsets = new int[keys + 1];
  }

  int size() {
    return offsets.length - 1;
  }

  void add(long region, byte[] chunk, int from, int to) {
    int at = offsets[count];
    int end = at + Long.BYTES + to - from;
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * end);
    }
    Bytes.putLong(bytes, at, region);
    System.arraycopy(chunk, from, bytes, at + Long.BYTES, to - from);
    offsets[++count] = end;
  }

  byte[] bytes() {
    return bytes;
  }
}
