package trommel.hbase;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.apache.hadoop.hbase.util.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks an indexed table of HBase which rows have given values: each server once for all its regions, or each region
 * where the server lacks {@link ServerIndex}.
 *
 * <p>Two settings of the connection: {@code trommel.index.client.threads} (64) is how many calls may be under way at
 * once; {@code trommel.index.client.servers} (true) may be false so that each region is asked by itself.
 *
 * <p>Thread safety: all members, for any number of queries at once.
 */
public final class IndexedTable implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(IndexedTable.class);
  private static final String COPROCESSOR = "trommel.hbase.IndexObserver";
  private static final long IDLE_SECONDS = 10;

  private final Connection connection;
  private final TableName name;
  private final boolean asksServers;
  private final ThreadPoolExecutor threads;
  private final Set<ServerName> withoutEndpoint = ConcurrentHashMap.newKeySet();
  private volatile boolean located;

  /** Opens the table on a connection, which stays the caller's. Asks no server, and starts no thread before a query. */
  public IndexedTable(Connection connection, TableName name) {
    this.connection = connection;
    this.name = name;
    asksServers = connection.getConfiguration().getBoolean("trommel.index.client.servers", true);
    int most = Math.max(1, connection.getConfiguration().getInt("trommel.index.client.threads", 64));
    threads =
        new ThreadPoolExecutor(
            most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "trommel-query-" + name);
              thread.setDaemon(true);
              return thread;
            },
            (work, closed) -> work.run());  // The thread is the query's own, and the step fails: the table was closed.
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Returns a descriptor with the index on these columns, and no others. To be given to {@code Admin.createTable} or
   * {@code Admin.modifyTable}; rows that are there already are indexed in the background, and queries are right from
   * the moment that all regions have been opened again.
   *
   * @throws IllegalArgumentException if no column is given.
   */
  public static TableDescriptor index(TableDescriptor table, Column... columns) throws IOException {
    if (columns.length == 0) {
      throw new IllegalArgumentException("an index needs at least one column");
    }
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(table)
            .setValue(
                Column.TABLE_VALUE, Stream.of(columns).map(Column::toString).collect(Collectors.joining(" ")));
    return table.hasCoprocessor(COPROCESSOR) ? builder.build() : builder.setCoprocessor(COPROCESSOR).build();
  }

  /** Returns a descriptor without the index. */
  public static TableDescriptor unindex(TableDescriptor table) {
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(table).removeValue(Bytes.toBytes(Column.TABLE_VALUE));
    if (table.hasCoprocessor(COPROCESSOR)) {
      builder.removeCoprocessor(COPROCESSOR);
    }
    return builder.build();
  }

  /**
   * Returns the rows that meet the query's conditions, as far as the caller may read them. Asks no server before the
   * first row is taken.
   *
   * @throws IllegalArgumentException if the query has no condition.
   */
  public IndexedRows query(Query query) {
    if (query.conditions().isEmpty()) {
      throw new IllegalArgumentException("a query needs at least one condition; a scan returns all rows");
    }
    return new IndexedRows(this, query);
  }

  /** Calls the region of a row for nothing: what a call costs, and whether the table has an index there. */
  public void ping(byte[] row) throws IOException {
    call(Request.of(Request.Kind.PING, name), new Range(row, HConstants.EMPTY_END_ROW));
  }

  /** Returns the state of the index of each region, in the order of row keys. Cost: one call per region. */
  public List<RegionStatus> status() throws IOException {
    List<RegionStatus> regions = new ArrayList<>();
    byte[] at = HConstants.EMPTY_START_ROW;
    do {
      Answer answer = call(Request.of(Request.Kind.STATUS, name), new Range(at, HConstants.EMPTY_END_ROW));
      regions.add(new RegionStatus(answer));
      at = answer.pieces.get(0).range.stop;
    } while (at.length > 0);
    return regions;
  }

  TableName name() {
    return name;
  }

  /** Returns a queue of replies of its own, whose steps run in the table's threads. */
  CompletionService<Ask.Reply> replies() {
    return new ExecutorCompletionService<>(threads);
  }

  /** Returns whether a server is to be asked for all its regions at once. */
  boolean asks(ServerName server) {
    return asksServers && server != null && !withoutEndpoint.contains(server);
  }

  /** Returns where the regions of these rows are, as far as HBase's client knows; it asks for what it does not. */
  List<HRegionLocation> locate(Range rows) throws IOException {
    long start = System.nanoTime();
    try (RegionLocator locator = connection.getRegionLocator(name)) {
      if (!located && rows.from.length == 0 && rows.stop.length == 0) {
        locator.getAllRegionLocations();  // One scan of the catalogue instead of a call for each region.
        located = true;
      }
      List<HRegionLocation> all = new ArrayList<>();
      byte[] at = rows.from;
      do {
        HRegionLocation location = locator.getRegionLocation(at, false);
        all.add(location);
        at = location.getRegion().getEndKey();
      } while (at.length > 0 && Range.before(at, rows.stop));
      return all;
    } catch (TableNotFoundException e) {
      throw e;
    } catch (IOException e) {
      throw new UnansweredException(name, List.of(rows), (System.nanoTime() - start) / 1_000_000, e);
    }
  }

  /** Returns the answer of a server for its regions, or null if it has none: then its regions are to be asked. */
  Answer call(ServerName server, Request request) throws InterruptedIOException {
    try (Admin admin = connection.getAdmin()) {
      return Answer.parse(Wire.call(admin, server, request.toBytes()));
    } catch (UnknownProtocolException e) {
      withoutEndpoint.add(server);
      return null;
    } catch (IOException | RuntimeException e) {
      if (e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException)) {
        throw (InterruptedIOException) e;  // The caller wants no answer any more.
      }
      LOG.debug("{} does not answer for its regions of {}", server, name, e);
      return null;
    }
  }

  /** Returns the answer of the region that has the range's first row; what it does not answer is still to be asked. */
  Answer call(Request request, Range range) throws IOException {
    long start = System.nanoTime();
    try (Table table = connection.getTable(name)) {
      Answer answer = Answer.parse(Wire.call(table, range.from, request.toBytes()));
      if (request.kind != Request.Kind.PING
          && (answer.pieces.size() != 1 || !answer.pieces.get(0).range.has(range.from))) {
        throw new IOException("the region of another range has answered");
      }
      return answer;
    } catch (UnknownProtocolException e) {
      throw new DoNotRetryIOException(
          "table " + name + " has no index: its descriptor, or this region until it is opened again, lacks the"
              + " coprocessor " + COPROCESSOR + "; IndexedTable.index(descriptor, columns) adds it",
          e);
    } catch (RetriesExhaustedException | SocketTimeoutException e) {  // The latter at the end of the operation's time.
      throw new UnansweredException(name, List.of(range), (System.nanoTime() - start) / 1_000_000, e);
    }
  }

  void checkOpen() throws IOException {
    if (threads.isShutdown()) {
      throw new IOException(this + " was closed");
    }
  }

  /** Ends queries that are under way, which fail; the connection stays open. */
  @Override
  public void close() {
    // Steps that have not begun are run, and fail, or a query would wait for them. Not by the caller's thread: a query
    // that has failed interrupts the thread of each of its steps.
    List<Runnable> left = threads.shutdownNow();
    if (!left.isEmpty()) {
      Thread ending = new Thread(() -> left.forEach(Runnable::run), "trommel-close-" + name);
      ending.setDaemon(true);
      ending.start();
    }
  }

  @Override
  public String toString() {
    return "indexed table " + name;
  }
}
