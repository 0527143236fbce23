package trommel.hbase.demo;

import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.IndexedRows;
import trommel.hbase.IndexedTable;

/** One way of asking a table which rows meet conditions. For one thread. */
abstract class Way implements AutoCloseable {
  /** What a question was answered with, and what it took. */
  static final class Answer {
    final SortedSet<String> rows = new TreeSet<>();
    long calls;
    long regions;  // Looked into.
    double seconds;

    void add(Result row) throws IOException {
      if (!rows.add(Bytes.toStringBinary(row.getRow()))) {
        throw new IOException("row " + Bytes.toStringBinary(row.getRow()) + " is twice in one answer");
      }
    }
  }

  final Connection connection;
  final TableName name;

  private Way(Connection connection, TableName name) {
    this.connection = connection;
    this.name = name;
  }

  abstract void ask(Question question, Answer answer) throws IOException;

  /** Returns the rows, the time and the cost. */
  Answer ask(Question question) throws IOException {
    Answer answer = new Answer();
    long start = System.nanoTime();
    ask(question, answer);
    answer.seconds = (System.nanoTime() - start) / 1e9;
    return answer;
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }

  /** A scan of the whole table, filtered by the servers. */
  static Way scan(Configuration conf, TableName name) throws IOException {
    return new Way(ConnectionFactory.createConnection(conf), name) {
      @Override
      void ask(Question question, Answer answer) throws IOException {
        try (Table table = connection.getTable(name);
            ResultScanner scanner = table.getScanner(question.scan())) {
          for (Result row = scanner.next(); row != null; row = scanner.next()) {
            answer.add(row);
          }
          answer.calls = scanner.getScanMetrics().countOfRPCcalls.get();
          answer.regions = scanner.getScanMetrics().countOfRegions.get();
        }
      }
    };
  }

  /** The index: each region by itself, or each server once for all its regions. */
  static Way index(Configuration conf, TableName name, boolean servers) throws IOException {
    Configuration own = new Configuration(conf);
    own.setBoolean("trommel.index.client.servers", servers);
    return new Way(ConnectionFactory.createConnection(own), name) {
      private final IndexedTable table = new IndexedTable(connection, name);

      @Override
      void ask(Question question, Answer answer) throws IOException {
        try (IndexedRows rows = table.query(question.query())) {
          for (Result row = rows.next(); row != null; row = rows.next()) {
            answer.add(row);
          }
          answer.calls = rows.statistics().calls();
          answer.regions = rows.statistics().regions();
        }
      }

      @Override
      public void close() throws IOException {
        table.close();
        super.close();
      }
    };
  }
}
