import java.util.List;
import java.util.concurrent.Callable;
import trommel.Digest;
import trommel.Keys;
import trommel.WindowFilter;

/** What windows have of their own, misused: as in Misuse, which is of all types. */
final class Windows {
  private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
  private static final Class<UnsupportedOperationException> UNSUPPORTED = UnsupportedOperationException.class;

  private Windows() {}

  static void run() {
    Check.test("numbers of windows that are not legal are refused, with the range", Windows::numbers);
    Check.test("empty batches are erased from a window, and have no time", Windows::empty);
    Check.test("a window that is closed refuses every call with a time", Windows::closed);
    Check.test("what a type does not have is unsupported", Windows::unsupported);
  }

  private static void numbers() {
    Check.fails(ILLEGAL, "window must be 0 or more; got -1", () -> new WindowFilter(-1, 1000, 0.01));
    Check.fails(ILLEGAL, "numBuckets must be", () -> new WindowFilter(10, -1, 1000, 0.01, Digest.XXH3));
    try (WindowFilter window = new WindowFilter(1000, 1000, 0.01)) {
      Check.fails(ILLEGAL, "now must be 0 or more; got -1", () -> window.advance(-1));
      Check.fails(ILLEGAL, "time must be", () -> window.insert(Keys.of(1), -1));
      Check.fails(ILLEGAL, "insertedAt must be", () -> window.erase(Keys.of(1), -1));
      Check.fails(ILLEGAL, "insertedAt must be", () -> window.eraseAll(Keys.of(1), -1));
      Check.fails(ILLEGAL, "must have 3 for 3 keys", () -> window.eraseAll(Keys.of(1, 2, 3), 0, 0));
    }
  }

  private static void empty() {
    try (WindowFilter window = new WindowFilter(1000, 1000, 0.01)) {
      for (Keys keys : Misuse.noKeys()) {
        Check.equal(window.erase(keys, 0).numExpired(), 0L);
        Check.fails(IndexOutOfBoundsException.class, "", () -> window.insert(keys).time(0));
      }
    }
  }

  private static void closed() {
    WindowFilter window = new WindowFilter(1000, 1000, 0.01);
    Keys keys = Keys.of(1, 2, 3);
    window.close();
    List<Callable<?>> calls = List.of(
        () -> window.insert(keys, 1), () -> window.erase(keys, 1), () -> window.eraseAll(keys, 1), () -> window.advance(1),
        () -> window.now());
    for (Callable<?> call : calls) Check.fails(IllegalStateException.class, "it is closed", call);
  }

  private static void unsupported() {
    try (WindowFilter window = new WindowFilter(1000, 1000, 0.01)) {
      window.insert(Keys.of(1));
      Check.fails(UNSUPPORTED, "window", () -> window.erase(Keys.of(1)));
      Check.fails(UNSUPPORTED, "window", () -> window.erase(Keys.of()));
      Check.fails(UNSUPPORTED, "window", () -> window.eraseAll(Keys.of(1)));
      Check.fails(UNSUPPORTED, "window", () -> window.erase(1L));
      Check.fails(UNSUPPORTED, "window", () -> window.upsert(Keys.of(1), asked -> asked));
      Check.equal(window.mayContain(1), true);
    }
  }
}
