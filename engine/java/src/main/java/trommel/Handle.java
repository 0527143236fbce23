package trommel;

import java.lang.ref.Cleaner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * A native object and the calls inside it. A call enters it either beside others or alone, and leaves
 * it; closing enters alone for good. So no call meets memory that was freed, whatever threads do.
 *
 * <p>Entering beside others adds 1 to one of several counts, by thread, each in cache lines of its
 * own, and reads a flag. A call that is to be alone takes a lock, sets the flag, and waits until
 * every count is 0; calls that find the flag set take back their 1 and wait for the lock.
 */
final class Handle implements Runnable {
  /** What {@link #enter} returns to the call that is alone. */
  private static final int ALONE = 0;

  private static final int SPREAD = 16; // longs from one count to the next: two cache lines
  private static final int NUM_COUNTS =
      Integer.highestOneBit(Math.min(64, 2 * Runtime.getRuntime().availableProcessors()));
  private static final AtomicLong NUM_MADE = new AtomicLong();
  private static final Cleaner CLEANER = Cleaner.create();

  private final long number = NUM_MADE.getAndIncrement();
  private final AtomicLongArray inside = new AtomicLongArray((NUM_COUNTS + 2) * SPREAD);
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Set<Thread> calledBack = ConcurrentHashMap.newKeySet(1);
  private final LongConsumer free;
  private final Cleaner.Cleanable cleanable;
  private volatile boolean isClaimed; // by a call that is alone, or waits for the others to leave
  private boolean isClosed; // guarded by lock

  /** The native object: only for calls that have entered. */
  final long address;

  /** Takes over a native object, which is freed when {@code owner} is closed or collected. */
  Handle(Object owner, long address, LongConsumer free) {
    this.address = address;
    this.free = free;
    cleanable = CLEANER.register(owner, this);
  }

  /** Enters, and returns what {@link #leave} needs. */
  int enter(boolean isAlone) {
    return isAlone ? enterAlone() : enterBeside();
  }

  private int enterBeside() {
    int count = (int) (Thread.currentThread().getId() & (NUM_COUNTS - 1)) * SPREAD + SPREAD;
    inside.getAndIncrement(count);
    if (!isClaimed || isInside()) return count;
    inside.getAndDecrement(count);
    lockOpen();
    try {
      inside.getAndIncrement(count);
    } finally {
      lock.unlock();
    }
    return count;
  }

  /** Whether this thread is in a call back, beside which queries run: what claims waits for it. */
  private boolean isInside() {
    return !lock.isHeldByCurrentThread() && calledBack.contains(Thread.currentThread());
  }

  private int enterAlone() {
    lockOpen();
    claim();
    return ALONE;
  }

  void leave(int entered) {
    if (entered != ALONE) {
      inside.getAndDecrement(entered);
      return;
    }
    isClaimed = false;
    lock.unlock();
  }

  /**
   * Enters two objects, the first alone and the second beside others, in an order that is the same for
   * all threads; runs the action, and leaves them.
   */
  static void withBoth(Handle alone, Handle beside, Runnable action) {
    boolean aloneFirst = alone.number < beside.number;
    Handle first = aloneFirst ? alone : beside;
    Handle second = aloneFirst ? beside : alone;
    int enteredFirst = first.enter(aloneFirst);
    try {
      int enteredSecond = second.enter(!aloneFirst);
      try {
        action.run();
      } finally {
        second.leave(enteredSecond);
      }
    } finally {
      first.leave(enteredFirst);
    }
  }

  /** Says that this thread, which has entered, calls code of the caller's. */
  void beginCallBack() {
    if (!calledBack.add(Thread.currentThread())) throw calledFromItself();
  }

  void endCallBack() {
    calledBack.remove(Thread.currentThread());
  }

  /** Frees the object, once all calls have left it; does nothing if that was done. */
  void close() {
    refuseCallBack();
    cleanable.clean();
  }

  /** Does what {@link #close} and the Cleaner are to do, once. */
  @Override
  public void run() {
    lock.lock();
    try {
      claim();
      isClosed = true;
      free.accept(address);
    } finally {
      lock.unlock(); // and stays claimed: every later call comes to the lock
    }
  }

  private void lockOpen() {
    refuseCallBack();
    lock.lock();
    if (!isClosed) return;
    lock.unlock();
    throw new IllegalStateException("it is closed: make or load another one");
  }

  private void claim() {
    isClaimed = true;
    int numWaits = 0;
    for (int i = 1; i <= NUM_COUNTS; ++i) {
      while (inside.get(i * SPREAD) != 0) {
        if (++numWaits < 200) {
          Thread.onSpinWait();
        } else {
          LockSupport.parkNanos(20_000);
        }
      }
    }
  }

  private void refuseCallBack() {
    if (lock.isHeldByCurrentThread() || calledBack.contains(Thread.currentThread())) {
      throw calledFromItself();
    }
  }

  private static IllegalStateException calledFromItself() {
    return new IllegalStateException(
        "a call would wait for itself: a function that a filter calls may only query it, and only"
            + " where queries run beside updates");
  }
}
