package trommel.hbase.trial;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what happened in a trial and prints it, with the seconds since its start. Thread safe. */
final class Tally {
  private final long start = System.nanoTime();
  private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();

  void say(String format, Object... arguments) {
    System.out.printf(Locale.ROOT, "[%6.1f s] %s%n", seconds(), String.format(Locale.ROOT, format, arguments));
  }

  double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  void count(String what) {
    add(what, 1);
  }

  long add(String what, long number) {
    return counts.computeIfAbsent(what, k -> new AtomicLong()).addAndGet(number);
  }

  /** Counts a failure by its class: servers die here on purpose, and only wrong answers are findings. */
  void failed(String what, Throwable why) {
    Throwable cause = why.getCause() == null ? why : why.getCause();
    count("failed: " + what + ": " + why.getClass().getSimpleName()
        + (cause == why ? "" : "/" + cause.getClass().getSimpleName()));
  }

  long of(String what) {
    AtomicLong n = counts.get(what);
    return n == null ? 0 : n.get();
  }

  /** Everything that must not happen. */
  long wrong() {
    return counts.entrySet().stream()
        .filter(e -> e.getKey().startsWith("WRONG") || e.getKey().startsWith("LOST") || e.getKey().startsWith("EXTRA"))
        .mapToLong(e -> e.getValue().get()).sum();
  }

  void print() {
    new TreeMap<>(counts).forEach((what, n) -> System.out.printf(Locale.ROOT, "%12d  %s%n", n.get(), what));
  }
}
