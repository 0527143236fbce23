package trommel.hbase.trial;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.IndexedTable;

/** What an operator and the cluster itself do to a table, at random, by seed. Not thread safe. */
final class Operator {
  private static final TableName CLONE = TableName.valueOf("clone");
  private static final int MOST_REGIONS = 8;

  private final RandomTrial trial;
  private final Admin admin;
  private final Connection connection;
  private final Random random;
  private final Tally tally;
  private final Cards cards;
  private int serial;

  Operator(RandomTrial trial, Admin admin, Random random) {
    this.trial = trial;
    this.admin = admin;
    this.connection = trial.connection();
    this.random = random;
    this.tally = trial.tally();
    this.cards = new Cards(random,
        "flush", "flush", "flush", "flush of one family", "flush of one family", "minor compaction", "minor compaction",
        "major compaction", "split", "split", "merge", "move", "move", "move", "bulk load", "snapshot and clone",
        "snapshot and restore", "coprocessor off and on");
  }

  void run() {
    while (!trial.stopped().get()) {
      String[] doing = {"?"};
      try {
        act(doing);
        tally.count("operator: " + doing[0]);
      } catch (Exception e) {
        tally.failed("operator: " + doing[0], e);
        repair();
      }
      Readers.pause(150 + random.nextInt(300));
    }
    repair();
  }

  private void act(String[] doing) throws Exception {
    List<RegionInfo> regions = admin.getRegions(TrialTable.NAME);
    regions.sort(RegionInfo.COMPARATOR);
    RegionInfo any = regions.get(random.nextInt(regions.size()));
    doing[0] = cards.next();
    switch (doing[0]) {
      case "flush":
        admin.flushRegion(any.getRegionName());
        break;
      case "flush of one family":
        admin.flush(TrialTable.NAME, random.nextBoolean() ? TrialTable.F : TrialTable.G);
        break;
      case "minor compaction":
        admin.compactRegion(any.getRegionName());
        break;
      case "major compaction":
        admin.majorCompactRegion(any.getRegionName());
        break;
      case "split":
        split(regions);
        break;
      case "merge":
        int i = random.nextInt(regions.size() - 1);
        byte[][] two = {regions.get(i).getEncodedNameAsBytes(), regions.get(i + 1).getEncodedNameAsBytes()};
        admin.mergeRegionsAsync(two, false).get(30, TimeUnit.SECONDS);
        break;
      case "move":
        admin.move(any.getEncodedNameAsBytes());
        break;
      case "bulk load":
        whileNoCheckRuns(this::bulkLoad);
        break;
      case "snapshot and clone":
        cloneOfSnapshot();
        break;
      case "snapshot and restore":
        whileNoCheckRuns(this::restore);
        break;
      default:
        whileNoCheckRuns(this::withoutCoprocessor);
    }
  }

  private void split(List<RegionInfo> regions) throws Exception {
    byte[] row = TrialTable.row(random.nextInt(TrialTable.ROWS));
    for (RegionInfo region : regions) {
      if (region.containsRow(row) && regions.size() < MOST_REGIONS) {
        admin.splitRegionAsync(region.getRegionName(), row).get(30, TimeUnit.SECONDS);
      }
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private void whileNoCheckRuns(Step step) throws Exception {
    trial.writing().lock();
    try {
      step.run();
    } finally {
      trial.writing().unlock();
    }
  }

  /** Loads a file with rows of both kinds: new ones, and older and newer cells of rows that writers change. */
  private void bulkLoad() throws Exception {
    Configuration conf = connection.getConfiguration();
    Path root = new Path(conf.get("hbase.rootdir")).getParent();
    FileSystem fs = root.getFileSystem(conf);
    Path file = new Path(root, "bulk/f/file" + serial++);
    fs.delete(file.getParent(), true);
    HFileContext context = new HFileContextBuilder().withBlockSize(65536).withColumnFamily(TrialTable.F).build();
    try (HFile.Writer writer = HFile.getWriterFactory(conf, CacheConfig.DISABLED).withPath(fs, file).withFileContext(context).create()) {
      long now = System.currentTimeMillis();
      for (int i = 0; i < TrialTable.ROWS; i += 1 + random.nextInt(20)) {
        byte[] value = Bytes.toBytes("a" + random.nextInt(Writer.VALUES_A));
        writer.append(new KeyValue(TrialTable.row(i), TrialTable.F, TrialTable.A, random.nextBoolean() ? now : Writer.FIXED_TIME, value));
        if (random.nextInt(4) == 0) {
          writer.append(new KeyValue(Bytes.toBytes(String.format("r%04d-bulk", i)), TrialTable.F, TrialTable.B, now,
              Bytes.toBytes("b" + random.nextInt(Writer.VALUES_B))));
        }
      }
    }
    BulkLoadHFiles.create(conf).bulkLoad(TrialTable.NAME, Map.of(TrialTable.F, List.of(file)));
  }

  private String snapshot() throws IOException {
    String name = "snapshot-" + trial.seed() + "-" + serial++;
    // Without a flush the snapshot lacks what only the memstore has; so must the index of what is made from it.
    admin.snapshot(name, TrialTable.NAME, random.nextBoolean() ? SnapshotType.FLUSH : SnapshotType.SKIPFLUSH);
    return name;
  }

  private void cloneOfSnapshot() throws Exception {
    drop(CLONE);
    String name = snapshot();
    try {
      admin.cloneSnapshot(name, CLONE);
      new Truth(connection, CLONE, tally).check(random, 8);
    } finally {
      drop(CLONE);
      admin.deleteSnapshot(name);
    }
  }

  private void restore() throws Exception {
    String name = snapshot();
    Readers.pause(random.nextInt(1000));
    trial.restoring().writeLock().lock();
    try {
      admin.disableTable(TrialTable.NAME);
      admin.restoreSnapshot(name);
      trial.newEpoch();
      admin.enableTable(TrialTable.NAME);
      admin.deleteSnapshot(name);
    } finally {
      repair();
      trial.restoring().writeLock().unlock();
    }
  }

  /** Writers go on; what they write in that time has no entries in memory. */
  private void withoutCoprocessor() throws Exception {
    TableDescriptor with = admin.getDescriptor(TrialTable.NAME);
    trial.restoring().writeLock().lock();  // Owners' queries would fail all that time.
    try {
      admin.modifyTable(IndexedTable.unindex(with));
      Readers.pause(random.nextInt(1500));
      admin.modifyTable(with);
    } finally {
      repair();
      trial.restoring().writeLock().unlock();
    }
  }

  private void drop(TableName name) throws IOException {
    if (admin.tableExists(name)) {
      if (admin.isTableEnabled(name)) {
        admin.disableTable(name);
      }
      admin.deleteTable(name);
    }
  }

  /** Brings the table back to where trials are possible; until that has worked, since servers may be down. */
  void repair() {
    for (int attempt = 0; attempt < 60; ++attempt) {
      try {
        if (admin.isTableDisabled(TrialTable.NAME)) {
          admin.enableTable(TrialTable.NAME);
        }
        TableDescriptor now = admin.getDescriptor(TrialTable.NAME);
        if (!now.hasCoprocessor("trommel.hbase.IndexObserver")) {
          admin.modifyTable(IndexedTable.index(now, TrialTable.COLUMNS));
        }
        return;
      } catch (Exception e) {
        tally.failed("repair", e);
        Readers.pause(1000);
      }
    }
    tally.count("WRONG: the table could not be enabled");
  }
}
