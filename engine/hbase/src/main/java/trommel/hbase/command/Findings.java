package trommel.hbase.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.QueryStatistics;

/** What a comparison of a table with its index found. Thread safe. */
final class Findings {
  private static final int EXAMPLES = 20;

  private final List<String> examples = new ArrayList<>();
  private final NavigableSet<byte[]> rowsThatDiffer = new TreeSet<>(Bytes.BYTES_COMPARATOR);
  private long rows;
  private long values;
  private long byIndex;
  private long byScan;
  private long lost;
  private long extra;
  private long restless;

  synchronized void compared(long moreRows, long moreValues) {
    rows += moreRows;
    values += moreValues;
  }

  synchronized void asked(QueryStatistics statistics) {
    byIndex += statistics.byIndex();
    byScan += statistics.byScan();
  }

  /** Counts a row that has the value and is not in the answer, or the other way round. */
  synchronized void differs(boolean isLost, byte[] row, Column column, byte[] value) {
    if (isLost) {
      ++lost;
    } else {
      ++extra;
    }
    rowsThatDiffer.add(row);
    if (examples.size() < EXAMPLES) {
      examples.add((isLost ? "lost" : "extra") + "\t" + Text.of(row) + "\t" + Text.of(column) + "=" + Text.of(value));
    }
  }

  /** Counts a row that changed each time that it was asked for. */
  synchronized void changes() {
    ++restless;
  }

  synchronized long rows() {
    return rows;
  }

  synchronized boolean agree() {
    return lost + extra == 0;
  }

  synchronized List<String> examples() {
    return List.copyOf(examples);
  }

  synchronized NavigableSet<byte[]> rowsThatDiffer() {
    return new TreeSet<>(rowsThatDiffer);
  }

  synchronized String text() {
    StringBuilder text = new StringBuilder();
    text.append(IndexCommand.counted(rows, "row")).append(", ").append(IndexCommand.counted(values, "value"))
        .append(": ").append(agree() ? "all agree" : lost + " lost, " + extra + " extra");
    if (restless > 0) {
      text.append("; ").append(IndexCommand.counted(restless, "row")).append(" changed too often to tell");
    }
    if (byScan > 0) {
      text.append("; ").append(byScan).append(" of ").append(byIndex + byScan)
          .append(" answers came from scans of regions that are not built, and say nothing of an index");
    }
    return text.toString();
  }

  synchronized Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("agree", agree());
    json.put("rows", rows);
    json.put("values", values);
    json.put("answers_by_index", byIndex);
    json.put("answers_by_scan", byScan);
    json.put("lost", lost);
    json.put("extra", extra);
    json.put("changed_too_often", restless);
    json.put("examples", examples);
    return json;
  }
}
