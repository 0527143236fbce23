package trommel;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;

/**
 * A map from keys to the columns that have them: which columns may hold this key? One query answers
 * for all columns. A column is certainly without the key, or maybe has it, which is wrong at a rate
 * that the map's maker chose.
 *
 * <p>Memory, failure and closing are as those of a {@link Filter}. A column that does not exist, and
 * where it must be open, one that is closed, is an {@link IllegalArgumentException}.
 *
 * <p>Thread safety: any thread, any call, at any time. Queries and statistics wait for nothing; other
 * calls of one column wait for each other.
 */
public final class ColumnMap implements AutoCloseable {
  /** Statistics of a map at one moment. */
  public static final class Stats {
    /** Different pairs of a fingerprint's place and a column. */
    public final long numPairs;
    /** Slots of all blocks. */
    public final long numSlots;
    /** Slots in use. */
    public final long numSlotsInUse;
    /** Part of numPairs: not in slots. */
    public final long numPairsElsewhere;
    /** Bytes of all memory that the map keeps. */
    public final long numBytes;
    /** Insertions for which the system refused memory. */
    public final long numRefusedInserts;
    /** Queries that answered "maybe present" for all columns because of a writer. */
    public final long numInterruptedQueries;
    /** Columns that a query of a key that is in none is expected to answer. */
    public final double predictedFalseColumns;

    private Stats(long[] numbers) { // in the order of jni_columns.c
      numPairs = numbers[0];
      numSlots = numbers[1];
      numSlotsInUse = numbers[2];
      numPairsElsewhere = numbers[3];
      numBytes = numbers[4];
      numRefusedInserts = numbers[5];
      numInterruptedQueries = numbers[6];
      predictedFalseColumns = Double.longBitsToDouble(numbers[7]);
    }
  }

  private final Handle handle;
  private final int rowWords;

  /**
   * Makes a map whose columns are all closed, with the default digest.
   *
   * @param numColumns most columns, 1 to 65,535
   * @param capacity pairs of a key and a column to size for
   * @param targetFpr the false-positive rate of one column at the capacity; 0: 0.004
   * @throws IllegalArgumentException naming the value and the legal range
   */
  public ColumnMap(int numColumns, long capacity, double targetFpr) {
    this(numColumns, capacity, targetFpr, Digest.XXH3);
  }

  /** Makes a map with this digest, as {@link #ColumnMap(int, long, double)}. */
  public ColumnMap(int numColumns, long capacity, double targetFpr, Digest digest) {
    Filter.requireNotNegative(numColumns, "numColumns");
    Filter.requireNotNegative(capacity, "capacity");
    long address = Native.createColumns(numColumns, capacity, targetFpr, digest);
    handle = new Handle(this, address, Native::freeColumns);
    rowWords = (numColumns + 63) / 64;
  }

  /** Opens a closed column, with no keys. */
  public void openColumn(int column) {
    int entered = handle.enter(false);
    try {
      Native.openColumn(handle.address, column);
    } finally {
      handle.leave(entered);
    }
  }

  /** Removes a column's keys; does nothing if it is closed. Cost: one pass over the map. */
  public void closeColumn(int column) {
    int entered = handle.enter(false);
    try {
      Native.closeColumn(handle.address, column);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns whether a column is open. */
  public boolean isOpen(int column) {
    int entered = handle.enter(false);
    try {
      return Native.isOpen(handle.address, column);
    } finally {
      handle.leave(entered);
    }
  }

  /**
   * Inserts every key into an open column. The outcome's bits are those of the keys that were not
   * refused, as the system had no memory for them.
   */
  public Outcome insert(int column, Keys keys) {
    return update(column, Native.INSERT, keys);
  }

  /**
   * Erases every key from an open column, or refuses one that is certainly absent from it. The outcome
   * has no bits.
   */
  public Outcome erase(int column, Keys keys) {
    return update(column, Native.ERASE, keys);
  }

  private Outcome update(int column, int operation, Keys keys) {
    Outcome outcome = new Outcome(keys, false);
    int entered = handle.enter(false);
    try {
      Native.updateColumn(handle.address, column, operation, keys.data, keys.offsets, keys.kind,
          keys.start, keys.size, outcome.numbers);
    } finally {
      handle.leave(entered);
    }
    return outcome;
  }

  /** Returns the words of one key's answer: the number of columns / 64, rounded up. */
  public int rowWords() {
    return rowWords;
  }

  /**
   * Writes every key's answer: that of key i is the {@link #rowWords} words from i times that on, with
   * bit c % 64 of word c / 64 for column c.
   *
   * @throws IllegalArgumentException if there are fewer words
   */
  public void query(Keys keys, long[] rows) {
    if (rows.length / rowWords < keys.size) {
      throw new IllegalArgumentException("rows must have at least " + keys.size + " times " + rowWords
          + " words; got " + rows.length);
    }
    int entered = handle.enter(false);
    try {
      Native.queryColumns(handle.address, keys.data, keys.offsets, keys.kind, keys.start, keys.size, rows);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns for every key the columns that may have it. */
  public BitSet[] query(Keys keys) {
    long[] rows = new long[Math.multiplyExact(keys.size, rowWords)];
    query(keys, rows);
    BitSet[] columns = new BitSet[keys.size];
    for (int i = 0; i < keys.size; ++i) {
      columns[i] = BitSet.valueOf(Arrays.copyOfRange(rows, i * rowWords, (i + 1) * rowWords));
    }
    return columns;
  }

  /** Returns false if the column is closed or the key certainly absent from it. */
  public boolean mayContain(int column, long key) {
    return mayContain(column, key, null);
  }

  /** Returns false if the column is closed or the key certainly absent from it. */
  public boolean mayContain(int column, byte[] key) {
    return mayContain(column, 0, Objects.requireNonNull(key, "key"));
  }

  private boolean mayContain(int column, long key, byte[] bytes) {
    int entered = handle.enter(false);
    try {
      return Native.columnMayContain(handle.address, column, key, bytes);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns the number of keys of an open column, duplicates included. */
  public long numKeys(int column) {
    int entered = handle.enter(false);
    try {
      return Native.numKeys(handle.address, column);
    } finally {
      handle.leave(entered);
    }
  }

  /** Returns statistics. */
  public Stats stats() {
    long[] numbers = new long[8];
    int entered = handle.enter(false);
    try {
      Native.columnStats(handle.address, numbers);
    } finally {
      handle.leave(entered);
    }
    return new Stats(numbers);
  }

  /** Returns the bytes of an open column, for {@link #loadColumn}. Cost: one pass over the map. */
  public byte[] columnToBytes(int column) {
    int entered = handle.enter(false);
    try {
      return Native.columnToBytes(handle.address, column);
    } finally {
      handle.leave(entered);
    }
  }

  /**
   * Opens a closed column with the keys that {@link #columnToBytes} wrote. The bytes may be anything:
   * what is not a complete column is refused.
   *
   * @throws TrommelException CORRUPT, VERSION, OUT_OF_MEMORY, and MISMATCH for a map of another
   *     size, rate or digest
   */
  public void loadColumn(int column, byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    int entered = handle.enter(false);
    try {
      Native.loadColumn(handle.address, column, bytes);
    } finally {
      handle.leave(entered);
    }
  }

  /** Gives the map's memory back, as {@link Filter#close}. */
  @Override
  public void close() {
    handle.close();
  }
}
