package trommel.hbase;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.mob.MobFileCache;
import org.apache.hadoop.hbase.regionserver.ChunkCreator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;

/** Regions of HBase in this process, without a server: all of HBase's own code from the endpoint down to files. */
final class TestRegion implements Closeable {
  static final TableName TABLE = TableName.valueOf("t");
  static final ServerName SERVER = ServerName.valueOf("localhost", 1, 1);

  final Configuration conf;
  final Path root;
  final TableDescriptor table;
  private final WALFactory wals;
  private final MobFileCache mobFiles;
  private final RegionServerServices services;
  private final List<HRegion> opened = new ArrayList<>();
  HRegion region;

  TestRegion(TableDescriptor table, String... settings) throws IOException {
    this.table = table;
    conf = HBaseConfiguration.create();
    String folder = Files.createTempDirectory("trommel-region").toString();
    conf.set("hbase.rootdir", "file://" + folder);
    conf.set(
        "hbase.regionserver.throughput.controller",
        "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController");
    conf.set("hbase.wal.provider", "filesystem");
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    for (int i = 0; i < settings.length; i += 2) {
      conf.set(settings[i], settings[i + 1]);
    }
    if (ChunkCreator.getInstance() == null) {
      ChunkCreator.initialize(
          MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
    }
    root = new Path("file://" + folder);
    CommonFSUtils.setRootDir(conf, root);
    wals = new WALFactory(conf, "test" + System.nanoTime());
    mobFiles = new MobFileCache(conf);
    services = services();
    region = create(new byte[0], new byte[0]);
  }

  /** Returns a table with an index on these columns, whose families have this many versions. */
  static TableDescriptorBuilder table(ColumnFamilyDescriptor[] families, String... columns) throws IOException {
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(TABLE);
    for (ColumnFamilyDescriptor family : families) {
      builder.setColumnFamily(family);
    }
    Column[] parsed = Arrays.stream(columns).map(Column::parse).toArray(Column[]::new);
    return TableDescriptorBuilder.newBuilder(IndexedTable.index(builder.build(), parsed));
  }

  /** A server that has next to nothing: no metrics, no block cache, no quotas. */
  private RegionServerServices services() {
    return (RegionServerServices)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RegionServerServices.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("hashCode")) {
                return System.identityHashCode(proxy);
              }
              if (method.getName().equals("getFileSystem")) {
                return root.getFileSystem(conf);
              }
              if (method.getName().equals("getServerName")) {
                return SERVER;
              }
              if (method.getName().equals("getMobFileCache")) {
                return Optional.of(mobFiles);
              }
              if (method.getName().equals("getConfiguration")) {
                return conf;
              }
              if (method.getName().equals("abort")) {
                throw new AssertionError("HBase would end the server: " + arguments[0], (Throwable) arguments[1]);
              }
              Class<?> type = method.getReturnType();
              if (type == Optional.class) {
                return Optional.empty();
              }
              if (type == boolean.class) {
                return false;
              }
              return type == int.class ? (Object) 0 : type == long.class ? (Object) 0L : null;
            });
  }

  private WAL wal(RegionInfo info) throws IOException {
    return wals.getWAL(info);
  }

  HRegion create(byte[] start, byte[] end) throws IOException {
    RegionInfo info = RegionInfoBuilder.newBuilder(TABLE).setStartKey(start).setEndKey(end).build();
    HRegion created = HRegion.createHRegion(info, root, conf, table, wal(info), true, services);
    opened.add(created);
    return created;
  }

  /** Opens a region whose files are there. */
  HRegion open(RegionInfo info, TableDescriptor descriptor) throws IOException {
    HRegion again = HRegion.openHRegion(root, info, descriptor, wal(info), conf, services, null);
    opened.add(again);
    return again;
  }

  /** Closes the region, flushing it, and opens it again with a descriptor. */
  void reopen(TableDescriptor descriptor) throws IOException {
    region.close();
    region = open(region.getRegionInfo(), descriptor);
  }

  IndexObserver observer() {
    return observer(region);
  }

  static IndexObserver observer(HRegion region) {
    return (IndexObserver) region.getCoprocessorHost().findCoprocessor(IndexObserver.class.getName());
  }

  // ---- questions

  /** Returns the conditions column, value, column, value. */
  static Map<Column, byte[]> where(Object... conditions) {
    Map<Column, byte[]> map = new LinkedHashMap<>();
    for (int i = 0; i < conditions.length; i += 2) {
      map.put(Column.parse((String) conditions[i]), bytes(conditions[i + 1]));
    }
    return map;
  }

  static byte[] bytes(Object value) {
    return value instanceof byte[] ? (byte[]) value : value.toString().getBytes(StandardCharsets.UTF_8);
  }

  static Answer ask(HRegion region, byte[] from, Map<Column, byte[]> conditions) throws IOException {
    return Answer.parse(observer(region).answer(query(from, conditions)));
  }

  static byte[] query(byte[] from, Map<Column, byte[]> conditions) throws IOException {
    return Request.query(TABLE, List.of(new Range(from, new byte[0])), conditions, List.of()).toBytes();
  }

  /** Returns what the server answers for all its regions of the table, the first page. */
  static Answer askServer(byte[] from, Map<Column, byte[]> conditions) throws IOException {
    return Answer.parse(new ServerIndex(SERVER).answer(query(from, conditions)));
  }

  /** Returns whether the server's filter excludes the value, with which the one region is not looked into. */
  boolean excluded(Object... conditions) throws IOException {
    return askServer(new byte[0], where(conditions)).pieces.get(0).how == Answer.How.FILTER;
  }

  /** Returns the rows of the region that the index says have the values, page by page. */
  TreeSet<String> rows(Object... conditions) throws IOException {
    return rows(from -> ask(region, from, where(conditions)));
  }

  /** Returns those that the server says have them. */
  TreeSet<String> serverRows(Object... conditions) throws IOException {
    return rows(from -> askServer(from, where(conditions)));
  }

  private interface Pages {
    Answer from(byte[] row) throws IOException;
  }

  private static TreeSet<String> rows(Pages pages) throws IOException {
    TreeSet<String> rows = new TreeSet<>();
    byte[] from = {};
    do {
      Answer answer = pages.from(from);
      for (Result result : answer.results) {
        if (!rows.add(text(result.getRow()))) {
          throw new AssertionError("row " + text(result.getRow()) + " twice");
        }
      }
      from = answer.pieces.get(answer.pieces.size() - 1).range.stop;
    } while (from.length > 0);
    return rows;
  }

  Answer.How how(Object... conditions) throws IOException {
    return ask(region, new byte[0], where(conditions)).pieces.get(0).how;
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Returns by value, for a column, the rows that a scan shows. */
  Map<String, TreeSet<String>> truth(String column) throws IOException {
    Column parsed = Column.parse(column);
    Map<String, TreeSet<String>> rows = new TreeMap<>();
    try (RegionScanner scanner =
        region.getScanner(new Scan().addColumn(parsed.familyBytes(), parsed.qualifierBytes()))) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more; cells.clear()) {
        more = scanner.nextRaw(cells);
        if (!cells.isEmpty()) {
          rows.computeIfAbsent(text(CellUtil.cloneValue(cells.get(0))), v -> new TreeSet<>())
              .add(text(CellUtil.cloneRow(cells.get(0))));
        }
      }
    }
    return rows;
  }

  /** Waits until all files have segments. */
  void awaitBuilt() throws IOException {
    long end = System.nanoTime() + 30_000_000_000L;
    while (true) {
      Answer status =
          Answer.parse(observer().answer(Request.of(Request.Kind.STATUS, TABLE).toBytes()));
      boolean segmentsOnly = observer().builtCompletely();
      if (status.pieces.get(0).how == Answer.How.INDEX && segmentsOnly) {
        return;
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("not built after 30 s: " + status.pieces.get(0).how);
      }
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  // ---- writes

  void put(String row, String column, Object value) throws IOException {
    region.put(cell(row, column, value));
  }

  static Put cell(String row, String column, Object value) {
    Column parsed = Column.parse(column);
    return new Put(bytes(row)).addColumn(parsed.familyBytes(), parsed.qualifierBytes(), bytes(value));
  }

  void flush() throws IOException {
    region.flush(true);
  }

  @Override
  public void close() throws IOException {
    for (HRegion one : opened) {
      if (!one.isClosed()) {
        one.close();
      }
    }
    mobFiles.shutdown();
    wals.shutdown();
    root.getFileSystem(conf).delete(root, true);
  }
}
