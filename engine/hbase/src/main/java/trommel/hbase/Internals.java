package trommel.hbase;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.Shipper;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;

/** All that is used of HBase's private classes; everything else is for coprocessors or public. */
final class Internals {
  private Internals() {}

  /** Reads the cells of a store file in order, old versions and deletes too. */
  static final class FileCells implements Closeable {
    private final StoreFileScanner scanner;
    private boolean started;

    /**
     * Opens a reader of its own, so that neither the cache nor the file's other readers are disturbed. A half of a
     * file, as regions have after a split or merge, is read as HBase itself reads it.
     */
    FileCells(StoreFile file) throws IOException {
      scanner = ((HStoreFile) file).getStreamScanner(false, false, true, Long.MAX_VALUE, 0, false);
    }

    /** Returns the next cell, valid until the next call, or null. */
    Cell next() throws IOException {
      if (!started) {
        started = true;
        scanner.seek(KeyValue.LOWESTKEY);
      }
      return scanner.next();
    }

    /** Gives back the blocks whose cells were returned. */
    void shipped() throws IOException {
      scanner.shipped();
    }

    @Override
    public void close() {
      scanner.close();
    }
  }

  /** Returns the length of the value, if the cell stands for one in a MOB file, or -1. */
  static int mobLength(Cell cell) {
    return MobUtils.isMobReferenceCell(cell) ? MobUtils.getMobValueLength(cell) : -1;
  }

  /** Returns the size of a file in bytes, of a half too. */
  static long bytes(StoreFile file) {
    return ((HStoreFile) file).getReader() == null ? 0 : ((HStoreFile) file).getReader().length();
  }

  /**
   * Runs the hooks that precede a caller's scan: HBase's access controller fails here if the caller may read none of
   * the columns, and adds a filter to the scan if it may read some. A scanner that a coprocessor opens runs none.
   */
  static void checkRead(Region region, Scan scan) throws IOException {
    RegionCoprocessorHost hooks = ((HRegion) region).getCoprocessorHost();
    if (hooks != null) {
      hooks.preScannerOpen(scan);
    }
  }

  /** Runs the hooks that precede a call of a region's endpoint: HBase's access controller may want EXEC for it. */
  static void beforeEndpoint(IndexObserver endpoint, byte[] request) throws IOException {
    RegionCoprocessorHost hooks = ((HRegion) endpoint.region()).getCoprocessorHost();
    if (hooks != null) {
      hooks.preEndpointInvocation(Wire.service(endpoint), Wire.METHOD, Wire.message(request));
    }
  }

  /** Opens a scanner for a scan that {@link #checkRead} has seen. */
  static RegionScanner open(Region region, Scan scan) throws IOException {
    RegionScanner scanner = region.getScanner(scan);
    RegionCoprocessorHost hooks = ((HRegion) region).getCoprocessorHost();
    return hooks == null ? scanner : hooks.postScannerOpen(scan, scanner);
  }

  /** Gives back the blocks of cells that the scanner has returned. */
  static void shipped(RegionScanner scanner) throws IOException {
    if (scanner instanceof Shipper) {
      ((Shipper) scanner).shipped();
    }
  }

  static void close(Region region, RegionScanner scanner) throws IOException {
    RegionCoprocessorHost hooks = ((HRegion) region).getCoprocessorHost();
    if (hooks == null || !hooks.preScannerClose(scanner)) {
      scanner.close();
      if (hooks != null) {
        hooks.postScannerClose(scanner);
      }
    }
  }
}
