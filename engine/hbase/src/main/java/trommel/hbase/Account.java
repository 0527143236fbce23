package trommel.hbase;

import java.util.concurrent.atomic.AtomicLong;

/** The bytes that one generation or segment has taken from the memory that all regions of a server share. */
final class Account {
  /** The limit is reached: the taker must do without. */
  static final class LimitReached extends Exception {
    private static final long serialVersionUID = 1;

    LimitReached() {
      super("trommel.index.memory.mb is used up", null, false, false);
    }
  }

  private final AtomicLong shared;
  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  Account(AtomicLong shared, long limit) {
    this.shared = shared;
    this.limit = limit;
  }

  void take(long bytes) throws LimitReached {
    if (shared.addAndGet(bytes) > limit) {
      shared.addAndGet(-bytes);
      throw new LimitReached();
    }
    taken.addAndGet(bytes);
  }

  long taken() {
    return taken.get();
  }

  /** Gives all back; once more does nothing. */
  void release() {
    shared.addAndGet(-taken.getAndSet(0));
  }
}
