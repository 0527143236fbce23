package trommel.hbase.command;

import java.io.PrintStream;

/** One line that is drawn again and again on a terminal, and on nothing else. Thread safe. */
final class Progress implements AutoCloseable {
  /** The launcher sets this property where standard error is a terminal, which Java cannot tell. */
  private static final boolean TERMINAL = Boolean.getBoolean("trommel.progress");

  private static final long INTERVAL_NANOSECONDS = 200_000_000;
  private static final String CLEAR_LINE = "\r\u001B[K";

  private final PrintStream terminal;
  private final String what;
  private long drawn = System.nanoTime() - INTERVAL_NANOSECONDS;

  Progress(PrintStream terminal, String what) {
    this.terminal = terminal;
    this.what = what;
  }

  synchronized void draw(String state) {
    long now = System.nanoTime();
    if (TERMINAL && now - drawn >= INTERVAL_NANOSECONDS) {
      drawn = now;
      terminal.print(CLEAR_LINE + what + ": " + state);
      terminal.flush();
    }
  }

  @Override
  public synchronized void close() {
    if (TERMINAL) {
      terminal.print(CLEAR_LINE);
      terminal.flush();
    }
  }
}
