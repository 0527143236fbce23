package trommel.hbase;

import java.util.Arrays;

/**
 * The entries of one store file, or of a range of its rows. Immutable.
 *
 * <pre>
 *   table[hash] -> value v    keys[keyAt[v] .. keyAt[v + 1])             found by its hash
 *                             rowAt[firstRow[v] .. firstRow[v + 1])      places of its rows in order
 *                             rows[rowAt[i] .. rowAt[i + 1])             row i
 * </pre>
 *
 * Cost: 4 bytes per row, and 16 per distinct value, beyond their own. Thread safety: any thread.
 */
final class Segment implements RowSource, PairFilter.Values {
  private final Account account;
  private final PairFilter.Counted counted;
  private final int[] table;  // A value's number + 1; 2/3 are used.
  private final int[] keyAt;
  private final byte[] keys;
  private final int[] firstRow;
  private final int[] rowAt;
  private final byte[] rows;
  private final long dataBytes;

  /**
   * Copies postings whose rows were added in ascending order.
   *
   * @throws Account.LimitReached if the copy would exceed the server's limit.
   */
  Segment(Postings postings, Account account, PairFilter.Counted counted) throws Account.LimitReached {
    this.account = account;
    this.counted = counted;
    int values = postings.values();
    int entries = Math.toIntExact(postings.entries());
    int keyBytes = 0;
    for (int v = 0; v < values; ++v) {
      keyBytes += postings.keyTo(v) - postings.keyFrom(v);
    }
    int rowBytes = Math.toIntExact(postings.dataBytes() - (keyBytes - 2L * values));
    int tableSize = values + values / 2 + 1;
    account.take(200 + 4L * (tableSize + 2 * (values + 1) + entries + 1) + keyBytes + rowBytes);
    table = new int[tableSize];
    keyAt = new int[values + 1];
    keys = new byte[keyBytes];
    firstRow = new int[values + 1];
    rowAt = new int[entries + 1];
    rows = new byte[rowBytes];
    dataBytes = postings.dataBytes();
    Filler filler = new Filler();
    for (int v = 0; v < values; ++v) {
      byte[] chunk = postings.chunkOf(v);
      int from = postings.keyFrom(v);
      int length = postings.keyTo(v) - from;
      System.arraycopy(chunk, from, keys, keyAt[v], length);
      keyAt[v + 1] = keyAt[v] + length;
      filler.fill(postings, v);
      int slot = home(ValueKey.hash(chunk, from, length));
      while (table[slot] != 0) {
        slot = next(slot);
      }
      table[slot] = v + 1;
    }
  }

  /** Writes the rows of a value from its last to its first, as postings have them. */
  private final class Filler implements Postings.RowSink {
    private int index;
    private int at;

    void fill(Postings postings, int v) {
      int[] bytes = {0};
      postings.rows(v, (chunk, offset, length) -> bytes[0] += length);
      firstRow[v + 1] = firstRow[v] + postings.count(v);
      index = firstRow[v + 1];
      at = rowAt[firstRow[v]] + bytes[0];
      rowAt[index] = at;
      postings.rows(v, this);
    }

    @Override
    public void row(byte[] chunk, int offset, int length) {
      at -= length;
      System.arraycopy(chunk, offset, rows, at, length);
      rowAt[--index] = at;
    }
  }

  private int home(int hash) {
    return (int) ((hash & 0xFFFFFFFFL) * table.length >>> 32);
  }

  private int next(int slot) {
    return slot + 1 == table.length ? 0 : slot + 1;
  }

  /** Returns the value's number, or -1. */
  private int find(byte[] key) {
    int slot = home(ValueKey.hash(key, 0, key.length));
    while (table[slot] != 0) {
      int v = table[slot] - 1;
      if (Arrays.equals(keys, keyAt[v], keyAt[v + 1], key, 0, key.length)) {
        return v;
      }
      slot = next(slot);
    }
    return -1;
  }

  @Override
  public boolean complete() {
    return true;
  }

  @Override
  public boolean exceeded() {
    return false;
  }

  @Override
  public long count(byte[] key) {
    int v = find(key);
    return v < 0 ? 0 : firstRow[v + 1] - firstRow[v];
  }

  @Override
  public Cursor rows(byte[] key) {
    int v = find(key);
    return v < 0 ? row -> null : new Rows(firstRow[v], firstRow[v + 1]);
  }

  private final class Rows implements Cursor {
    private final int end;
    private int at;

    Rows(int start, int end) {
      this.at = start;
      this.end = end;
    }

    @Override
    public byte[] atOrAfter(byte[] row) {
      at = Gallop.first(
          at, end, i -> Arrays.compareUnsigned(rows, rowAt[i], rowAt[i + 1], row, 0, row.length) >= 0);
      return at == end ? null : Arrays.copyOfRange(rows, rowAt[at], rowAt[at + 1]);
    }
  }

  @Override
  public long entries() {
    return rowAt.length - 1;
  }

  @Override
  public long heapBytes() {
    return account.taken();
  }

  @Override
  public long dataBytes() {
    return dataBytes;
  }

  @Override
  public synchronized void count() {
    counted.update(this);
  }

  @Override
  public synchronized void release() {
    account.release();
    counted.end(this);
  }

  @Override
  public int values() {
    return keyAt.length - 1;
  }

  @Override
  public byte[] chunkOf(int value) {
    return keys;
  }

  @Override
  public int keyFrom(int value) {
    return keyAt[value];
  }

  @Override
  public int keyTo(int value) {
    return keyAt[value + 1];
  }
}
