package trommel.hbase.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.IndexedTable;

/** {@code trommel-hbase verify}: do a scan and the index of a table agree? */
final class VerifyCommand {
  private final boolean repair;
  private final boolean json;
  private final long oneIn;
  private final int threads;

  private VerifyCommand(Arguments arguments) throws UsageException {
    arguments.endAfterTable();
    repair = arguments.has("--repair");
    json = arguments.has("--json");
    oneIn = arguments.number("--one-in", 1, Integer.MAX_VALUE, 1);
    threads = (int) arguments.number("--threads", 1, 1000, 8);
  }

  static Main.Action verify(Arguments arguments) throws UsageException {
    return new VerifyCommand(arguments)::run;
  }

  private int run(Session session) throws IOException, InterruptedException, Failure {
    List<Column> columns = session.indexed();
    Regions.whenBuilt(session);
    Findings before = compare(session, columns, ranges(session));
    Findings after = null;
    int opened = 0;
    if (repair && !before.agree()) {
      List<RegionInfo> differ = regions(session, before);
      new Reopening(session).run(differ);
      opened = differ.size();
      Regions.whenBuilt(session);
      after = compare(session, columns, differ);
    }
    report(session, before, opened, after);
    return (after == null ? before : after).agree() ? Main.DONE : Main.NEGATIVE;
  }

  private void report(Session session, Findings before, int opened, Findings after) throws IOException {
    if (json) {
      Map<String, Object> report = new LinkedHashMap<>();
      report.put("table", session.table());
      report.put("verified", before.json());
      if (after != null) {
        report.put("regions_opened_again", opened);
        report.put("verified_again", after.json());
      }
      session.print(Json.of(report));
      return;
    }
    describe(session, before);
    if (after != null) {
      session.print(IndexCommand.counted(opened, "region") + " opened again, and compared again:");
      describe(session, after);
    }
  }

  private static void describe(Session session, Findings findings) throws IOException {
    for (String example : findings.examples()) {
      session.print(example);
    }
    session.print(findings.text());
  }

  private static List<RegionInfo> ranges(Session session) throws IOException {
    List<RegionInfo> regions = new ArrayList<>();
    try (RegionLocator locator = session.connection().getRegionLocator(session.table())) {
      for (HRegionLocation location : locator.getAllRegionLocations()) {
        if (location.getRegion().getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID) {
          regions.add(location.getRegion());
        }
      }
    }
    return regions;
  }

  /** Returns the regions that now have the rows that differ. */
  private static List<RegionInfo> regions(Session session, Findings findings) throws IOException {
    NavigableMap<byte[], RegionInfo> byStart = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    try (RegionLocator locator = session.connection().getRegionLocator(session.table())) {
      for (byte[] row : findings.rowsThatDiffer()) {
        RegionInfo region = locator.getRegionLocation(row, true).getRegion();
        byStart.put(region.getStartKey(), region);
      }
    }
    return new ArrayList<>(byStart.values());
  }

  /** Compares the ranges of these regions, whatever becomes of the regions meanwhile. */
  private Findings compare(Session session, List<Column> columns, List<RegionInfo> ranges)
      throws IOException, InterruptedException {
    Findings findings = new Findings();
    AtomicInteger done = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(Math.min(threads, ranges.size()));
    try (Progress progress = session.progress("comparing");
        IndexedTable index = new IndexedTable(session.connection(), session.table())) {
      List<Future<?>> tasks = new ArrayList<>();
      Runnable draw =
          () ->
              progress.draw(
                  IndexCommand.counted(findings.rows(), "row") + ", " + done + " of "
                      + IndexCommand.counted(ranges.size(), "range"));
      for (RegionInfo range : ranges) {
        tasks.add(
            pool.submit(
                () -> {
                  try (Table table = session.connection().getTable(session.table())) {
                    new Comparison(table, index, columns, oneIn, findings, draw)
                        .run(range.getStartKey(), range.getEndKey());
                  }
                  done.incrementAndGet();
                  return null;
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
      return findings;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException ? (IOException) e.getCause() : new IOException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }
}
