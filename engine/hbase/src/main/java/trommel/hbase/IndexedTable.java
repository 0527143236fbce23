package trommel.hbase;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Asks an indexed table of HBase which rows have given values.
 *
 * <p>Thread safety: as HBase's {@code Table}, for one thread; make one per thread, they are cheap.
 */
public final class IndexedTable implements Closeable {
  private static final String COPROCESSOR = "trommel.hbase.IndexObserver";

  private final TableName name;
  private final Table table;

  /** Opens the table on a connection, which stays the caller's. Asks no server. */
  public IndexedTable(Connection connection, TableName name) throws IOException {
    this.name = name;
    this.table = connection.getTable(name);
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
    call(Request.of(Request.Kind.PING, row), row, HConstants.EMPTY_END_ROW);
  }

  /** Returns the state of the index of each region, in the order of row keys. Cost: one call per region. */
  public List<RegionStatus> status() throws IOException {
    List<RegionStatus> regions = new ArrayList<>();
    byte[] at = HConstants.EMPTY_START_ROW;
    do {
      Answer answer = call(Request.of(Request.Kind.STATUS, at), at, HConstants.EMPTY_END_ROW);
      regions.add(new RegionStatus(answer));
      at = answer.regionEnd;
    } while (at.length > 0);
    return regions;
  }

  /** Returns the answer of the region that has the row {@code from}; {@code stop} is for messages. */
  Answer call(Request request, byte[] from, byte[] stop) throws IOException {
    long start = System.nanoTime();
    try {
      Answer answer = Answer.parse(Wire.call(table, from, request.toBytes()));
      if (request.kind != Request.Kind.PING && !answer.has(from)) {
        throw new IOException("the region of another range has answered");
      }
      return answer;
    } catch (UnknownProtocolException e) {
      throw new DoNotRetryIOException(
          "table " + name + " has no index: its descriptor, or this region until it is opened again, lacks the"
              + " coprocessor " + COPROCESSOR + "; IndexedTable.index(descriptor, columns) adds it",
          e);
    } catch (RetriesExhaustedException | SocketTimeoutException e) {  // The latter at the end of the operation's time.
      throw new UnansweredException(name, from, stop, (System.nanoTime() - start) / 1_000_000, e);
    }
  }

  /** Closes the table; the connection stays open. */
  @Override
  public void close() throws IOException {
    table.close();
  }

  @Override
  public String toString() {
    return "indexed table " + name;
  }
}
