package trommel.hbase.command;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import trommel.hbase.Column;

/** What one run of the command works with: a table of a cluster, standard output and standard error. */
final class Session implements Closeable {
  private final Connection connection;
  private final Admin admin;
  private final TableName table;
  private final Writer out;
  private final PrintStream err;

  Session(Configuration conf, String table, OutputStream out, PrintStream err) throws IOException, UsageException {
    try {
      this.table = TableName.valueOf(table);
    } catch (IllegalArgumentException e) {
      throw new UsageException("TABLE: " + e.getMessage());
    }
    this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.US_ASCII));
    this.err = err;
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
  }

  Connection connection() {
    return connection;
  }

  Admin admin() {
    return admin;
  }

  TableName table() {
    return table;
  }

  /** Returns the table's descriptor, or fails if there is no such table. */
  TableDescriptor descriptor() throws IOException, Failure {
    try {
      return admin.getDescriptor(table);
    } catch (TableNotFoundException e) {
      throw new Failure("no such table");
    }
  }

  /** Returns the columns that a descriptor says are indexed; none if there is no index. */
  static List<Column> indexed(TableDescriptor descriptor) throws Failure {
    String value = descriptor.getValue(Column.TABLE_VALUE);
    List<Column> columns = new ArrayList<>();
    for (String text : value == null || value.isBlank() ? new String[0] : value.trim().split("\\s+")) {
      try {
        columns.add(Column.parse(text));
      } catch (IllegalArgumentException e) {
        throw new Failure(
            Column.TABLE_VALUE + " in the table's descriptor: " + e.getMessage()
                + "; \"drop\" without columns removes the whole index");
      }
    }
    return columns;
  }

  /** Returns the indexed columns, or fails if there are none. */
  List<Column> indexed() throws IOException, Failure {
    List<Column> columns = indexed(descriptor());
    if (columns.isEmpty()) {
      throw new Failure("the table has no index: \"index\" adds one");
    }
    return columns;
  }

  /** Writes a line to standard output. Fails if it cannot be written, as into a pipe that was closed. */
  void print(String line) throws IOException {
    out.write(line);
    out.write('\n');
  }

  /** Writes a line to standard error. */
  void note(String line) {
    err.println(line);
  }

  Progress progress(String what) {
    return new Progress(err, what);
  }

  /** Hands on what was written. */
  void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    admin.close();
    connection.close();
  }
}
