package trommel.hbase;

import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows by value, as they come: for each distinct value a chain of rows, newest first, in chunks of bytes. Entries
 * are appended and never changed, so a chain that was found may be walked while others are added.
 *
 * <pre>
 *   table[hash] -> value -> key at   [length (1) | key]
 *                        -> newest   [older (4) | length (2) | row] -> older -> ... -> NONE
 * </pre>
 *
 * Places are chunk * 64 Ki + offset. Thread safety: the caller locks all but walks. Cost: 23 to 34 bytes per
 * distinct value and 6 per row, beyond their own.
 */
final class Postings implements PairFilter.Values {
  private static final int CHUNK_BITS = 16;
  private static final int CHUNK_BYTES = 1 << CHUNK_BITS;
  private static final int MAX_CHUNKS = 1 << 31 - CHUNK_BITS;
  private static final int NONE = -1;

  private final Account account;
  private byte[][] chunks = new byte[4][];
  private int chunkCount;
  private int tail;
  private int[] table = new int[16];  // A value's number + 1; at most 3/4 are used.
  private int[] keyAt = new int[12];
  private int[] newest = new int[12];
  private int[] counts = new int[12];
  private int values;
  private long entries;
  private long dataBytes;

  Postings(Account account) throws Account.LimitReached {
    this.account = account;
    account.take(320);
  }

  /** The rows of a value at one moment. */
  static final class Chain {
    private final byte[][] chunks;
    private final int newest;
    private final int count;

    Chain(byte[][] chunks, int newest, int count) {
      this.chunks = chunks;
      this.newest = newest;
      this.count = count;
    }

    /** Returns the rows in order, each once. Cost: sorts {@code count} rows. */
    byte[][] sorted() {
      byte[][] rows = new byte[count][];
      int at = newest;
      for (int i = 0; i < count; ++i) {
        byte[] chunk = chunks[at >>> CHUNK_BITS];
        int offset = at & CHUNK_BYTES - 1;
        int start = offset + 6;
        rows[i] = Arrays.copyOfRange(chunk, start, start + (Bytes.toShort(chunk, offset + 4) & 0xFFFF));
        at = Bytes.toInt(chunk, offset);
      }
      Arrays.sort(rows, Arrays::compareUnsigned);
      int distinct = 0;
      for (byte[] row : rows) {
        if (distinct == 0 || !Arrays.equals(rows[distinct - 1], row)) {
          rows[distinct++] = row;
        }
      }
      return Arrays.copyOf(rows, distinct);
    }
  }

  /**
   * Adds an entry, unless the value's newest row is the same one.
   *
   * @throws Account.LimitReached if there is no memory left; the entry is not in then.
   */
  void add(byte[] key, Cell cell) throws Account.LimitReached {
    int slot = slot(key);
    int value = table[slot] - 1;
    if (value < 0) {
      if (values + 1 > table.length - table.length / 4) {
        growTable();
        slot = slot(key);
      }
      if (values == keyAt.length) {
        growValues();
      }
      int at = room(1 + key.length);
      byte[] chunk = chunks[at >>> CHUNK_BITS];
      int offset = at & CHUNK_BYTES - 1;
      chunk[offset] = (byte) key.length;
      System.arraycopy(key, 0, chunk, offset + 1, key.length);
      tail += 1 + key.length;
      value = values++;
      keyAt[value] = at;
      newest[value] = NONE;
      table[slot] = value + 1;
      dataBytes += key.length - 2;
    }
    int length = cell.getRowLength();
    int at = room(6 + length);
    byte[] chunk = chunks[at >>> CHUNK_BITS];
    int offset = at & CHUNK_BYTES - 1;
    CellUtil.copyRowTo(cell, chunk, offset + 6);
    if (newest[value] != NONE && sameRow(newest[value], chunk, offset + 6, length)) {
      return;
    }
    Bytes.putInt(chunk, offset, newest[value]);
    Bytes.putShort(chunk, offset + 4, (short) length);
    tail += 6 + length;
    newest[value] = at;
    ++counts[value];
    ++entries;
    dataBytes += length;
  }

  private boolean sameRow(int at, byte[] row, int from, int length) {
    byte[] chunk = chunks[at >>> CHUNK_BITS];
    int offset = at & CHUNK_BYTES - 1;
    return Arrays.equals(
        chunk, offset + 6, offset + 6 + (Bytes.toShort(chunk, offset + 4) & 0xFFFF), row, from, from + length);
  }

  /** Returns the value's rows now, or null if there are none. */
  Chain find(byte[] key) {
    int value = table[slot(key)] - 1;
    return value < 0 ? null : new Chain(chunks, newest[value], counts[value]);
  }

  int count(byte[] key) {
    int value = table[slot(key)] - 1;
    return value < 0 ? 0 : counts[value];
  }

  private int slot(byte[] key) {
    int slot = ValueKey.hash(key, 0, key.length) & table.length - 1;
    while (table[slot] != 0 && !Arrays.equals(key, 0, key.length, chunkOf(table[slot] - 1), keyFrom(table[slot] - 1), keyTo(table[slot] - 1))) {
      slot = slot + 1 & table.length - 1;
    }
    return slot;
  }

  // ---- for the segment that is made of it

  @Override
  public int values() {
    return values;
  }

  long entries() {
    return entries;
  }

  long dataBytes() {
    return dataBytes;
  }

  int count(int value) {
    return counts[value];
  }

  @Override
  public byte[] chunkOf(int value) {
    return chunks[keyAt[value] >>> CHUNK_BITS];
  }

  @Override
  public int keyFrom(int value) {
    return (keyAt[value] & CHUNK_BYTES - 1) + 1;
  }

  @Override
  public int keyTo(int value) {
    int from = keyFrom(value);
    return from + chunkOf(value)[from - 1];
  }

  /** Takes the value's rows, newest first. */
  interface RowSink {
    void row(byte[] chunk, int offset, int length);
  }

  void rows(int value, RowSink sink) {
    for (int at = newest[value]; at != NONE; ) {
      byte[] chunk = chunks[at >>> CHUNK_BITS];
      int offset = at & CHUNK_BYTES - 1;
      sink.row(chunk, offset + 6, Bytes.toShort(chunk, offset + 4) & 0xFFFF);
      at = Bytes.toInt(chunk, offset);
    }
  }

  // ---- memory

  /** Returns a place with room for so many bytes, which the caller takes by moving the tail. */
  private int room(int bytes) throws Account.LimitReached {
    if (chunkCount == 0 || tail + bytes > chunks[chunkCount - 1].length) {
      // Small at first: most regions of a server are idle.
      int size = Math.max(bytes, Math.min(CHUNK_BYTES, 1024 << 2 * Math.min(chunkCount, 3)));
      if (chunkCount == MAX_CHUNKS) {
        throw new Account.LimitReached();
      }
      account.take(size + 16L);
      if (chunkCount == chunks.length) {
        account.take(4L * chunks.length);
        chunks = Arrays.copyOf(chunks, 2 * chunks.length);
      }
      chunks[chunkCount++] = new byte[size];
      tail = 0;
    }
    return chunkCount - 1 << CHUNK_BITS | tail;
  }

  private void growTable() throws Account.LimitReached {
    account.take(4L * table.length);
    int[] old = table;
    table = new int[2 * old.length];
    for (int entry : old) {
      if (entry != 0) {
        int slot = ValueKey.hash(chunkOf(entry - 1), keyFrom(entry - 1), keyTo(entry - 1) - keyFrom(entry - 1)) & table.length - 1;
        while (table[slot] != 0) {
          slot = slot + 1 & table.length - 1;
        }
        table[slot] = entry;
      }
    }
  }

  private void growValues() throws Account.LimitReached {
    account.take(12L * keyAt.length);
    keyAt = Arrays.copyOf(keyAt, 2 * keyAt.length);
    newest = Arrays.copyOf(newest, 2 * newest.length);
    counts = Arrays.copyOf(counts, 2 * counts.length);
  }
}
