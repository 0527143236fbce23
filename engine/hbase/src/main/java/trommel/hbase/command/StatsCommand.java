package trommel.hbase.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;
import trommel.hbase.RegionStatus;

/** {@code trommel-hbase stats}: the state of each region's index. */
final class StatsCommand {
  private static final int WIDEST = 40;

  /** What regions take together. */
  private static final class Sums {
    long regions;
    long built;
    long entries;
    long segmentBytes;
    long generationBytes;

    void add(RegionStatus region) {
      ++regions;
      built += region.built() ? 1 : 0;
      entries += region.entries();
      segmentBytes += region.segmentBytes();
      generationBytes += region.generationBytes();
    }

    Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("regions", regions);
      json.put("regions_built", built);
      json.put("entries", entries);
      json.put("segment_bytes", segmentBytes);
      json.put("generation_bytes", generationBytes);
      return json;
    }

    String line(String name) {
      return row(
          name, IndexCommand.counted(regions, "region"), String.format(Locale.ROOT, "%,d built", built), entries,
          segmentBytes, generationBytes);
    }
  }

  private StatsCommand() {}

  static Main.Action stats(Arguments arguments) throws UsageException {
    arguments.endAfterTable();
    boolean json = arguments.has("--json");
    return session -> stats(session, json);
  }

  private static int stats(Session session, boolean json) throws IOException, Failure {
    List<Column> columns = session.indexed();
    Regions regions = Regions.of(session.connection(), session.table());
    Map<byte[], String> servers = servers(session);
    Sums all = new Sums();
    Map<String, Sums> perServer = new TreeMap<>();
    for (RegionStatus region : regions.all()) {
      all.add(region);
      perServer.computeIfAbsent(server(servers, region), s -> new Sums()).add(region);
    }
    if (json) {
      print(session, columns, regions, servers, perServer, all);
    } else {
      session.print(row("region", "server", "state", "entries", "segments", "generations"));
      for (RegionStatus region : regions.all()) {
        session.print(
            row(
                range(region), server(servers, region), region.reason(), region.entries(), region.segmentBytes(),
                region.generationBytes()));
      }
      for (Map.Entry<String, Sums> server : perServer.entrySet()) {
        session.print(server.getValue().line("server " + server.getKey()));
      }
      session.print(all.line("table"));
    }
    return all.built == all.regions ? Main.DONE : Main.NEGATIVE;
  }

  private static String row(
      String name, String server, String state, long entries, long segmentBytes, long generationBytes) {
    return row(
        name, server, state, String.format(Locale.ROOT, "%,d", entries), Regions.bytes(segmentBytes),
        Regions.bytes(generationBytes));
  }

  private static String row(String... cells) {
    return String.format("%-" + WIDEST + "s  %-24s  %-8s %15s %12s %12s", (Object[]) cells);
  }

  private static String range(RegionStatus region) {
    String start = region.start().length == 0 ? "(first row)" : Text.of(region.start());
    return start.length() <= WIDEST ? start : start.substring(0, WIDEST - 3) + "...";
  }

  private static void print(
      Session session, List<Column> columns, Regions regions, Map<byte[], String> servers,
      Map<String, Sums> perServer, Sums all) throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("table", session.table());
    List<String> texts = new ArrayList<>();
    columns.forEach(column -> texts.add(Text.of(column)));
    json.put("columns", texts);
    List<Object> list = new ArrayList<>();
    for (RegionStatus region : regions.all()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("start", Text.of(region.start()));
      one.put("end", Text.of(region.end()));
      one.put("server", server(servers, region));
      one.put("state", region.reason());
      one.put("entries", region.entries());
      one.put("segment_entries", region.segmentEntries());
      one.put("segment_bytes", region.segmentBytes());
      one.put("data_bytes", region.dataBytes());
      one.put("generation_bytes", region.generationBytes());
      list.add(one);
    }
    json.put("regions", list);
    Map<String, Object> sums = new LinkedHashMap<>();
    perServer.forEach((server, sum) -> sums.put(server, sum.json()));
    json.put("servers", sums);
    json.put("sums", all.json());
    session.print(Json.of(json));
  }

  /** Returns the server of each region, by the region's first row. */
  private static Map<byte[], String> servers(Session session) throws IOException {
    Map<byte[], String> servers = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    try (RegionLocator locator = session.connection().getRegionLocator(session.table())) {
      for (HRegionLocation location : locator.getAllRegionLocations()) {
        servers.put(
            location.getRegion().getStartKey(),
            location.getServerName() == null ? "none" : location.getServerName().getAddress().toString());
      }
    }
    return servers;
  }

  private static String server(Map<byte[], String> servers, RegionStatus region) {
    return servers.getOrDefault(region.start(), "unknown");  // It was split or merged meanwhile.
  }
}
