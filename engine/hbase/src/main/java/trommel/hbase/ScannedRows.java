package trommel.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * The rows of a region that meet the conditions, by a scan of the conditions' columns as the caller may see them: what
 * answers while the index is not built. It stops between rows when time is up, and knows where, so that a long scan is
 * answered in pages.
 */
final class ScannedRows implements Lookup.Candidates {
  private static final int ROWS_SHIPPED = 256;
  private static final int ROWS_PER_LOOK = 16;

  private final Region region;
  private final Request request;
  private final Clock clock;
  private final RegionScanner scanner;
  private final List<Cell> cells = new ArrayList<>();
  private boolean more = true;
  private int rows;

  /** Opens the scan, to which the access controller's hook may have given a filter. */
  ScannedRows(Region region, Scan scan, Request request, long deadline) throws IOException {
    this.region = region;
    this.request = request;
    clock = new Clock(region, deadline);
    Filter callers = scan.getFilter();
    scan.setFilter(callers == null ? clock : new FilterList(FilterList.Operator.MUST_PASS_ALL, clock, callers));
    scanner = Internals.open(region, scan);
  }

  /** Ends a scan before a row, if time is up or the region closes. Sees also rows that have none of the columns. */
  private static final class Clock extends FilterBase {
    private final Region region;
    private final long deadline;
    private int rows;
    private byte[] interrupted;

    Clock(Region region, long deadline) {
      this.region = region;
      this.deadline = deadline;
    }

    @Override
    public boolean filterRowKey(Cell first) {
      // The first rows are always looked at, so that each page moves on.
      if (interrupted == null
          && ++rows % ROWS_PER_LOOK == 0
          && (System.nanoTime() - deadline >= 0 || region.isClosing())) {
        interrupted = CellUtil.cloneRow(first);
      }
      return interrupted != null;
    }

    @Override
    public boolean filterAllRemaining() {
      return interrupted != null;
    }
  }

  @Override
  public byte[] atOrAfter(byte[] row) throws IOException {
    while (more) {
      cells.clear();
      more = scanner.nextRaw(cells);
      byte[] found = null;
      if (!cells.isEmpty()) {
        Result result = Result.create(cells);
        if (Lookup.meets(result, request.conditions) && Arrays.compareUnsigned(result.getRow(), row) >= 0) {
          found = result.getRow();
        }
      }
      if (++rows % ROWS_SHIPPED == 0) {
        cells.clear();
        Internals.shipped(scanner);
      }
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  @Override
  public byte[] interrupted() {
    return clock.interrupted;
  }

  @Override
  public void close() throws IOException {
    Internals.close(region, scanner);
  }
}
