package trommel.hbase;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/**
 * The rows of a query, each once, in no order: servers are asked at the same time, page by page, until the whole range
 * of rows is covered. So a region that was split, merged or moved meanwhile is not missed. A row that does not change
 * while it is asked for is found if and only if it meets the conditions; a row that changes is found as it was at one
 * moment.
 *
 * <p>Thread safety: for one thread. Cost: one call per server and page; at most two pages of each server are held.
 */
public final class IndexedRows implements ResultScanner {
  private final IndexedTable table;
  private final CompletionService<Ask.Reply> replies;
  private final Map<Future<Ask.Reply>, Ask> asked = new HashMap<>();
  private final Deque<Ask> waiting = new ArrayDeque<>();
  private final Deque<Result> page = new ArrayDeque<>();
  private final QueryStatistics statistics = new QueryStatistics();
  private final long timeoutNanoseconds;  // 0: none.
  private long waitedNanoseconds;

  IndexedRows(IndexedTable table, Query query) {
    this.table = table;
    this.replies = table.replies();
    this.timeoutNanoseconds = query.timeout() == null ? 0 : query.timeout().toNanos();
    Range rows = query.rows();
    if (!rows.empty()) {
      waiting.add(Ask.first(new Ask.Question(table, query), rows));
    }
  }

  /**
   * Returns the next row, with the columns of the conditions and those selected, or null at the end.
   *
   * @throws UnansweredException if servers do not answer within HBase's own retries, or within the query's time.
   * @throws IOException if the question cannot be answered: no index, a column without one, a family that does not
   *     exist, no permission to read.
   */
  @Override
  public Result next() throws IOException {
    while (page.isEmpty() && (!waiting.isEmpty() || !asked.isEmpty())) {
      Ask.Reply reply = reply();
      waiting.addAll(reply.next);
      if (reply.called) {
        statistics.add(reply.server, reply.answer);
      }
      if (reply.answer != null) {
        page.addAll(reply.answer.results);
      }
      if (!page.isEmpty()) {
        send();  // The next pages come while the caller works on this one.
      }
    }
    return page.poll();
  }

  private Ask.Reply reply() throws IOException {
    long start = System.nanoTime();
    List<Range> missing = new ArrayList<>();
    try {
      // A single call needs no second thread, unless it may have to be given up.
      if (asked.isEmpty() && waiting.size() == 1 && timeoutNanoseconds == 0) {
        Ask ask = waiting.remove();
        missing.addAll(ask.ranges);
        return ask.call();
      }
      send();
      Future<Ask.Reply> done =
          timeoutNanoseconds == 0
              ? replies.take()
              : replies.poll(timeoutNanoseconds - waitedNanoseconds, TimeUnit.NANOSECONDS);
      if (done == null) {
        throw unanswered(missing, start, null);
      }
      missing.addAll(asked.remove(done).ranges);
      return done.get();
    } catch (InterruptedException e) {
      close();
      throw (IOException) new InterruptedIOException("a query of table " + table.name() + " was interrupted").initCause(e);
    } catch (ExecutionException e) {
      throw failure(missing, start, e.getCause());
    } catch (UnansweredException e) {
      throw failure(missing, start, e);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    } finally {
      waitedNanoseconds += System.nanoTime() - start;
    }
  }

  private IOException failure(List<Range> missing, long start, Throwable e) {
    if (e instanceof UnansweredException) {
      Throwable cause = e.getCause();
      return cause == null ? (IOException) e : unanswered(missing, start, cause);
    }
    close();
    if (e instanceof Error) {
      throw (Error) e;
    }
    return e instanceof IOException ? (IOException) e : new IOException(e);
  }

  /** Ends the query, and says what is missing: these ranges, and all that no reply was taken of. */
  private UnansweredException unanswered(List<Range> missing, long start, Throwable cause) {
    asked.values().forEach(ask -> missing.addAll(ask.ranges));
    waiting.forEach(ask -> missing.addAll(ask.ranges));
    close();
    return new UnansweredException(
        table.name(), missing, (waitedNanoseconds + System.nanoTime() - start) / 1_000_000, cause);
  }

  private void send() {
    for (Ask ask = waiting.poll(); ask != null; ask = waiting.poll()) {
      asked.put(replies.submit(ask), ask);
    }
  }

  /** Returns what the query has cost up to now. */
  public QueryStatistics statistics() {
    return statistics;
  }

  /** Ends the query. Nothing is held on servers. */
  @Override
  public void close() {
    asked.keySet().forEach(future -> future.cancel(true));
    asked.clear();
    waiting.clear();
    page.clear();
  }

  /** Returns true: nothing is held on servers that could end. */
  @Override
  public boolean renewLease() {
    return true;
  }

  /** Returns null: {@link #statistics} has the cost of a query. */
  @Override
  public ScanMetrics getScanMetrics() {
    return null;
  }
}
