package trommel.hbase;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.HConstants;

/**
 * Which rows are wanted: those whose newest visible version of each named column has the given value. Mutable, as
 * HBase's own {@code Scan} and {@code Get}; {@link IndexedTable#query} takes a copy.
 */
public final class Query {
  private final Map<Column, byte[]> conditions = new LinkedHashMap<>();
  private final Set<Column> selected = new LinkedHashSet<>();
  private byte[] startRow = HConstants.EMPTY_START_ROW;
  private byte[] stopRow = HConstants.EMPTY_END_ROW;
  private Duration timeout;

  /**
   * Adds the condition that an indexed column has exactly this value; rows must meet all conditions. The value is
   * copied; it may be empty.
   *
   * @throws IllegalArgumentException if the column has a condition already.
   */
  public Query where(Column column, byte[] value) {
    if (conditions.putIfAbsent(column, value.clone()) != null) {
      throw new IllegalArgumentException("column " + column + " has a condition already");
    }
    return this;
  }

  /** Does the same for a column by its text, {@code family:qualifier}. */
  public Query where(String column, byte[] value) {
    return where(Column.parse(column), value);
  }

  /** Asks for one more column, indexed or not, in the results. The columns of conditions are always in them. */
  public Query select(Column column) {
    selected.add(column);
    return this;
  }

  /** Asks only for rows from {@code startRow} (inclusive) to {@code stopRow} (exclusive); empty: no bound. */
  public Query within(byte[] startRow, byte[] stopRow) {
    this.startRow = startRow.clone();
    this.stopRow = stopRow.clone();
    return this;
  }

  /**
   * Fails with {@link UnansweredException} once the query has waited so long for servers in all. Without it, HBase's
   * own settings bound each call.
   *
   * @throws IllegalArgumentException if the time is not positive.
   */
  public Query timeout(Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("the timeout of a query must be positive; got " + time);
    }
    timeout = time;
    return this;
  }

  Map<Column, byte[]> conditions() {
    return conditions;
  }

  List<Column> selected() {
    return new ArrayList<>(selected);
  }

  Range rows() {
    return new Range(startRow, stopRow);
  }

  /** Returns null without one. */
  Duration timeout() {
    return timeout;
  }
}
