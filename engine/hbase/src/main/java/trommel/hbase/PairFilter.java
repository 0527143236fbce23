package trommel.hbase;

import java.io.Closeable;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which regions of a server may have a value: one counting filter over pairs of a region and a value's key. It counts a
 * pair once for each source of the region (generation or segment) that has the value.
 *
 * <pre>
 *   source        its values are counted          they are erased
 *   generation    each before its cell is visible  when no state of the store has the generation any more
 *   segment       before a state has it            the same
 * </pre>
 *
 * So while a state of a store is the current one, the filter counts every value of its sources, and a region that is
 * covered by them and has no count for a value has no row with it. {@link Exclusion} says how that is asked.
 *
 * <p>Each source knows which filter counts how many of its values ({@link Counted}), so another filter can be made in
 * the background of what the sources have, while queries look into each region. That is how it grows and shrinks: to
 * twice as many pairs as there are. When a change of the filter fails (no memory, a fault of the library), it is given
 * up at once, before the write that changed it is visible.
 *
 * <p>Thread safety: all members. Source: Trommel's first source, "one filter per region server".
 */
final class PairFilter {
  private static final Logger LOG = LoggerFactory.getLogger(PairFilter.class);
  private static final int BATCH = 1024;
  private static final long FIRST_CAPACITY = 1 << 16;
  private static final long RETRY_NANOSECONDS = 10_000_000_000L;
  private static final AtomicLong REGIONS = new AtomicLong();

  /** A multiset of byte strings: key i is {@code bytes} from {@code offsets[i]} to {@code offsets[i + 1]}. */
  interface Multiset extends Closeable {
    /** Returns false if a key was refused: there is no memory for its count. */
    boolean insert(byte[] bytes, int[] offsets);

    boolean erase(byte[] bytes, int[] offsets);

    /** Returns the bits of keys that may be in. A key that is in always may. */
    BitSet query(byte[] bytes, int[] offsets);

    /** Returns the memory that it takes. */
    long bytes();

    @Override
    void close();
  }

  /** The values of a source by number; a number, once given, stays. */
  interface Values {
    int values();

    /** Returns the bytes with the value's key, which is from keyFrom to keyTo. */
    byte[] chunkOf(int value);

    int keyFrom(int value);

    int keyTo(int value);
  }

  /** A filter from when it is made until it is given up. */
  private static final class Epoch {
    final Multiset pairs;
    final long capacity;
    final Account account;
    final AtomicLong counted = new AtomicLong();
    volatile boolean ready;  // It counts all sources.

    Epoch(Multiset pairs, long capacity, Account account) {
      this.pairs = pairs;
      this.capacity = capacity;
      this.account = account;
    }

    void end() {
      account.release();
      pairs.close();  // Calls under way end first, later ones fail.
    }
  }

  private final LongFunction<Multiset> maker;
  private final Supplier<Account> accounts;
  private final Executor background;
  private final Set<StoreIndex> stores = ConcurrentHashMap.newKeySet();
  private final AtomicLong rebuilds = new AtomicLong();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile Epoch current;  // Null: every region is looked into.
  private volatile long capacity = FIRST_CAPACITY;  // Of the next one, at least.
  private volatile long lost;  // What the one before counted, if it was given up.
  private volatile long notBefore = System.nanoTime();  // When the next one may be made.
  private volatile boolean available = true;

  /**
   * Takes a maker of empty multisets for a number of pairs; a LinkageError says that there can be none in this process.
   */
  PairFilter(LongFunction<Multiset> maker, Supplier<Account> accounts, Executor background) {
    this.maker = maker;
    this.accounts = accounts;
    this.background = background;
    begin();
    if (current != null) {
      current.ready = true;
    }
  }

  /** Returns a number that no other opening of a region has. */
  static long newRegion() {
    return REGIONS.incrementAndGet();
  }

  void add(StoreIndex store) {
    stores.add(store);
  }

  void remove(StoreIndex store) {
    stores.remove(store);
  }

  /** Returns the bytes of the filter, 0 without one. */
  long bytes() {
    Epoch now = current;
    return now == null ? 0 : now.account.taken();
  }

  /** Returns how often a filter was made anew. */
  long rebuilds() {
    return rebuilds.get();
  }

  // ---- sources

  /** What the filter counts of one source. The source locks it. */
  final class Counted {
    private final long region;
    private Epoch epoch;
    private int values;  // The filter of the epoch counts the source's values below this number.
    private boolean ended;

    private Counted(long region) {
      this.region = region;
    }

    /** Counts the values that the current filter does not count yet. Then it does, or is not the current one. */
    void update(Values source) {
      Epoch now = current;
      if (now == null || ended) {
        return;
      }
      if (epoch != now) {
        epoch = now;
        values = 0;
      }
      if (values < source.values()) {
        change(now, true, region, source, values);
        values = source.values();
      }
    }

    /** Erases what is counted, for ever. */
    void end(Values source) {
      ended = true;
      if (epoch != null && epoch == current) {
        change(epoch, false, region, new FirstValues(source, values), 0);
      }
      epoch = null;
    }
  }

  /** Returns the count of a new source. */
  Counted counted(long region) {
    return new Counted(region);
  }

  private static final class FirstValues implements Values {
    private final Values all;
    private final int number;

    FirstValues(Values all, int number) {
      this.all = all;
      this.number = number;
    }

    @Override
    public int values() {
      return number;
    }

    @Override
    public byte[] chunkOf(int value) {
      return all.chunkOf(value);
    }

    @Override
    public int keyFrom(int value) {
      return all.keyFrom(value);
    }

    @Override
    public int keyTo(int value) {
      return all.keyTo(value);
    }
  }

  /** Inserts or erases the pairs of a source's values from a number on, in batches, or gives the filter up. */
  private void change(Epoch epoch, boolean insert, long region, Values source, int from) {
    try {
      for (int first = from; first < source.values(); first += BATCH) {
        PairBatch batch = new PairBatch(Math.min(BATCH, source.values() - first));
        for (int i = 0; i < batch.size(); ++i) {
          int value = first + i;
          batch.add(region, source.chunkOf(value), source.keyFrom(value), source.keyTo(value));
        }
        boolean done =
            insert
                ? epoch.pairs.insert(batch.bytes(), batch.offsets)
                : epoch.pairs.erase(batch.bytes(), batch.offsets);
        long counted = epoch.counted.addAndGet(insert ? batch.size() : -batch.size());
        if (!done) {
          if (insert) {
            capacity = Math.max(capacity, 2 * epoch.capacity);
          }
          giveUp(epoch, "a pair was refused", 0);
          return;
        }
        boolean tooLarge = !insert && epoch.ready && epoch.capacity / 8 > Math.max(capacity, counted);
        if (epoch == current && (counted > epoch.capacity || tooLarge)) {
          makeAnother();
        }
      }
    } catch (RuntimeException | Error e) {
      giveUp(epoch, e.toString(), RETRY_NANOSECONDS);
    }
  }

  // ---- the filter's life

  /** Makes an empty filter the current one; if there cannot be one now, the one before stays. */
  private void begin() {
    Epoch before = current;
    long pairs = Math.max(capacity, 2 * (before == null ? lost : before.counted.get()));
    Account account = accounts.get();
    try {
      Epoch next = new Epoch(maker.apply(pairs), pairs, account);
      try {
        account.take(next.pairs.bytes());
      } catch (Account.LimitReached e) {
        next.pairs.close();
        throw e;
      }
      synchronized (this) {
        before = current;
        current = next;
      }
      if (before != null) {
        before.end();
      }
    } catch (LinkageError e) {
      available = false;
      LOG.info("no filter over the regions of this server, queries look into each: {}", e.toString());
    } catch (Account.LimitReached | RuntimeException e) {
      notBefore = System.nanoTime() + RETRY_NANOSECONDS;
      LOG.warn("no filter of {} pairs over the regions of this server: {}", pairs, e.toString());
    }
  }

  private void giveUp(Epoch epoch, String why, long pause) {
    synchronized (this) {
      if (current != epoch) {
        return;  // Another one has taken its place.
      }
      current = null;
      lost = epoch.ready ? epoch.counted.get() : Math.max(lost, epoch.counted.get());
      notBefore = System.nanoTime() + pause;
    }
    epoch.end();
    LOG.warn("the filter of this server is given up, until another is made queries look into each region: {}", why);
    makeAnother();
  }

  /** Makes another filter in the background, if that is not under way, and none has failed lately. */
  private void makeAnother() {
    if (available && System.nanoTime() - notBefore >= 0 && scheduled.compareAndSet(false, true)) {
      try {
        background.execute(this::rebuild);
      } catch (RuntimeException | Error e) {  // No thread, say.
        notBefore = System.nanoTime() + RETRY_NANOSECONDS;
        scheduled.set(false);
        LOG.warn("no filter over the regions of this server is made now: {}", e.toString());
      }
    }
  }

  /**
   * From when the new filter is the current one, whatever is added to a source is counted in it, and what a store
   * makes part of its state. What was there before is counted store by store.
   */
  void rebuild() {
    scheduled.set(false);
    Epoch before = current;
    begin();
    Epoch next = current;
    if (next == null || next == before) {
      return;
    }
    try {
      stores.forEach(StoreIndex::count);
      next.ready = true;  // If it was given up meanwhile, it is not the current one.
      rebuilds.incrementAndGet();
    } finally {
      if (!next.ready) {
        giveUp(next, "it could not count all sources", RETRY_NANOSECONDS);
      }
    }
  }

  // ---- questions

  /** Asks the filter for several pairs at once. For one thread. */
  final class Question {
    private final Epoch epoch;
    private final PairBatch batch;

    private Question(Epoch epoch, int pairs) {
      this.epoch = epoch;
      this.batch = new PairBatch(pairs);
    }

    void add(long region, byte[] key) {
      batch.add(region, key, 0, key.length);
    }

    /** Returns the bits of the pairs that may be counted; all of them, if the filter was given up. */
    BitSet ask() {
      try {
        return epoch.pairs.query(batch.bytes(), batch.offsets);
      } catch (RuntimeException e) {
        giveUp(epoch, e.toString(), RETRY_NANOSECONDS);
        BitSet all = new BitSet();
        all.set(0, batch.size());
        return all;
      }
    }

    /** Returns whether the filter that was asked has counted everything until now. */
    boolean stillRight() {
      return epoch == current;
    }
  }

  /** Returns a question of so many pairs, or null if there is no filter to ask. */
  Question question(int pairs) {
    Epoch now = current;
    if (now == null) {
      makeAnother();
      return null;
    }
    return now.ready ? new Question(now, pairs) : null;
  }
}
