package trommel.hbase;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;

/**
 * A second coprocessor, whose hooks run what a test wants at that moment, in HBase's own thread: after the index's
 * hook, or before it ({@link Early}). So tests force an order without waiting for chance.
 */
public class Gate implements RegionCoprocessor, RegionObserver {
  interface Step {
    void run() throws Exception;
  }

  /** What to run, by point: "preFlush", "snapshot", "postFlush(store)", ..., with "early " for before the index. */
  static final Map<String, Step> STEPS = new ConcurrentHashMap<>();

  /** The same before the index's own hooks. */
  public static final class Early extends Gate {
    @Override
    String prefix() {
      return "early ";
    }
  }

  String prefix() {
    return "";
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  private void at(String point) {
    Step step = STEPS.get(prefix() + point);
    if (step != null) {
      try {
        step.run();
      } catch (Exception e) {
        throw new IllegalStateException(point, e);
      }
    }
  }

  @Override
  public void preFlush(ObserverContext<RegionCoprocessorEnvironment> c, FlushLifeCycleTracker tracker) {
    at("preFlush");
  }

  @Override
  public void preFlushScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> c, Store store, ScanOptions options, FlushLifeCycleTracker tracker) {
    at("snapshot");
  }

  @Override
  public void postFlush(
      ObserverContext<RegionCoprocessorEnvironment> c, Store store, StoreFile file, FlushLifeCycleTracker tracker) {
    at("postFlush(store)");
  }

  @Override
  public void postFlush(ObserverContext<RegionCoprocessorEnvironment> c, FlushLifeCycleTracker tracker) {
    at("postFlush");
  }

  @Override
  public void preCompactScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> c,
      Store store,
      ScanType type,
      ScanOptions options,
      CompactionLifeCycleTracker tracker,
      CompactionRequest request) {
    at("preCompact");
  }

  @Override
  public void postCompact(
      ObserverContext<RegionCoprocessorEnvironment> c,
      Store store,
      StoreFile file,
      CompactionLifeCycleTracker tracker,
      CompactionRequest request) {
    at("postCompact");
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> c, MiniBatchOperationInProgress<Mutation> batch) {
    at("preBatchMutate");
  }

  @Override
  public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> c, WALKey key, WALEdit edit) {
    at("preWALAppend");
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> c, Get get, List<Cell> result) throws IOException {
    try {
      at("preGet");
    } catch (IllegalStateException e) {
      // Of an IOException the get fails; of anything else the server ends.
      if (e.getCause() instanceof IOException) {
        throw (IOException) e.getCause();
      }
      throw e;
    }
  }

  @Override
  public void postCloseRegionOperation(
      ObserverContext<RegionCoprocessorEnvironment> c, Region.Operation operation) throws IOException {
    if (operation == Region.Operation.ANY && STEPS.remove(prefix() + "fault at the end of an operation") != null) {
      throw new IOException("a fault");
    }
  }

  @Override
  public void preScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> c, Scan scan)
      throws IOException {
    if (denied) {
      throw new AccessDeniedException("no permission in this test");
    }
  }

  /** Whether scans are refused, as the access controller does. */
  static volatile boolean denied;
}
