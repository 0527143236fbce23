package trommel.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the segments of one store file in the server's background threads, a chunk at a time, so that a large file
 * does not keep small ones waiting; a segment has at most {@value #SEGMENT_BYTES} bytes of postings.
 */
final class Build implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Build.class);
  private static final long SEGMENT_BYTES = 32 << 20;
  private static final long CHUNK_BYTES = 16 << 20;
  private static final int CELLS_SHIPPED = 1024;
  private static final long RETRY_NANOSECONDS = 10_000_000_000L;

  private final Host host;
  private final RegionIndex region;
  private final RegionIndex.Family family;
  private final StoreFile file;
  private final Map<String, Long> notBefore;
  private final String name;
  private final List<Segment> segments = new ArrayList<>();
  private Internals.FileCells cells;
  private Account account;
  private Postings postings;
  private long cellsRead;
  private long nanoseconds;
  private boolean failed;

  private Build(
      Host host, RegionIndex region, RegionIndex.Family family, StoreFile file, Map<String, Long> notBefore) {
    this.host = host;
    this.region = region;
    this.family = family;
    this.file = file;
    this.name = RegionIndex.Family.name(file);
    this.notBefore = notBefore;
  }

  /** The files of a region that wait for a build, are being built, or could not be built lately. */
  static final class Queue {
    private static final long BUILDING = Long.MAX_VALUE;

    private final Host host;
    private final RegionIndex region;
    private final Map<String, Long> notBefore = new ConcurrentHashMap<>();  // By System.nanoTime(), or BUILDING.

    Queue(Host host, RegionIndex region) {
      this.host = host;
      this.region = region;
    }

    /**
     * Drops what the family's store no longer has, and starts builds of files without a segment, if there is memory
     * for it. Cost: a look at the list of files, if there is nothing to do.
     */
    void update(RegionIndex.Family family) {
      family.index.retire(family::live);
      Collection<? extends StoreFile> files = family.files();
      Set<String> unbuilt = family.index.unbuilt(RegionIndex.Family.names(files));
      if (unbuilt.isEmpty() || region.closed() || !family.index.mayBuild(host.available())) {
        return;
      }
      long now = System.nanoTime();
      for (StoreFile file : files) {
        String name = RegionIndex.Family.name(file);
        if (!unbuilt.contains(name)) {
          continue;
        }
        Long time = notBefore.get(name);
        if (time == null || time != BUILDING && now - time >= 0 && notBefore.remove(name, time)) {
          if (notBefore.putIfAbsent(name, BUILDING) == null) {
            host.builders().execute(new Build(host, region, family, file, notBefore));
          }
        }
      }
    }
  }

  @Override
  public void run() {
    Thread.currentThread().setName("trommel-index-build");
    boolean finished = true;
    try {
      finished = step();
    } catch (Account.LimitReached e) {
      long reached = 0;
      for (Segment segment : segments) {
        reached += segment.heapBytes();
      }
      family.index.exceed(reached + account.taken());
      host.buildsOverLimit.increment();
      LOG.warn(
          "no memory for the segment of {}: trommel.index.memory.mb is used up; {} answers by scans until there is more",
          file.getPath(), region);
    } catch (IOException | RuntimeException | Error e) {
      if (!region.closed() && family.live().contains(name)) {
        failed = true;
        host.buildsFailed.increment();
        LOG.warn("the segment of {} could not be built and is tried again in 10 s", file.getPath(), e);
      }
    } finally {
      if (finished) {
        end();
      }
    }
    if (!finished) {
      host.builders().execute(this);
    }
  }

  /** Reads a chunk of the file. Returns whether the build is over. */
  private boolean step() throws IOException, Account.LimitReached {
    long start = System.nanoTime();
    if (over()) {
      return true;
    }
    if (cells == null) {
      cells = new Internals.FileCells(file);
      begin();
    }
    long bytes = 0;
    Cell cell = cells.next();
    for (int n = 1; cell != null; cell = cells.next(), ++n) {
      bytes += cell.getSerializedSize();
      byte[] key = family.key(cell);
      if (key != null) {
        postings.add(key, cell);
      }
      ++cellsRead;
      if (n % CELLS_SHIPPED == 0) {
        cells.shipped();
        if (account.taken() > SEGMENT_BYTES) {
          finishSegment();
          begin();
        }
        if (bytes > CHUNK_BYTES || over()) {
          break;
        }
      }
    }
    host.bytesRead.increment(bytes);
    nanoseconds += System.nanoTime() - start;
    if (cell == null) {
      finishSegment();
      family.index.built(name, List.copyOf(segments));
      segments.clear();
      host.builds.increment();
      LOG.info("segment of {}: {} cells in {} ms", file.getPath(), cellsRead, nanoseconds / 1_000_000);
      return true;
    }
    throttle(bytes, System.nanoTime() - start);
    return false;
  }

  /** Returns whether the segment is of no use any more. */
  private boolean over() {
    return region.closed()
        || !family.index.mayBuild(host.available())
        || !family.live().contains(name);
  }

  private void begin() throws Account.LimitReached {
    account = host.account();
    postings = new Postings(account);
  }

  private void finishSegment() throws Account.LimitReached {
    segments.add(new Segment(postings, host.account(), region.counted()));
    postings = null;
    account.release();
  }

  private void throttle(long bytes, long nanoseconds) throws IOException {
    if (host.buildBytesPerSecond <= 0) {
      return;
    }
    long wanted = bytes * 1_000_000_000L / host.buildBytesPerSecond;
    try {
      for (long left = wanted - nanoseconds; left > 0 && !region.closed(); left -= 50_000_000) {
        Thread.sleep(Math.min(50, left / 1_000_000 + 1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the build was interrupted", e);
    }
  }

  private void end() {
    if (cells != null) {
      cells.close();
    }
    if (account != null) {
      account.release();
    }
    segments.forEach(Segment::release);
    if (failed) {
      notBefore.put(name, System.nanoTime() + RETRY_NANOSECONDS);
    } else {
      notBefore.remove(name);
    }
  }
}
