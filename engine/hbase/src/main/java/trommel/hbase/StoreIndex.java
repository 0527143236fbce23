package trommel.hbase;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.StoreFile;

/**
 * The index of one store, in the store's own shape: generations for the memstore, and for each store file a cover,
 * which is a list of sources that together have every entry of the file. An index is right as long as each cell that
 * a query may see has its entry in some generation or in a cover; it may have more. HBASE.md has the argument.
 *
 * <pre>
 *   memstore                      files
 *   active | snapshot             F1         F2         F3 (loaded in bulk)
 *   generation 7 | 6, 5           segment    segment    -> no cover: the store is unbuilt, and is scanned
 *                   after a flush into F4:  F4 -> (5, 6, 7), until its segment is built
 *       after a compaction F1, F2 -> F5:    F5 -> (segments of F1 and F2), until its own is built
 * </pre>
 *
 * So no hook reads a file, and neither a flush nor a compaction makes a store unbuilt. Nothing is removed but with its
 * generation or its file (rule 4): an entry that a segment has, too, may be the only one of a newer cell.
 *
 * <p>Thread safety: all members. Readers take one state and use nothing else; changes are made under the lock.
 */
final class StoreIndex {
  /** Sources that together have each entry of one file. */
  private static final class Cover {
    final List<RowSource> sources;
    final boolean built;
    volatile boolean seenLive;  // Changed under the lock.

    Cover(List<RowSource> sources, boolean built) {
      this.sources = sources;
      this.built = built;
    }
  }

  private static final class State {
    final Generation active;
    final List<Generation> frozen;
    final Map<String, Cover> covers;
    /** The store's list of files, if it is known to be covered; HBase makes another list when it changes. */
    volatile Collection<? extends StoreFile> coveredFiles;

    State(Generation active, List<Generation> frozen, Map<String, Cover> covers) {
      this.active = active;
      this.frozen = frozen;
      this.covers = covers;
    }

    Set<RowSource> sources() {
      Set<RowSource> all = Collections.newSetFromMap(new IdentityHashMap<>());
      all.add(active);
      all.addAll(frozen);
      for (Cover cover : covers.values()) {
        all.addAll(cover.sources);
      }
      return all;
    }
  }

  private final Supplier<Account> accounts;
  private final PairFilter filter;
  private final long region;
  private volatile State state;
  private long bytesWanted;  // 0, or what the segments would have needed when the server's limit was met.
  private boolean closed;

  StoreIndex(Supplier<Account> accounts, PairFilter filter, long region) {
    this.accounts = accounts;
    this.filter = filter;
    this.region = region;
    state = new State(generation(0), List.of(), Map.of());
    filter.add(this);
  }

  private Generation generation(long number) {
    return new Generation(number, accounts.get(), filter.counted(region));
  }

  /**
   * Adds the entries of cells that are about to be written. The writer holds the region's lock of updates until the
   * memstore has the cells, so no snapshot of the memstore comes between; if the active generation is frozen
   * meanwhile, it stays until a flush whose snapshot is later than this write.
   */
  void add(List<byte[]> keys, List<Cell> cells) {
    state.active.add(keys, cells);
  }

  /** Says that an entry of a write under way is missing. */
  void lose() {
    state.active.lose();
  }

  /** Freezes the active generation. Returns the number of the last one that is frozen. */
  synchronized long rotate() {
    State s = state;
    if (s.active.untouched()) {
      return s.active.number - 1;  // Stays active: an entry may be on its way into it (rule 2).
    }
    List<Generation> frozen = new ArrayList<>(s.frozen);
    frozen.add(s.active);
    change(new State(generation(s.active.number + 1), frozen, s.covers));
    return s.active.number;
  }

  /**
   * A flush has written this file, and will publish it next. Every generation of now covers it: those that were
   * frozen before the flush, and the active one, to which writes between that moment and the snapshot went.
   */
  synchronized void flushed(String file) {
    if (bytesWanted > 0) {
      return;  // No segment will replace the generations, so they must not be kept.
    }
    List<RowSource> sources = new ArrayList<>(state.frozen);
    sources.add(state.active);
    cover(file, new Cover(sources, false));
  }

  /** Drops generations up to this number: their cells are in published files. Covers keep those that they need. */
  synchronized void drop(long upTo) {
    State s = state;
    List<Generation> frozen = new ArrayList<>(s.frozen);
    if (frozen.removeIf(generation -> generation.number <= upTo)) {
      change(new State(s.active, frozen, s.covers));
    }
  }

  /** A compaction of these files has written this one, and will exchange them next: their covers cover it. */
  synchronized void compacted(String file, Collection<String> inputs) {
    Set<RowSource> sources = Collections.newSetFromMap(new IdentityHashMap<>());
    for (String input : inputs) {
      Cover cover = state.covers.get(input);
      if (cover == null) {
        return;
      }
      sources.addAll(cover.sources);
    }
    cover(file, new Cover(List.copyOf(sources), false));
  }

  /** The file's segments are built. */
  void built(String file, List<? extends RowSource> segments) {
    segments.forEach(RowSource::count);  // Before the lock, which hooks of flushes wait for.
    install(file, segments);
  }

  private synchronized void install(String file, List<? extends RowSource> segments) {
    if (closed || bytesWanted > 0) {
      segments.forEach(RowSource::release);
      return;
    }
    Cover cover = new Cover(List.copyOf(segments), true);
    cover.seenLive = true;
    cover(file, cover);
  }

  private void cover(String file, Cover cover) {
    State s = state;
    Map<String, Cover> covers = new HashMap<>(s.covers);
    covers.put(file, cover);
    change(new State(s.active, s.frozen, covers));
  }

  /**
   * Drops covers of files that were live and are no longer. A file that was not seen live yet is still to be
   * published (rule 5).
   */
  void retire(Supplier<Set<String>> liveFiles) {
    Set<String> live = liveFiles.get();
    for (Map.Entry<String, Cover> cover : state.covers.entrySet()) {
      if (live.contains(cover.getKey()) != cover.getValue().seenLive) {
        retireLocked(liveFiles);
        return;
      }
    }
  }

  private synchronized void retireLocked(Supplier<Set<String>> liveFiles) {
    // Read under the lock: an older list would drop the cover of a file that another thread has seen since.
    Set<String> live = liveFiles.get();
    State s = state;
    Map<String, Cover> covers = new HashMap<>();
    s.covers.forEach(
        (file, cover) -> {
          boolean isLive = live.contains(file);
          cover.seenLive |= isLive;
          if (isLive || !cover.seenLive) {
            covers.put(file, cover);
          }
        });
    if (covers.size() != s.covers.size()) {
      change(new State(s.active, s.frozen, covers));
    }
  }

  /** Gives up all covers: the store does not fit below the server's limit, and half of an index serves no query. */
  synchronized void exceed(long reached) {
    State s = state;
    long wanted = reached;
    for (RowSource source : s.sources()) {
      wanted += source.heapBytes();
    }
    bytesWanted = Math.max(1, wanted);
    change(new State(s.active, s.frozen, Map.of()));
  }

  /** Returns whether segments may be built: false while the limit leaves less than they needed the last time. */
  synchronized boolean mayBuild(long available) {
    if (bytesWanted > 0 && available > bytesWanted + bytesWanted / 8) {
      bytesWanted = 0;
    }
    return bytesWanted == 0 && !closed;
  }

  /** Returns whether the limit is why a file has no segment, or a generation no entries. */
  synchronized boolean exceeded() {
    return bytesWanted > 0 || state.sources().stream().anyMatch(RowSource::exceeded);
  }

  /** Returns the live files without a segment of their own, which is to be built. */
  Set<String> unbuilt(Set<String> live) {
    State s = state;
    Set<String> files = new HashSet<>(live);
    files.removeIf(file -> s.covers.containsKey(file) && s.covers.get(file).built);
    return files;
  }

  /**
   * Returns sources that have every entry of what is visible now, or null if there are none. The state is taken before
   * the list of files. A cell that is visible when the state is taken is either in the memstore, and then in a
   * generation of the state, which is dropped only after its file is published; or in a published file, and then in a
   * live file of the later list, whose cover has its entry, if the state has the cover. Were the list older, a flush
   * and a compaction in between could leave a cell in neither.
   */
  List<RowSource> sources(Supplier<Set<String>> liveFiles) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      State s = state;
      Set<RowSource> sources = Collections.newSetFromMap(new IdentityHashMap<>());
      sources.add(s.active);
      sources.addAll(s.frozen);
      boolean covered = true;
      for (String file : liveFiles.get()) {
        Cover cover = s.covers.get(file);
        covered &= cover != null;
        if (cover != null) {
          sources.addAll(cover.sources);
        }
      }
      if (covered) {
        return sources.stream().allMatch(RowSource::complete) ? new ArrayList<>(sources) : null;
      }
      if (s == state) {
        return null;  // Rule 6: a file without a cover is no error.
      }
    }
    return null;
  }

  /** Counts what is not counted in the current filter. */
  synchronized void count() {
    state.sources().forEach(RowSource::count);
  }

  /** Returns the current state, for {@link #covers}. */
  Object state() {
    return state;
  }

  /**
   * Returns whether this state is still the current one, its sources have lost nothing, and they cover these files and
   * none that is gone: a look into the store drops that, and builds what has come in its place.
   */
  boolean covers(Object earlier, Collection<? extends StoreFile> files) {
    State s = state;
    if (s != earlier || !s.sources().stream().allMatch(RowSource::complete)) {
      return false;
    }
    if (s.coveredFiles != files) {
      Set<String> live = RegionIndex.Family.names(files);
      if (!s.covers.keySet().containsAll(live)
          || s.covers.entrySet().stream().anyMatch(c -> c.getValue().seenLive && !live.contains(c.getKey()))) {
        return false;
      }
      s.coveredFiles = files;
    }
    return true;
  }

  /** Makes a state the current one, whose sources are counted before, and gives back what is in it no longer. */
  private void change(State next) {
    Set<RowSource> gone = state.sources();
    next.sources().forEach(RowSource::count);
    state = next;
    gone.removeAll(next.sources());
    gone.forEach(RowSource::release);
  }

  /** Gives all memory back. Entries may still be added by writes under way; no query will read them. */
  synchronized void close() {
    closed = true;
    state.active.lose();
    change(new State(state.active, List.of(), Map.of()));
    filter.remove(this);
  }

  /** Adds entries, entries of segments, bytes of segments, of their data, and of generations. */
  void addTo(long[] sums) {
    for (RowSource source : state.sources()) {
      sums[0] += source.entries();
      if (source instanceof Segment) {
        sums[1] += source.entries();
        sums[2] += source.heapBytes();
        sums[3] += source.dataBytes();
      } else {
        sums[4] += source.heapBytes();
      }
    }
  }
}
