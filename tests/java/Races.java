import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import trommel.ColumnMap;
import trommel.ConcurrentFilter;
import trommel.CountingFilter;
import trommel.Filter;
import trommel.Keys;

/** Threads: closing beside calls, updates of filters whose updates run alone, and collection. */
final class Races {
  private static final int NUM_THREADS = 4;

  private Races() {}

  static void run() {
    Check.test("closing beside queries, updates, merges and streams: an answer or \"closed\"", Races::closing);
    Check.test("updates of a CountingFilter by threads are all counted", Races::counted);
    Check.test("filters that merge each other do not wait for each other", Races::merging);
    Check.test("a claim does not wait for the query of an upsert's function", Races::nested);
    Check.test("what is not closed is freed when it is collected", Races::collected);
  }

  /** Runs the body in threads that begin together, with their numbers; throws what one throws. */
  private static void inThreads(int numThreads, ThreadBody body) throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CyclicBarrier barrier = new CyclicBarrier(numThreads);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < numThreads; ++i) {
      int number = i;
      Thread thread = new Thread(() -> {
        try {
          barrier.await();
          body.run(number);
        } catch (Throwable e) {
          thrown.compareAndSet(null, e);
        }
      });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join(60_000);
      Check.that(!thread.isAlive(), "a thread has not ended");
    }
    if (thrown.get() != null) throw new AssertionError(thrown.get());
  }

  private interface ThreadBody {
    void run(int number) throws Exception;
  }

  private static void closing() throws Exception {
    long[] keys = new long[3000];
    for (int i = 0; i < keys.length; ++i) keys[i] = i;
    List<Types.Maker> types = new ArrayList<>(Types.MAKERS.values());
    AtomicInteger numClosed = new AtomicInteger();
    AtomicLong numAnswers = new AtomicLong();
    for (int round = 0; round < 300; ++round) {
      Filter filter = types.get(round % types.size()).make(5000, 0.01);
      boolean isCounting = filter instanceof CountingFilter;
      ColumnMap map = new ColumnMap(100, 5000, 0);
      map.openColumn(1);
      filter.insert(Keys.of(keys));
      CountingFilter other = new CountingFilter(5000, 0.01);
      int delay = round % 7 * 20;
      inThreads(NUM_THREADS + 1, number -> {
        if (number == NUM_THREADS) {
          for (long end = System.nanoTime() + delay * 1000L; System.nanoTime() < end;) Thread.onSpinWait();
          filter.close();
          map.close();
          return;
        }
        try {
          for (int i = 0;; ++i) {
            if (number == 0) {
              Check.equal(filter.query(Keys.of(keys), new long[47]), 3000L);
            } else if (number == 1) {
              Check.that(filter.mayContain(keys[i % 3000]), "what is in is found");
              map.mayContain(1, keys[i % 3000]);
            } else if (number == 2) {
              filter.insert(Keys.of(keys));
              map.insert(1, Keys.of(keys, 0, 10));
            } else if (isCounting) {
              other.merge(filter);
            } else {
              filter.toBytes();
            }
            numAnswers.incrementAndGet();
          }
        } catch (IllegalStateException e) {
          Check.that(e.getMessage().contains("it is closed"), e.getMessage());
          numClosed.incrementAndGet();
        }
      });
      other.close();
    }
    Check.equal(numClosed.get(), 300 * NUM_THREADS);
    Check.that(numAnswers.get() > 300, "calls were answered before");
  }

  private static void counted() throws Exception {
    try (CountingFilter filter = new CountingFilter(100_000, 0.01)) {
      inThreads(NUM_THREADS, number -> {
        long[] keys = new long[500];
        for (int i = 0; i < 40; ++i) {
          for (int j = 0; j < keys.length; ++j) keys[j] = number * 1_000_000L + i * 500 + j;
          filter.insert(Keys.of(keys));
          Check.equal(filter.query(Keys.of(keys), new long[8]), 500L);
          filter.insert(-1L);
          if (i % 2 == 0) Check.equal(filter.erase(Keys.of(keys)).numDone(), 500L);
        }
      });
      Check.equal(filter.stats().numKeys, (long) NUM_THREADS * (20 * 500 + 40));
    }
  }

  private static void merging() throws Exception {
    try (CountingFilter a = new CountingFilter(1000, 0.01); CountingFilter b = new CountingFilter(1000, 0.01)) {
      inThreads(NUM_THREADS, number -> {
        for (int i = 0; i < 2000; ++i) {
          if (number % 2 == 0) {
            a.merge(b);
          } else {
            b.merge(a);
          }
        }
      });
    }
  }

  private static void nested() throws Exception {
    try (ConcurrentFilter filter = new ConcurrentFilter(1000, 0.01)) {
      inThreads(NUM_THREADS, number -> {
        for (int i = 0; i < 300; ++i) {
          filter.insert(Keys.of(number));
          if (number == 0) {
            filter.clear();
          } else {
            filter.upsert(Keys.of(number), asked -> {
              Thread.yield();
              filter.mayContain(5);
              return asked;
            });
          }
        }
      });
    }
  }

  private static void collected() throws Exception {
    long before = residentBytes();
    for (int i = 0; i < 200; ++i) { // 24 MB each, 4.8 GB in all
      ConcurrentFilter filter = new ConcurrentFilter(10_000_000, 0.01);
      filter.insert(Keys.of(new long[] {i}));
      byte[] touched = filter.toBytes();
      Check.that(touched.length > 20_000_000, "it is large");
      filter = null;
      if (i % 10 == 9) {
        System.gc();
        Thread.sleep(20);
      }
    }
    long now = residentBytes();
    Check.that(now - before < 1_500_000_000L, "resident: " + before + ", then " + now);
  }

  private static long residentBytes() throws Exception {
    String statm = new String(java.nio.file.Files.readAllBytes(java.nio.file.Paths.get("/proc/self/statm")));
    return 4096 * Long.parseLong(statm.split(" ")[1]);
  }
}
