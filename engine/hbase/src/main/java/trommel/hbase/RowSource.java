package trommel.hbase;

/** Some entries (value, row) of a store: a generation or a segment. */
interface RowSource {
  /** Walks rows upwards. For one thread. */
  interface Cursor {
    /** Returns the first row that is not below {@code row}, or null; {@code row} never goes down between calls. */
    byte[] atOrAfter(byte[] row);
  }

  /** Returns whether every entry that was added is here. Once false, it stays so, and the source counts as missing. */
  boolean complete();

  /** Returns whether the server's limit is why it is not complete. */
  boolean exceeded();

  /** Returns at least as many as there are rows with the value. */
  long count(byte[] key);

  /** Returns the rows with the value, or null if the source is not complete. */
  Cursor rows(byte[] key);

  /** Returns how many entries there are; a row may count several times. */
  long entries();

  /** Returns the bytes of the heap that the entries take, and of those the bytes of values and rows themselves. */
  long heapBytes();

  long dataBytes();

  /** Counts its values in the server's filter. A source is part of no state before. */
  void count();

  /** Gives the memory back to the server's limit, and its counts. Queries that still read it may go on. */
  void release();
}
