package trommel.hbase;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coprocessor of an indexed table: keeps the index of a region beside its rows, and answers {@link IndexedTable}.
 * It is named in the table's descriptor, with the columns in the value {@value Column#TABLE_VALUE}; {@link
 * IndexedTable#index} writes both.
 *
 * <p>No hook throws (rule 7): a fault in one makes the region unbuilt until it is mended by a flush or a build, and is
 * logged and counted. Thread safety: HBase calls hooks from any thread.
 */
public final class IndexObserver extends Wire.Endpoint implements RegionCoprocessor, RegionObserver {
  private static final Logger LOG = LoggerFactory.getLogger(IndexObserver.class);

  private Region region;
  private ServerRegions server;
  private Host host;
  private RegionIndex index;
  private Build.Queue builds;
  private Flushes flushes = new Flushes();
  private volatile boolean open;

  /** For HBase, which makes one for each region. */
  public IndexObserver() {}

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public void start(CoprocessorEnvironment environment) {
    RegionCoprocessorEnvironment env = (RegionCoprocessorEnvironment) environment;
    region = env.getRegion();
    server = ServerRegions.of(env.getServerName());
    IndexObserver before = server.observer(region);
    if (before != null) {
      // HBase has read another list of coprocessors, and starts all of a region that is open again: the hooks are called
      // here from now on, the endpoint's calls still come to the one before, and neither is told.
      host = before.host;
      index = before.index;
      builds = before.builds;
      flushes = before.flushes;
      open = before.open;
    } else {
      host = new Host(env, server);
      index = new RegionIndex(region, host, server.filter(host));
      builds = new Build.Queue(host, index);
    }
    server.started(region, this);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public void stop(CoprocessorEnvironment environment) {
    server.stopped(region);
    server.remove(region.getTableDescriptor().getTableName(), range(), index);
    index.close();
  }

  private interface Hook {
    void run() throws Exception;
  }

  private void guard(String hook, Hook body, Runnable onFault) {
    try {
      body.run();
    } catch (Throwable e) {
      try {
        onFault.run();
        host.faults.increment();
        LOG.error("{} of {} failed; queries scan until the index is right again", hook, index, e);
      } catch (Throwable again) {
        e.addSuppressed(again);
      }
    }
  }

  private static void nothing() {}

  // ---- writes

  /**
   * Sees every cell that is logged, before the log and the memstore have it: puts, results of increments and appends,
   * checked, atomic and multi-row mutations (rule 1).
   */
  @Override
  public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> c, WALKey key, WALEdit edit) {
    guard("preWALAppend", () -> index.write(edit.getCells()), index::lose);
  }

  /** Sees the puts that skip the log, with what other coprocessors have added to them. */
  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> c, MiniBatchOperationInProgress<Mutation> batch) {
    guard(
        "preBatchMutate",
        () -> {
          for (int i = 0; i < batch.size(); ++i) {
            Mutation mutation = batch.getOperation(i);
            if (!skipsLog(mutation)) {
              continue;
            }
            if (!(mutation instanceof Increment || mutation instanceof Append)) {
              write(mutation);
            }
            Mutation[] more = batch.getOperationsFromCoprocessors(i);
            for (int j = 0; more != null && j < more.length; ++j) {
              write(more[j]);
            }
          }
        },
        index::lose);
  }

  private void write(Mutation mutation) {
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      index.write(cells);
    }
  }

  @Override
  public List<Pair<Cell, Cell>> postIncrementBeforeWAL(
      ObserverContext<RegionCoprocessorEnvironment> c, Mutation mutation, List<Pair<Cell, Cell>> cells) {
    writeResults("postIncrementBeforeWAL", mutation, cells);
    return cells;
  }

  @Override
  public List<Pair<Cell, Cell>> postAppendBeforeWAL(
      ObserverContext<RegionCoprocessorEnvironment> c, Mutation mutation, List<Pair<Cell, Cell>> cells) {
    writeResults("postAppendBeforeWAL", mutation, cells);
    return cells;
  }

  private void writeResults(String hook, Mutation mutation, List<Pair<Cell, Cell>> cells) {
    guard(
        hook,
        () -> {
          if (skipsLog(mutation)) {
            for (Pair<Cell, Cell> pair : cells) {
              index.write(List.of(pair.getSecond()));
            }
          }
        },
        index::lose);
  }

  private boolean skipsLog(Mutation mutation) {
    Durability durability = mutation.getDurability();
    return (durability == Durability.USE_DEFAULT ? region.getTableDescriptor().getDurability() : durability)
        == Durability.SKIP_WAL;
  }

  // ---- files

  @Override
  public void postOpen(ObserverContext<RegionCoprocessorEnvironment> c) {
    guard(
        "postOpen",
        () -> {
          if (region.getMemStoreDataSize() > 0) {
            index.lose();  // Replayed without our hooks. HBase flushes before this; should it not, the next flush mends it.
          }
          open = true;
          if (isDefaultReplica()) {
            server.add(region.getTableDescriptor().getTableName(), range(), this);
          }
          index.families().forEach(builds::update);
        },
        index::lose);
  }

  @Override
  public void preFlush(ObserverContext<RegionCoprocessorEnvironment> c, FlushLifeCycleTracker tracker) {
    guard("preFlush", () -> flushes.begin(index.families(), region), IndexObserver::nothing);
  }

  /** The file is written and not yet published. While the log is replayed, files have what no hook has seen. */
  @Override
  public void postFlush(
      ObserverContext<RegionCoprocessorEnvironment> c, Store store, StoreFile file, FlushLifeCycleTracker tracker) {
    guard(
        "postFlush(store)",
        () -> {
          RegionIndex.Family family = index.family(store.getColumnFamilyDescriptor().getName());
          if (family != null && open) {
            family.index.flushed(RegionIndex.Family.name(file));
            flushes.wrote(family);
          }
        },
        IndexObserver::nothing);
  }

  /** The flush has published all files of all stores; a store may have several, by stripes or tiers (rule 3). */
  @Override
  public void postFlush(ObserverContext<RegionCoprocessorEnvironment> c, FlushLifeCycleTracker tracker) {
    guard(
        "postFlush",
        () -> {
          flushes.end(region);
          index.families().forEach(builds::update);
        },
        IndexObserver::nothing);
  }

  /** The file is written, and will be exchanged for those that were compacted. */
  @Override
  public void postCompact(
      ObserverContext<RegionCoprocessorEnvironment> c,
      Store store,
      StoreFile file,
      CompactionLifeCycleTracker tracker,
      CompactionRequest request) {
    guard(
        "postCompact",
        () -> {
          RegionIndex.Family family = index.family(store.getColumnFamilyDescriptor().getName());
          if (family != null) {
            family.index.compacted(RegionIndex.Family.name(file), RegionIndex.Family.names(request.getFiles()));
          }
        },
        IndexObserver::nothing);
  }

  /** Loaded files have no cover; the next query would start their builds, and this starts them sooner. */
  @Override
  public void postBulkLoadHFile(
      ObserverContext<RegionCoprocessorEnvironment> c,
      List<Pair<byte[], String>> staging,
      Map<byte[], List<Path>> files) {
    guard("postBulkLoadHFile", () -> index.families().forEach(builds::update), IndexObserver::nothing);
  }

  /** Returns whether each file has a segment of its own, and no generation but the active ones is left. For tests. */
  boolean builtCompletely() {
    return index.families().stream().allMatch(family -> family.index.unbuilt(family.live()).isEmpty());
  }

  // ---- queries

  @Override
  byte[] answer(byte[] bytes) throws IOException {
    try {
      Request request = Request.parse(bytes);
      switch (request.kind) {
        case PING:
          return new Answer().toBytes();
        case QUERY: {
          if (request.ranges.size() != 1) {
            throw new DoNotRetryIOException("a region is asked for one range of rows; got " + request.ranges.size());
          }
          Page page = new Page(host);
          query(request, request.ranges.get(0), page, null);
          return page.answer.toBytes();
        }
        default:
          return operate(() -> Lookup.status(region, index, builds)).toBytes();
      }
    } catch (RuntimeException | Error e) {
      throw new IOException("the query failed in " + index, e);
    }
  }

  /** Adds to a page what the region has of a range; without looking into it, if an exclusion is given and holds. */
  void query(Request request, Range wanted, Page page, Exclusion exclusion) throws IOException {
    operate(
        () -> {
          new Lookup(region, index, host, builds, request, page).run(wanted, exclusion);
          return null;
        });
  }

  private interface Operation<T> {
    T run() throws IOException;
  }

  private <T> T operate(Operation<T> operation) throws IOException {
    if (!isDefaultReplica()) {
      throw new IOException("only the default replica has an index");  // Rule 10.
    }
    region.startRegionOperation();
    try {
      return operation.run();
    } finally {
      region.closeRegionOperation();
    }
  }

  private boolean isDefaultReplica() {
    return region.getRegionInfo().getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID;
  }

  Region region() {
    return region;
  }

  RegionIndex index() {
    return index;
  }

  Host host() {
    return host;
  }

  /** Returns the region's rows. */
  Range range() {
    return new Range(region.getRegionInfo().getStartKey(), region.getRegionInfo().getEndKey());
  }
}
