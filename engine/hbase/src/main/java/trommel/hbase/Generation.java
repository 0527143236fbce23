package trommel.hbase;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;

/**
 * The entries of rows that may be in no store file yet: what was written between two moments. A generation that has
 * lost an entry (no memory left, or a fault) gives up all of them and says so; queries scan until it is dropped,
 * which the next flush does.
 *
 * <p>Thread safety: all members, from any thread.
 */
final class Generation implements RowSource {
  final long number;
  private final Account account;
  private final PairFilter.Counted counted;
  private Postings postings;  // Null before the first entry, and once an entry is lost.
  private volatile boolean complete = true;
  private volatile boolean exceeded;
  private volatile boolean touched;

  Generation(long number, Account account, PairFilter.Counted counted) {
    this.number = number;
    this.account = account;
    this.counted = counted;
  }

  /**
   * Adds the entries of cells, or loses all entries if there is no memory for one. Before another thread can add the
   * same value, and find it there, the server's filter counts it.
   */
  synchronized void add(List<byte[]> keys, List<Cell> cells) {
    touched = true;
    if (!complete) {
      return;
    }
    try {
      if (postings == null) {
        postings = new Postings(account);
      }
      for (int i = 0; i < keys.size(); ++i) {
        postings.add(keys.get(i), cells.get(i));
      }
      counted.update(postings);
    } catch (Account.LimitReached e) {
      exceeded = true;
      lose();
    }
  }

  /** Says that an entry is missing. */
  synchronized void lose() {
    touched = true;
    complete = false;  // First: a query that misses a count then sees why.
    end();
    postings = null;
  }

  private void end() {
    account.release();
    if (postings != null) {
      counted.end(postings);
    }
  }

  /** Returns whether nothing was ever added. */
  boolean untouched() {
    return !touched;
  }

  @Override
  public boolean complete() {
    return complete;
  }

  @Override
  public boolean exceeded() {
    return exceeded;
  }

  @Override
  public synchronized long count(byte[] key) {
    return postings == null ? 0 : postings.count(key);
  }

  @Override
  public Cursor rows(byte[] key) {
    Postings.Chain chain;
    synchronized (this) {
      if (!complete) {
        return null;
      }
      chain = postings == null ? null : postings.find(key);
    }
    return chain == null ? row -> null : new Sorted(chain);
  }

  /** Sorts the rows when the first one is asked for: a condition that is decided by another one never does. */
  private static final class Sorted implements Cursor {
    private final Postings.Chain chain;
    private byte[][] rows;
    private int at;

    Sorted(Postings.Chain chain) {
      this.chain = chain;
    }

    @Override
    public byte[] atOrAfter(byte[] row) {
      if (rows == null) {
        rows = chain.sorted();
      }
      at = Gallop.first(at, rows.length, i -> Arrays.compareUnsigned(rows[i], row) >= 0);
      return at == rows.length ? null : rows[at];
    }
  }

  @Override
  public synchronized long entries() {
    return postings == null ? 0 : postings.entries();
  }

  @Override
  public long heapBytes() {
    return account.taken();
  }

  @Override
  public synchronized long dataBytes() {
    return postings == null ? 0 : postings.dataBytes();
  }

  @Override
  public synchronized void count() {
    if (postings != null) {
      counted.update(postings);
    }
  }

  @Override
  public synchronized void release() {
    end();
  }
}
