package trommel.hbase.trial;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.IndexedRows;
import trommel.hbase.IndexedTable;
import trommel.hbase.Query;

/**
 * The table that trials write to: two families, so that a flush may skip one; several versions in one of them, so
 * that a deleted version reveals an older one.
 */
final class TrialTable {
  static final TableName NAME = TableName.valueOf("trial");
  static final int ROWS = 3000;
  static final byte[] F = Bytes.toBytes("f");
  static final byte[] G = Bytes.toBytes("g");
  static final byte[] A = Bytes.toBytes("a");
  static final byte[] B = Bytes.toBytes("b");
  static final byte[] N = Bytes.toBytes("n");
  static final byte[] C = Bytes.toBytes("c");

  /** The indexed columns: few values, many values, a counter, and one of another family. */
  static final Column[] COLUMNS = {Column.of(F, A), Column.of(F, B), Column.of(F, N), Column.of(G, C)};

  private TrialTable() {}

  static byte[] row(int i) {
    return Bytes.toBytes(String.format("r%04d", i));
  }

  static void create(Admin admin) throws IOException {
    if (admin.tableExists(NAME)) {
      if (admin.isTableEnabled(NAME)) {
        admin.disableTable(NAME);
      }
      admin.deleteTable(NAME);
    }
    TableDescriptor plain =
        TableDescriptorBuilder.newBuilder(NAME)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build())
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G))
            .setCoprocessor("org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint")
            .build();
    admin.createTable(IndexedTable.index(plain, COLUMNS), new byte[][] {row(750), row(1500), row(2250)});
  }

  static NavigableSet<byte[]> sortedRows() {
    return new TreeSet<>(Arrays::compareUnsigned);
  }

  /** Returns the rows of a query, and counts how many pages the index answered and how many a scan did. */
  static NavigableSet<byte[]> ask(IndexedTable table, Query query, Tally tally) throws IOException {
    NavigableSet<byte[]> rows = sortedRows();
    try (IndexedRows answer = table.query(query)) {
      for (Result r = answer.next(); r != null; r = answer.next()) {
        if (!rows.add(r.getRow())) {
          tally.count("WRONG: a row twice in one answer");
          tally.say("WRONG: row %s twice in the answer of %s", Bytes.toStringBinary(r.getRow()), query);
        }
      }
      tally.add("answered by the index", answer.statistics().byIndex());
      tally.add("answered by a scan", answer.statistics().byScan());
      tally.add("not looked into, by the server's filter", answer.statistics().byFilter());
      tally.add("servers that answered for all their regions", answer.statistics().servers());
    }
    return rows;
  }

  static NavigableSet<byte[]> ask(IndexedTable table, Map<Column, byte[]> conditions, Tally tally) throws IOException {
    Query query = new Query();
    conditions.forEach(query::where);
    return ask(table, query, tally);
  }

  static IndexedTable open(Connection connection) throws IOException {
    return new IndexedTable(connection, NAME);
  }
}
