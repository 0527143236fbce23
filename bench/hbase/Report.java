package trommel.hbase.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The table of what was asked, and the targets. */
final class Report {
  private static final double MOST_TO_REGIONS = 1.0 / 2;
  private static final double MOST_TO_SCAN = 1.0 / 100;

  private Report() {}

  /** Prints a line per question, and per way: calls, regions looked into, median and quartiles of the time. */
  static void print(String title, List<Figures> all) {
    System.out.println();
    System.out.println(title);
    int width = all.stream().mapToInt(f -> f.question.toString().length()).max().orElse(0);
    String format = "%-" + width + "s %7s  %-10s %6s %8s %10s  %-21s %10s %9s%n";
    System.out.printf(format, "question", "rows", "asked", "RPCs", "regions", "median ms", "quartiles", "/ regions", "/ scan");
    for (Figures figures : all) {
      boolean first = true;
      for (int way = 0; way < Figures.WAYS.length; ++way) {
        if (!figures.has(way)) {
          continue;
        }
        Figures.Spread ms = figures.milliseconds(way);
        boolean servers = way == Figures.SERVERS;
        System.out.printf(
            format, first ? figures.question : "", first ? number(figures.rows) : "", Figures.WAYS[way],
            number(figures.calls[way]), number(figures.regions[way]), time(ms.median),
            time(ms.quarter) + " to " + time(ms.threeQuarters),
            servers ? String.format(Locale.ROOT, "%.2f", figures.toRegions()) : "",
            servers && figures.has(Figures.SCAN) ? String.format(Locale.ROOT, "1/%,.0f", 1 / figures.toScan()) : "");
        first = false;
      }
    }
  }

  /** Prints whether the figures are what was promised of 60 regions on three servers. */
  static void targets(List<Figures> all, int servers) {
    System.out.println();
    System.out.println("targets, over the questions of this run:");
    long calls = all.stream().filter(f -> f.calls[Figures.SERVERS] == servers).count();
    System.out.printf(
        "  %d RPCs per query by servers: %d of %d questions: %s%n", servers, calls, all.size(), verdict(calls == all.size()));
    target("by servers / by regions", all, Figures::toRegions, MOST_TO_REGIONS);
    target("by servers / filtered scan", all, Figures::toScan, MOST_TO_SCAN);
  }

  private static void target(String what, List<Figures> all, ToDoubleFunction<Figures> ratio, double most) {
    List<Double> ratios = new ArrayList<>();
    all.forEach(figures -> ratios.add(ratio.applyAsDouble(figures)));
    Figures.Spread spread = new Figures.Spread(ratios);
    System.out.printf(
        Locale.ROOT, "  time %s: median %.4f, quartiles %.4f to %.4f, at most %.2f: %s (alone, %d of %d questions)%n", what,
        spread.median, spread.quarter, spread.threeQuarters, most, verdict(spread.median <= most),
        ratios.stream().filter(r -> r <= most).count(), ratios.size());
  }

  private static String verdict(boolean met) {
    return met ? "met" : "NOT MET";
  }

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  static String time(double milliseconds) {
    return String.format(Locale.ROOT, milliseconds < 10 ? "%.2f" : milliseconds < 100 ? "%.1f" : "%,.0f", milliseconds);
  }
}
