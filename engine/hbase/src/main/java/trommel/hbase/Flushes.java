package trommel.hbase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;

/**
 * Which generations a flush of a region may drop: those that were frozen before its snapshot (rule 2), of the stores
 * that it wrote. HBase calls preFlush, postFlush(store) and postFlush of one flush in one thread, but preFlush also for
 * flushes that it then refuses, and postFlush(store) without preFlush when a region is closed.
 *
 * <p>A flush may fail after its snapshot and leave the region open (a sync of the log that fails, HRegion
 * doSyncOfUnflushedWALChanges). The next flush then writes this old snapshot and nothing newer. So a flush drops no more
 * than every flush that began and has not ended may drop, and nothing of a store that had a snapshot when it began.
 *
 * <p>Thread safety: all members.
 */
final class Flushes {
  private static final class Flush {
    final Map<RegionIndex.Family, Long> upTo = new HashMap<>();
    final Set<RegionIndex.Family> behind = new HashSet<>();  // Had a snapshot of an earlier flush then.
    final Set<RegionIndex.Family> wrote = new HashSet<>();
  }

  private final ThreadLocal<Flush> mine = new ThreadLocal<>();
  private final List<Flush> begun = new ArrayList<>();  // In order, without those that have ended.

  /** Freezes the active generations. */
  void begin(List<RegionIndex.Family> families, Region region) {
    mine.remove();
    Flush flush = new Flush();
    for (RegionIndex.Family family : families) {
      long upTo = family.index.rotate();
      Store store = region.getStore(family.name);
      if (store == null || store.getSnapshotSize().getCellsCount() > 0) {
        flush.behind.add(family);
      }
      flush.upTo.put(family, upTo);
    }
    mine.set(flush);
    synchronized (begun) {
      begun.add(flush);
    }
  }

  /** A file of the family was written by this thread's flush. */
  void wrote(RegionIndex.Family family) {
    Flush flush = mine.get();
    if (flush != null) {
      flush.wrote.add(family);
    }
  }

  /** This thread's flush has published its files: drops what is in them, and forgets the flushes before it. */
  void end() {
    Flush flush = mine.get();
    mine.remove();
    if (flush == null) {
      return;
    }
    List<Flush> open;
    synchronized (begun) {
      open = new ArrayList<>(begun);
      if (!flush.wrote.isEmpty()) {
        begun.subList(0, begun.indexOf(flush) + 1).clear();
      } else {
        begun.remove(flush);
      }
    }
    flush.wrote.removeAll(flush.behind);
    for (RegionIndex.Family family : flush.wrote) {
      long upTo = flush.upTo.get(family);
      for (Flush other : open) {
        upTo = Math.min(upTo, other.upTo.get(family));
      }
      family.index.drop(upTo);
    }
  }
}
