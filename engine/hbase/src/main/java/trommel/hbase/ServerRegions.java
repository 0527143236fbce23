package trommel.hbase;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * The open regions of one server that have an index, and the filter over them. Those of a table that loads its
 * coprocessor from a jar of its own are not here, but in the same class of another class loader: they are asked one by
 * one. Thread safety: all members.
 */
final class ServerRegions {
  private static final Map<ServerName, ServerRegions> SERVERS = new ConcurrentHashMap<>();

  private final Map<TableName, NavigableMap<byte[], IndexObserver>> tables = new ConcurrentHashMap<>();
  private final Map<Region, IndexObserver> observers = Collections.synchronizedMap(new IdentityHashMap<>());
  private volatile PairFilter filter;

  /** A region, and which of the wanted rows are its own. */
  static final class Part {
    final IndexObserver region;
    final Range range;

    Part(IndexObserver region, Range range) {
      this.region = region;
      this.range = range;
    }
  }

  static ServerRegions of(ServerName server) {
    return SERVERS.computeIfAbsent(server, name -> new ServerRegions());
  }

  /** Returns the server's filter, made for its first region. */
  synchronized PairFilter filter(Host host) {
    if (filter == null) {
      filter = new PairFilter(NativePairs::new, host::account, host.builders());
    }
    return filter;
  }

  /** Replaces the filter, before there are regions. For tests. */
  synchronized void filter(PairFilter another) {
    filter = another;
  }

  /** Returns the last observer that was started for a region and has not stopped, or null. */
  IndexObserver observer(Region region) {
    return observers.get(region);
  }

  void started(Region region, IndexObserver observer) {
    observers.put(region, observer);
  }

  void stopped(Region region) {
    observers.remove(region);
  }

  /** The region serves from now on. */
  void add(TableName table, Range range, IndexObserver region) {
    tables.compute(
        table,
        (name, regions) -> {
          NavigableMap<byte[], IndexObserver> all =
              regions == null ? new ConcurrentSkipListMap<>(Arrays::compareUnsigned) : regions;
          all.put(range.from, region);
          return all;
        });
  }

  void remove(TableName table, Range range, RegionIndex index) {
    tables.computeIfPresent(
        table,
        (name, regions) -> {
          regions.computeIfPresent(range.from, (from, region) -> region.index() == index ? null : region);
          return regions.isEmpty() ? null : regions;
        });
  }

  /** Returns what this server has of ranges, in their order. */
  List<Part> parts(TableName table, List<Range> ranges) {
    List<Part> parts = new ArrayList<>();
    NavigableMap<byte[], IndexObserver> regions = tables.get(table);
    for (Range range : regions == null ? List.<Range>of() : ranges) {
      byte[] at = range.from;
      byte[] first = regions.floorKey(at);
      for (IndexObserver region : regions.tailMap(first == null ? at : first, true).values()) {
        Range part = region.range().and(new Range(at, range.stop));
        if (!Range.before(region.range().from, range.stop)) {
          break;
        }
        if (!part.empty()) {
          parts.add(new Part(region, part));
          if (part.stop.length == 0) {
            break;
          }
          at = part.stop;  // Of a parent and its daughter, which are there together for a moment, one answers.
        }
      }
    }
    return parts;
  }
}
