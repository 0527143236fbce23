package trommel.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.security.AccessDeniedException;

/**
 * Answers one page of a query in one region: candidates by the index, or by a scan while it is unbuilt, each verified
 * by a get, which goes through the region as the caller's own would, hooks of the access controller included.
 */
final class Lookup {
  /** Finds rows that may meet the conditions, upwards. */
  interface Candidates {
    /** Returns the next candidate that is not below {@code row}, or null. */
    byte[] atOrAfter(byte[] row) throws IOException;

    /** Returns the row from which on nothing was looked at, because time is up, or null. */
    default byte[] interrupted() {
      return null;
    }

    default void close() throws IOException {}
  }

  private final Region region;
  private final RegionIndex index;
  private final Host host;
  private final Build.Queue builds;
  private final Request request;
  private final Page page;
  private long looked;  // Candidates.

  Lookup(Region region, RegionIndex index, Host host, Build.Queue builds, Request request, Page page) {
    this.region = region;
    this.index = index;
    this.host = host;
    this.builds = builds;
    this.request = request;
    this.page = page;
  }

  /**
   * Adds to the page the region's rows from the first wanted one on, and how far they go (rule 8). The caller holds
   * the region's operation lock.
   */
  void run(Range wanted, Exclusion exclusion) throws IOException {
    RegionInfo info = region.getRegionInfo();
    Range own = new Range(info.getStartKey(), info.getEndKey());
    if (!own.has(wanted.from)) {
      throw new NotServingRegionException("row is not in " + info.getRegionNameAsString());
    }
    if (request.conditions.isEmpty()) {
      throw new DoNotRetryIOException("a query needs at least one condition");
    }
    Range range = own.and(wanted);

    // Whether the caller may read is decided before anything is looked at: "no row" tells something, too.
    Scan scan = scan(request.conditions.keySet()).withStartRow(range.from).withStopRow(range.stop);
    Internals.checkRead(region, scan);
    boolean restricted = scan.getFilter() != null;
    if (restricted) {
      // Of several columns the caller may read some. The time of an answer, and where its pages end, would tell of the others.
      for (Column column : request.conditions.keySet()) {
        Internals.checkRead(region, scan(List.of(column)));
      }
    }
    for (Column column : request.conditions.keySet()) {
      index.attribute(column);
    }
    for (Column column : request.selected) {
      index.checkFamily(column);
    }

    // A caller that sees some cells must not learn that others have the value.
    if (exclusion != null && !restricted && exclusion.holds()) {
      host.regionsExcluded.increment();
      page.add(range, Answer.How.FILTER);
      return;
    }

    Answer.How how = Answer.How.INDEX;
    Candidates candidates = byIndex();
    if (candidates == null) {
      how = scanReason(index);
      candidates = new ScannedRows(region, scan, request, page.deadline);
    }
    int rowsBefore = page.answer.results.size();
    try {
      verify(candidates, range, how);
    } finally {
      candidates.close();
    }
    int rows = page.answer.results.size() - rowsBefore;
    (how == Answer.How.INDEX ? host.byIndex : host.byScan).increment();
    host.candidates.increment(looked);
    host.verified.increment(rows);
    page.answer.candidates += restricted ? rows : looked;  // How many others there are is not the caller's to know.
  }

  private static Scan scan(Collection<Column> columns) {
    Scan scan = new Scan().setCacheBlocks(false);
    columns.forEach(c -> scan.addColumn(c.familyBytes(), c.qualifierBytes()));
    return scan;
  }

  /** Returns the state of the region's index; it also starts builds that are due. */
  static Answer status(Region region, RegionIndex index, Build.Queue builds) throws IOException {
    Scan scan = scan(index.columns());
    Internals.checkRead(region, scan);
    if (scan.getFilter() != null) {
      throw new AccessDeniedException(
          "the state of an index counts all its entries: it needs the permission to read every indexed column, "
              + index.columns() + ", without a restriction by cells");
    }
    Answer answer = new Answer();
    Answer.How how = Answer.How.INDEX;
    answer.state = new long[5];
    for (RegionIndex.Family family : index.families()) {
      builds.update(family);
      family.index.addTo(answer.state);
      if (family.index.sources(family::live) == null) {
        how = scanReason(index);
      }
    }
    RegionInfo info = region.getRegionInfo();
    answer.pieces.add(new Answer.Piece(new Range(info.getStartKey(), info.getEndKey()), how));
    return answer;
  }

  private static Answer.How scanReason(RegionIndex index) {
    return index.families().stream().anyMatch(family -> family.index.exceeded())
        ? Answer.How.SCAN_MEMORY
        : Answer.How.SCAN_UNBUILT;
  }

  /** Returns the candidates of the index, or null if no condition's family has a complete one. */
  private Candidates byIndex() throws IOException {
    List<IndexedCondition> conditions = new ArrayList<>();
    for (Map.Entry<Column, byte[]> condition : request.conditions.entrySet()) {
      RegionIndex.Family family = index.family(condition.getKey().familyBytes());
      builds.update(family);
      List<RowSource> sources = family.index.sources(family::live);
      if (sources == null) {
        continue;  // The other conditions' rows are candidates enough.
      }
      int attribute = index.attribute(condition.getKey());
      conditions.add(new IndexedCondition(sources, attribute, condition.getValue()));
    }
    conditions.sort(Comparator.comparingLong(c -> c.count));
    List<IndexedCondition> asked = new ArrayList<>();
    for (IndexedCondition condition : conditions) {
      // A walk through a generation costs 50 ns or so per row, a verifying get 20 us: beyond this it does not pay.
      if (!asked.isEmpty() && condition.inGenerations > 256 * asked.get(0).count) {
        continue;
      }
      if (condition.open()) {
        asked.add(condition);
      }
    }
    return asked.isEmpty() ? null : row -> intersect(asked, row);
  }

  /** Returns the first row at or after {@code row} that all conditions have. */
  private static byte[] intersect(List<IndexedCondition> conditions, byte[] row) {
    byte[] candidate = row;
    for (int agreed = 0, i = 0; agreed < conditions.size(); i = (i + 1) % conditions.size()) {
      byte[] next = conditions.get(i).atOrAfter(candidate);
      if (next == null) {
        return null;
      }
      agreed = Arrays.equals(next, candidate) ? agreed + 1 : 1;
      candidate = next;
    }
    return candidate;
  }

  /** The rows of one condition: the union of what the sources have under the value's keys. */
  private static final class IndexedCondition {
    private final List<RowSource> sources;
    private final byte[][] keys;
    private final List<RowSource.Cursor> cursors = new ArrayList<>();
    long count;
    long inGenerations;

    IndexedCondition(List<RowSource> sources, int attribute, byte[] value) {
      this.sources = sources;
      this.keys = ValueKey.all(attribute, value);
      for (RowSource source : sources) {
        for (byte[] key : keys) {
          long rows = source.count(key);
          count += rows;
          inGenerations += source instanceof Generation ? rows : 0;
        }
      }
    }

    /** Returns false if a source has lost entries since it was chosen. */
    boolean open() {
      for (RowSource source : sources) {
        for (byte[] key : keys) {
          RowSource.Cursor cursor = source.rows(key);
          if (cursor == null) {
            return false;
          }
          cursors.add(cursor);
        }
      }
      return true;
    }

    byte[] atOrAfter(byte[] row) {
      byte[] first = null;
      for (RowSource.Cursor cursor : cursors) {
        byte[] candidate = cursor.atOrAfter(row);
        if (candidate != null && (first == null || Arrays.compareUnsigned(candidate, first) < 0)) {
          first = candidate;
        }
      }
      return first;
    }
  }

  /** Gets candidates until the stop row or the page's limits, and keeps those that meet the conditions. */
  private void verify(Candidates candidates, Range range, Answer.How how) throws IOException {
    byte[] row = candidates.atOrAfter(range.from);
    while (row != null && Range.before(row, range.stop)) {
      ++looked;
      Get get = new Get(row);
      request.conditions.keySet().forEach(c -> get.addColumn(c.familyBytes(), c.qualifierBytes()));
      request.selected.forEach(c -> get.addColumn(c.familyBytes(), c.qualifierBytes()));
      Result result = region.get(get);
      if (meets(result, request.conditions)) {
        page.add(result);
      }
      byte[] after = RowKeys.after(row);
      if (page.full() && Range.before(after, range.stop)) {
        end(range, after, how);
        return;
      }
      row = candidates.atOrAfter(after);
    }
    end(range, candidates.interrupted(), how);
  }

  /** Ends the region's part of the page: before the end of the range, or there if {@code stop} is null. */
  private void end(Range range, byte[] stop, Answer.How how) {
    page.answer.full |= stop != null;
    page.add(stop == null ? range : new Range(range.from, stop), how);
  }

  /** Returns whether the newest cell of each column that the result shows has the value. */
  static boolean meets(Result result, Map<Column, byte[]> conditions) {
    for (Map.Entry<Column, byte[]> condition : conditions.entrySet()) {
      Column column = condition.getKey();
      Cell cell = result.getColumnLatestCell(column.familyBytes(), column.qualifierBytes());
      if (cell == null || !CellUtil.matchingValue(cell, condition.getValue())) {
        return false;
      }
    }
    return true;
  }
}
