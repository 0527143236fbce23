package trommel.hbase.command;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import trommel.hbase.Column;
import trommel.hbase.IndexedRows;
import trommel.hbase.IndexedTable;
import trommel.hbase.Query;
import trommel.hbase.QueryStatistics;

/** {@code trommel-hbase query}: the rows that have given values. */
final class QueryCommand {
  private static final long MOST_SECONDS = 86_400;

  private final Query query;
  private final long limit;
  private final boolean json;

  private QueryCommand(Query query, long limit, boolean json) {
    this.query = query;
    this.limit = limit;
    this.json = json;
  }

  static Main.Action query(Arguments arguments) throws UsageException {
    Query query = new Query();
    for (String text : arguments.rest("COLUMN=VALUE")) {
      int equals = text.indexOf('=');
      if (equals < 0) {
        throw new UsageException("a condition is written COLUMN=VALUE; got \"" + Text.print(text) + "\"");
      }
      Column column = Text.column(text.substring(0, equals));
      try {
        query.where(column, Text.parse(text.substring(equals + 1)));
      } catch (IllegalArgumentException e) {
        throw new UsageException(e.getMessage());
      }
    }
    for (String text : arguments.values("--select")) {
      query.select(Text.column(text));
    }
    query.within(bound(arguments.value("--from")), bound(arguments.value("--to")));
    long seconds = arguments.number("--timeout", 1, MOST_SECONDS, 0);
    if (seconds > 0) {
      query.timeout(Duration.ofSeconds(seconds));
    }
    long limit = arguments.number("--limit", 1, Long.MAX_VALUE, Long.MAX_VALUE);
    return new QueryCommand(query, limit, arguments.has("--json"))::run;
  }

  private static byte[] bound(String text) throws UsageException {
    return text == null ? new byte[0] : Text.parse(text);
  }

  private int run(Session session) throws IOException, Failure {
    session.indexed();  // A clear answer if there is no table, or no index.
    long start = System.nanoTime();
    long printed = 0;
    try (IndexedTable table = new IndexedTable(session.connection(), session.table());
        IndexedRows rows = table.query(query)) {
      try {
        for (Result row = null; printed < limit && (row = rows.next()) != null; ++printed) {
          session.print(json ? object(row) : line(row));
        }
      } finally {
        end(session, rows.statistics(), printed, (System.nanoTime() - start) / 1e9);
      }
    }
    return printed > 0 ? Main.DONE : Main.NEGATIVE;
  }

  private static String line(Result row) {
    StringBuilder line = new StringBuilder(Text.of(row.getRow()));
    for (Cell cell : row.rawCells()) {
      line.append('\t').append(column(cell)).append('=').append(Text.of(CellUtil.cloneValue(cell)));
    }
    return line.toString();
  }

  private static String object(Result row) {
    Map<String, String> columns = new LinkedHashMap<>();
    for (Cell cell : row.rawCells()) {
      columns.put(column(cell), Text.of(CellUtil.cloneValue(cell)));
    }
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("row", Text.of(row.getRow()));
    object.put("columns", columns);
    return Json.of(object);
  }

  private static String column(Cell cell) {
    return Text.of(Column.of(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell)));
  }

  /** Says what the query took: as the last line of the answer, or beside it. */
  private void end(Session session, QueryStatistics statistics, long printed, double seconds) throws IOException {
    if (!json) {
      session.flush();
      session.note(
          String.format(
              Locale.ROOT, "%s%s in %.3f s; %s", IndexCommand.counted(printed, "row"),
              printed == limit ? ", the limit," : "", seconds, statistics));
      return;
    }
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("rows", printed);
    figures.put("seconds", seconds);
    figures.put("calls", statistics.calls());
    figures.put("servers", statistics.servers());
    figures.put("regions", statistics.regions());
    figures.put("regions_excluded", statistics.byFilter());
    figures.put("answers_by_index", statistics.byIndex());
    figures.put("answers_by_scan", statistics.byScan());
    figures.put("candidates", statistics.candidates());
    figures.put("verified", statistics.verified());
    figures.put("false_candidates", statistics.falseCandidates());
    session.print(Json.of(Map.of("statistics", figures)));
  }
}
