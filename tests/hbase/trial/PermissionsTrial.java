package trommel.hbase.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.security.UserGroupInformation;
import trommel.hbase.Column;
import trommel.hbase.IndexedRows;
import trommel.hbase.IndexedTable;
import trommel.hbase.Query;
import trommel.hbase.RegionStatus;

/**
 * Asks indexed tables as users of HBase's access controller, which the cluster must run, and compares each answer with
 * a scan by the same user: of tables that answer by the index and of tables that answer by scans; with grants of tables,
 * families and columns, and with ACLs of cells. Then it asks a table without an index, and kills all region servers.
 *
 * <p>Exit status: 0 as it should be; 1 not.
 */
public final class PermissionsTrial {
  private static final int ROWS = 90;
  private static final byte[][] SPLITS = {row(30), row(60)};
  private static final String A = "f:a";
  private static final String B = "f:b";
  private static final String C = "g:c";
  private static final String NOTE = "f:note";
  private static final String DENIED = "denied";

  private final Configuration conf = HBaseConfiguration.create();
  private final Map<String, Connection> connections = new LinkedHashMap<>();
  private final Map<String, Boolean> readable = new TreeMap<>();
  private final Connection root;
  private final Admin admin;
  private int asserted;
  private int wrong;

  private PermissionsTrial() throws IOException {
    root = ConnectionFactory.createConnection(conf);
    admin = root.getAdmin();
  }

  public static void main(String[] arguments) throws Exception {
    PermissionsTrial trial = new PermissionsTrial();
    trial.grants("indexed", null);
    trial.grants("scanned", "0");
    trial.cells("cells-indexed", null);
    trial.cells("cells-scanned", "0");
    trial.plain();
    new ServersDown(trial.conf, TableName.valueOf("indexed"), A, value("a", 1), row(0), row(80), trial::check).run();
    System.out.println((trial.wrong == 0 ? "PASSED: " : "FAILED: ") + trial.asserted + " asserted, " + trial.wrong + " wrong");
    System.exit(trial.wrong == 0 ? 0 : 1);
  }

  private void check(boolean right, String what) {
    ++asserted;
    if (!right) {
      ++wrong;
      System.out.println("WRONG: " + what);
    }
  }

  // ---- grants of tables, families and columns

  private void grants(String name, String memory) throws Exception {
    TableName table = create(name, memory, true);
    grant("reader", table, null, null, Permission.Action.READ);
    grant("writer", table, null, null, Permission.Action.WRITE);
    grant("family", table, "f", null, Permission.Action.READ);
    grant("column", table, "f", "a", Permission.Action.READ);
    fill(table, false);
    awaitReadable(table, "reader", 6, new Query().where(A, value("a", 0)).where(C, value("c", 0)));
    awaitReadable(table, "family", 15, new Query().where(A, value("a", 0)).where(B, value("b", 0)));
    awaitReadable(table, "column", 30, new Query().where(A, value("a", 0)));

    for (String user : new String[] {"outsider", "writer", "reader", "family", "column"}) {
      for (Ask ask : asks()) {
        compare(table, user, ask);
      }
      boolean unindexed = !user.equals("outsider") && !user.equals("writer");
      String text = failure(() -> rows(table, user, new Query().where(NOTE, value("n", 1))));
      check(text.contains("AccessDeniedException") != (unindexed && !user.equals("column")), user + " asks a column without index: " + text);
      status(table, user, user.equals("reader"));
    }
    check(rows(table, "reader", new Query().where(A, value("a", 1))).size() == ROWS / 3, "reader must find 30 rows");
    check(rows(table, "family", new Query().where(A, value("a", 1)).where(B, value("b", 1))).size() == ROWS / 6, "family must find 15 rows");
    check(rows(table, "column", new Query().where(A, value("a", 1))).size() == ROWS / 3, "column must find 30 rows");
    System.out.println(name + ": " + asserted + " asserted so far");
  }

  /** A question: conditions, and a column that is only selected, or none. */
  private static final class Ask {
    final Map<String, byte[]> conditions = new TreeMap<>();
    final String selected;
    final byte[] start;
    final byte[] stop;

    Ask(String selected, byte[] start, byte[] stop, Object... conditions) {
      this.selected = selected;
      this.start = start;
      this.stop = stop;
      for (int i = 0; i < conditions.length; i += 2) {
        this.conditions.put((String) conditions[i], (byte[]) conditions[i + 1]);
      }
    }

    Query query() {
      Query query = new Query().within(start, stop);
      conditions.forEach(query::where);
      return selected == null ? query : query.select(Column.parse(selected));
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      conditions.forEach((c, v) -> text.append(c).append('=').append(Bytes.toStringBinary(v)).append(' '));
      return text + "select " + selected;
    }
  }

  private static List<Ask> asks() {
    byte[] no = {};
    byte[] a = value("a", 1);
    byte[] b = value("b", 1);
    byte[] c = value("c", 1);
    byte[] old = value("old", 0);
    byte[] none = value("none", 0);
    return List.of(
        new Ask(null, no, no, A, a), new Ask(null, no, no, B, b), new Ask(null, no, no, C, c),
        new Ask(null, no, no, A, a, B, b), new Ask(null, no, no, A, a, C, c), new Ask(null, no, no, B, b, C, c),
        new Ask(null, no, no, A, a, B, b, C, c), new Ask(B, no, no, A, a), new Ask(C, no, no, A, a),
        new Ask(NOTE, no, no, A, a), new Ask(A, no, no, C, c), new Ask(C, row(10), row(70), A, a),
        new Ask(null, no, no, A, none), new Ask(null, no, no, B, none), new Ask(null, no, no, C, none),
        new Ask(null, no, no, A, none, C, c), new Ask(null, no, no, A, old), new Ask(B, no, no, A, old));
  }

  /** Compares the answer with what a scan by the user shows. A condition on a column of which nothing may be read is refused. */
  private void compare(TableName table, String user, Ask ask) throws Exception {
    boolean may = true;
    for (String column : ask.conditions.keySet()) {
      may &= may(table, user, column);
    }
    String expected = may ? scan(table, user, ask).toString() : DENIED;
    String got;
    try (IndexedTable indexed = new IndexedTable(connection(user), table); IndexedRows rows = indexed.query(ask.query())) {
      try {
        Map<String, String> found = new TreeMap<>();
        for (Result r : rows) {
          found.put(Bytes.toString(r.getRow()), text(r));
        }
        got = found.toString();
      } catch (RuntimeException e) {
        throw e.getCause() instanceof IOException ? (IOException) e.getCause() : e;
      }
      boolean byIndex = table.getNameAsString().endsWith("indexed");
      check(byIndex ? rows.statistics().byScan() == 0 : rows.statistics().byIndex() == 0, ask + " was answered by " + rows.statistics());
      if (table.getNameAsString().startsWith("cells") && !user.equals("reader")) {
        check(rows.statistics().candidates() == rows.statistics().verified(), user + " was told of candidates: " + rows.statistics());
      }
    } catch (AccessDeniedException e) {
      got = DENIED;
    }
    check(got.equals(expected), user + " asks " + table + " " + ask + ": got " + got + ", a scan shows " + expected);
  }

  private boolean may(TableName table, String user, String column) throws IOException {
    Boolean known = readable.get(table + " " + user + " " + column);
    if (known == null) {
      known = scans(table, user, column);
      readable.put(table + " " + user + " " + column, known);
    }
    return known;
  }

  private boolean scans(TableName table, String user, String column) throws IOException {
    try (Table t = connection(user).getTable(table); ResultScanner s = t.getScanner(with(new Scan(), column))) {
      s.next();
      return true;
    } catch (AccessDeniedException e) {
      return false;
    }
  }

  private static Scan with(Scan scan, String column) {
    Column c = Column.parse(column);
    return scan.addColumn(c.family(), c.qualifier());
  }

  /** The truth: the rows that the user's own scan shows, of which those that meet the conditions. */
  private Map<String, String> scan(TableName table, String user, Ask ask) throws IOException {
    Scan scan = new Scan().withStartRow(ask.start).withStopRow(ask.stop);
    ask.conditions.keySet().forEach(c -> with(scan, c));
    if (ask.selected != null) {
      with(scan, ask.selected);
    }
    Map<String, String> rows = new TreeMap<>();
    try (Table t = connection(user).getTable(table); ResultScanner results = t.getScanner(scan)) {
      for (Result r : results) {
        boolean meets = true;
        for (Map.Entry<String, byte[]> condition : ask.conditions.entrySet()) {
          Column c = Column.parse(condition.getKey());
          meets &= Arrays.equals(r.getValue(c.family(), c.qualifier()), condition.getValue());
        }
        if (meets) {
          rows.put(Bytes.toString(r.getRow()), text(r));
        }
      }
    }
    return rows;
  }

  private static String text(Result r) {
    StringBuilder text = new StringBuilder();
    for (Cell cell : r.rawCells()) {
      text.append(Column.of(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell))).append('@').append(cell.getTimestamp())
          .append('=').append(Bytes.toStringBinary(CellUtil.cloneValue(cell))).append(' ');
    }
    return text.toString();
  }

  private List<byte[]> rows(TableName table, String user, Query query) throws IOException {
    List<byte[]> found = new ArrayList<>();
    try (IndexedTable indexed = new IndexedTable(connection(user), table); IndexedRows rows = indexed.query(query)) {
      for (Result r = rows.next(); r != null; r = rows.next()) {
        found.add(r.getRow());
      }
    }
    return found;
  }

  private void status(TableName table, String user, boolean may) throws IOException {
    try (IndexedTable indexed = new IndexedTable(connection(user), table)) {
      List<RegionStatus> status = indexed.status();
      check(may && status.size() == 3, user + " was told the state of " + table + ": " + status);
    } catch (AccessDeniedException e) {
      check(!may, user + " may know the state of " + table + ": " + e);
    }
  }

  // ---- ACLs of cells, which may give what the table's grants do not

  private void cells(String name, String memory) throws Exception {
    TableName table = create(name, memory, false);
    grant("reader", table, null, null, Permission.Action.READ);
    fill(table, true);
    awaitReadable(table, "reader", 30, new Query().where(A, value("a", 0)));
    for (String user : new String[] {"outsider", "cell", "reader"}) {
      for (Ask ask : asks()) {
        compare(table, user, ask);
      }
      status(table, user, user.equals("reader"));
    }
    check(rows(table, "outsider", new Query().where(A, value("a", 1))).isEmpty(), "outsider found rows");
    check(rows(table, "cell", new Query().where(A, value("a", 1))).size() == 8, "cell must find the 8 rows that it may read");
    check(rows(table, "cell", new Query().where(A, value("old", 0))).size() == 22, "cell must find 22 older versions under newer ones that it may not read");
    check(rows(table, "reader", new Query().where(A, value("old", 0))).isEmpty(), "reader found older versions");
    System.out.println(name + ": " + asserted + " asserted so far");
  }

  // ---- no index, no servers

  private void plain() throws Exception {
    TableName plain = TableName.valueOf("plain");
    drop(plain);
    admin.createTable(TableDescriptorBuilder.newBuilder(plain).setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build());
    String clear = "table plain has no index: its descriptor";
    try (IndexedTable table = new IndexedTable(root, plain)) {
      String text = failure(() -> table.query(new Query().where(A, value("a", 1))).next());
      check(text.contains(clear), "query of a table without index: " + text);
      text = failure(table::status);
      check(text.contains(clear), "status of a table without index: " + text);
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  private static String failure(Call call) {
    try {
      call.run();
      return "no failure";
    } catch (Exception e) {
      return e.toString();
    }
  }

  // ---- tables and users

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format("r%02d", i));
  }

  private static byte[] value(String prefix, int i) {
    return Bytes.toBytes(prefix + i);
  }

  private void drop(TableName table) throws IOException {
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
  }

  /** With earlyOut, HBase's default, who has no grant is refused; without, the cells' ACLs decide. */
  private TableName create(String name, String memory, boolean earlyOut) throws IOException {
    TableName table = TableName.valueOf(name);
    drop(table);
    TableDescriptorBuilder plain =
        TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f")).setMaxVersions(3).build())
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g"))
            .setValue("hbase.security.access.early_out", String.valueOf(earlyOut));
    if (memory != null) {
      plain.setValue("trommel.index.memory.mb", memory);  // A table's values are settings of its regions.
    }
    TableDescriptor indexed = IndexedTable.index(plain.build(), Column.parse(A), Column.parse(B), Column.parse(C));
    admin.createTable(indexed, SPLITS);
    return table;
  }

  /** Half of the rows in files, half in the memstore; of each third row an older version of a. */
  private void fill(TableName table, boolean acl) throws Exception {
    try (Table t = root.getTable(table)) {
      for (int i : new int[] {0, 1}) {
        for (int n = i; n < ROWS; n += 2) {
          if (n % 3 == 1) {
            t.put(put(n, 1000, acl, A, value("old", 0)));
          }
          t.put(put(n, 2000, acl && n % 4 == 0, A, value("a", n % 3)));
          t.put(put(n, 2000, acl && n % 4 < 2, B, value("b", n % 2)));
          t.put(put(n, 2000, acl && n % 8 == 0, C, value("c", n % 5)));
          t.put(put(n, 2000, false, NOTE, value("n", n)));
        }
        if (i == 0) {
          admin.flush(table);
        }
      }
    }
    if (table.getNameAsString().endsWith("indexed")) {
      try (IndexedTable t = new IndexedTable(root, table)) {
        for (int i = 0; i < 300 && !t.status().stream().allMatch(RegionStatus::built); ++i) {
          Thread.sleep(100);
        }
      }
    }
  }

  private static Put put(int n, long time, boolean acl, String column, byte[] value) {
    Column c = Column.parse(column);
    Put put = new Put(row(n)).addColumn(c.family(), c.qualifier(), time, value);
    if (acl) {
      put.setACL("cell", Permission.newBuilder().withActions(Permission.Action.READ).build());
    }
    return put;
  }

  private void grant(String user, TableName table, String family, String qualifier, Permission.Action action) throws IOException {
    admin.grant(
        new UserPermission(
            user,
            Permission.newBuilder(table)
                .withFamily(family == null ? null : Bytes.toBytes(family))
                .withQualifier(qualifier == null ? null : Bytes.toBytes(qualifier))
                .withActions(action).build()),
        false);
  }

  /** A connection as a user, by HBase's simple authentication: the server believes the name. */
  private Connection connection(String user) throws IOException {
    Connection connection = connections.get(user);
    if (connection == null) {
      connection = ConnectionFactory.createConnection(conf, User.create(UserGroupInformation.createRemoteUser(user)));
      connections.put(user, connection);
    }
    return connection;
  }

  /** Waits until the servers of all regions know a grant, which ZooKeeper brings them. */
  private void awaitReadable(TableName table, String user, int expected, Query probe) throws Exception {
    Object found = null;
    for (int i = 0; i < 300; ++i) {
      try {
        found = rows(table, user, probe).size();
        if (found.equals(expected)) {
          return;
        }
      } catch (AccessDeniedException e) {
        found = e;
      }
      Thread.sleep(100);
    }
    throw new IOException(user + " must find " + expected + " rows of " + table + " after the grant; found: " + found);
  }
}
