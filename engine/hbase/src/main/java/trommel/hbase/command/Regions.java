package trommel.hbase.command;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.TableName;
import trommel.hbase.IndexedTable;
import trommel.hbase.RegionStatus;

/** The state of the index of each region of a table, in the order of row keys. Immutable. */
final class Regions {
  private static final long POLL_MILLISECONDS = 500;
  private static final long PATIENCE_NANOSECONDS = TimeUnit.MINUTES.toNanos(2);

  private final List<RegionStatus> all;

  private Regions(List<RegionStatus> all) {
    this.all = all;
  }

  static Regions of(Connection connection, TableName name) throws IOException {
    try (IndexedTable table = new IndexedTable(connection, name)) {
      return new Regions(table.status());
    }
  }

  /**
   * Returns the states when no region is to be built any more: each is built, or has no memory for it. Fails when
   * nothing has changed for two minutes.
   */
  static Regions whenBuilt(Session session) throws IOException, InterruptedException, Failure {
    try (Progress progress = session.progress("building")) {
      String before = "";
      long changed = System.nanoTime();
      while (true) {
        Regions now = of(session.connection(), session.table());
        if (now.unbuilt() == 0) {
          return now;
        }
        String text = now.text();
        progress.draw(text);
        if (!text.equals(before)) {
          before = text;
          changed = System.nanoTime();
        } else if (System.nanoTime() - changed > PATIENCE_NANOSECONDS) {
          throw new Failure(text + ", and nothing has changed for two minutes: the logs of their servers say why");
        }
        Thread.sleep(POLL_MILLISECONDS);
      }
    }
  }

  List<RegionStatus> all() {
    return all;
  }

  long built() {
    return all.stream().filter(RegionStatus::built).count();
  }

  private long lacking() {
    return all.stream().filter(Regions::lacks).count();
  }

  private long unbuilt() {
    return all.size() - built() - lacking();
  }

  private static boolean lacks(RegionStatus region) {
    return region.reason().equals("memory");
  }

  long sum(ToLongFunction<RegionStatus> number) {
    return all.stream().mapToLong(number).sum();
  }

  /** Returns how many regions are built, what is missing, and what the index takes. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%,d of %s built", built(), IndexCommand.counted(all.size(), "region")));
    if (lacking() > 0) {
      text.append(
          String.format(
              Locale.ROOT, "; %,d have no memory for it and answer by scans: raise trommel.index.memory.mb of the servers,"
                  + " or index fewer columns", lacking()));
    }
    return text.append(
            String.format(
                Locale.ROOT, "; %,d entries, %s", sum(RegionStatus::entries),
                bytes(sum(r -> r.segmentBytes() + r.generationBytes()))))
        .toString();
  }

  static String bytes(long number) {
    if (number < 1000) {
      return number + " B";
    }
    double size = number;
    String units = "kMGT";
    int unit = -1;
    while (size >= 999.5 && unit + 1 < units.length()) {
      size /= 1000;
      ++unit;
    }
    return String.format(Locale.ROOT, "%.3g %cB", size, units.charAt(unit));
  }
}
