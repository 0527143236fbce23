package trommel.hbase;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;

/**
 * The open regions of one server that have an index, and the filter over them. Those of a table that loads its
 * coprocessor from a jar of its own are not here, but in the same class of another class loader: they are asked one by
 * one. Thread safety: all members.
 */
final class ServerRegions {
  private static final Map<ServerName, ServerRegions> SERVERS = new ConcurrentHashMap<>();

  private final Map<TableName, NavigableMap<byte[], IndexObserver>> tables = new ConcurrentHashMap<>();
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

  /** The region serves from now on. */
  void add(TableName table, Range range, IndexObserver region) {
    tables.computeIfAbsent(table, name -> new ConcurrentSkipListMap<>(Arrays::compareUnsigned)).put(range.from, region);
  }

  void remove(TableName table, Range range, IndexObserver region) {
    NavigableMap<byte[], IndexObserver> regions = tables.get(table);
    if (regions != null) {
      regions.remove(range.from, region);
    }
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
