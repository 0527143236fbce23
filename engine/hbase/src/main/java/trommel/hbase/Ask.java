package trommel.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;

/**
 * One step of a query, for one thread of the table's: finding the regions, a call of a server for all its regions, or
 * a call of the region that has a row. It returns rows, and the steps that ask for the rest.
 *
 * <pre>
 *   where are the regions?  ->  server 1: its ranges  ->  page full: server 1: what is left
 *                               server 2: its ranges  ->  not there, or no answer: region by region: what is left
 *                               ...
 * </pre>
 *
 * The call of a server is tried once. The call of a region is HBase's client's own, which finds the region again when
 * it has moved, and tries again; so a region that was split, merged or moved meanwhile is not missed, and every error
 * that is about the query comes from there.
 */
abstract class Ask implements Callable<Ask.Reply> {
  /** What came back. */
  static final class Reply {
    final ServerName server;  // Null: not a server's.
    final Answer answer;  // Null: none.
    final boolean called;
    final List<Ask> next;

    private Reply(ServerName server, Answer answer, boolean called, List<Ask> next) {
      this.server = server;
      this.answer = answer;
      this.called = called;
      this.next = next;
    }
  }

  /** What all steps of a query share. */
  static final class Question {
    final IndexedTable table;
    final Map<Column, byte[]> conditions;
    final List<Column> selected;

    Question(IndexedTable table, Query query) {
      this.table = table;
      this.conditions = new LinkedHashMap<>(query.conditions());
      this.selected = query.selected();
    }

    private Request request(List<Range> ranges) {
      return Request.query(table.name(), ranges, conditions, selected);
    }
  }

  final Question question;
  /** What this step is to answer. */
  final List<Range> ranges;

  private Ask(Question question, List<Range> ranges) {
    this.question = question;
    this.ranges = ranges;
  }

  @Override
  public final Reply call() throws IOException {
    question.table.checkOpen();
    return step();
  }

  abstract Reply step() throws IOException;

  /** Returns the first step of a query. */
  static Ask first(Question question, Range rows) {
    return new Locate(question, rows);
  }

  private static final class Locate extends Ask {
    Locate(Question question, Range rows) {
      super(question, List.of(rows));
    }

    @Override
    Reply step() throws IOException {
      Range rows = ranges.get(0);
      Map<ServerName, List<Range>> servers = new LinkedHashMap<>();
      List<Ask> next = new ArrayList<>();
      byte[] at = rows.from;
      for (HRegionLocation location : question.table.locate(rows)) {
        // From the end of the one before on: what HBase's client knows of a region may be older than of the next, so
        // one that two were merged into may follow the first of them.
        Range own = new Range(at, Range.lowerStop(location.getRegion().getEndKey(), rows.stop));
        if (question.table.asks(location.getServerName())) {
          servers.computeIfAbsent(location.getServerName(), name -> new ArrayList<>()).add(own);
        } else {
          next.add(new AskRegion(question, own));
        }
        at = location.getRegion().getEndKey();
      }
      servers.forEach((server, own) -> next.add(new AskServer(question, server, own)));
      return new Reply(null, null, false, next);
    }
  }

  private static final class AskServer extends Ask {
    private final ServerName server;

    AskServer(Question question, ServerName server, List<Range> ranges) {
      super(question, ranges);
      this.server = server;
    }

    @Override
    Reply step() throws IOException {
      Answer answer = question.table.call(server, question.request(ranges));
      List<Range> left = new ArrayList<>();
      ranges.forEach(range -> left.addAll(answer == null ? List.of(range) : answer.left(range)));
      List<Ask> next = new ArrayList<>();
      if (answer != null && answer.full && !answer.pieces.isEmpty() && !left.isEmpty()) {
        next.add(new AskServer(question, server, left));
      } else {
        left.forEach(range -> next.add(new AskRegion(question, range)));
      }
      return new Reply(server, answer, true, next);
    }
  }

  private static final class AskRegion extends Ask {
    AskRegion(Question question, Range range) {
      super(question, List.of(range));
    }

    @Override
    Reply step() throws IOException {
      Range range = ranges.get(0);
      Answer answer = question.table.call(question.request(ranges), range);
      List<Ask> next = new ArrayList<>();
      answer.left(range).forEach(left -> next.add(new AskRegion(question, left)));
      return new Reply(null, answer, true, next);
    }
  }
}
