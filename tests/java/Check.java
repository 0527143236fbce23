import java.util.concurrent.Callable;

/** Counts what passed, and prints what did not. */
final class Check {
  private static int numPassed;
  private static int numFailed;

  private Check() {}

  /** A test that may throw. */
  interface Body {
    void run() throws Exception;
  }

  /** Runs a test, which fails if it throws. Its name is a sentence. */
  static void test(String name, Body body) {
    try {
      body.run();
      ++numPassed;
    } catch (Throwable e) {
      ++numFailed;
      System.err.println("failed: " + name);
      e.printStackTrace();
    }
  }

  static void that(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static void equal(Object got, Object wanted) {
    that(wanted.equals(got), "got " + got + ", wanted " + wanted);
  }

  /** Demands that a call throws this exception, with a message that has {@code part}. */
  static void fails(Class<? extends Throwable> kind, String part, Callable<?> call) {
    Object got;
    try {
      got = call.call();
    } catch (Throwable e) {
      that(kind.isInstance(e) && String.valueOf(e.getMessage()).contains(part),
          "got " + e + ", wanted " + kind.getSimpleName() + " with \"" + part + "\"");
      return;
    }
    throw new AssertionError("got " + got + ", wanted " + kind.getSimpleName());
  }

  static void fails(Class<? extends Throwable> kind, String part, Body body) {
    fails(kind, part, () -> {
      body.run();
      return "a return";
    });
  }

  /** Prints the sum, and returns the exit status. */
  static int finish() {
    System.out.println(numPassed + " passed, " + numFailed + " failed");
    return numFailed == 0 && numPassed > 0 ? 0 : 1;
  }
}
