package trommel.hbase;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers a query for all regions that a server has of a table at once: {@code hbase.coprocessor.regionserver.classes}
 * names it. The server's filter says which regions are looked into. What it does not answer (a region that has moved,
 * or cannot be read now) the client asks the regions themselves, so it is never needed for a right answer.
 *
 * <p>Thread safety: HBase calls it from any thread.
 */
public final class ServerIndex extends Wire.Endpoint implements RegionServerCoprocessor {
  private static final Logger LOG = LoggerFactory.getLogger(ServerIndex.class);

  private Supplier<ServerName> server;

  /** For HBase, which makes one for the server. */
  public ServerIndex() {}

  /** For tests. */
  ServerIndex(ServerName server) {
    this.server = () -> server;
  }

  @Override
  @SuppressWarnings("rawtypes")
  public void start(CoprocessorEnvironment environment) {
    // The master may give the server another name, after this.
    server = ((RegionServerCoprocessorEnvironment) environment)::getServerName;
  }

  @Override
  byte[] answer(byte[] bytes) throws IOException {
    try {
      Request request = Request.parse(bytes);
      switch (request.kind) {
        case PING:
          return new Answer().toBytes();
        case QUERY:
          return query(request, bytes).toBytes();
        default:
          throw new DoNotRetryIOException("a server answers queries only; regions have the state of their index");
      }
    } catch (RuntimeException | Error e) {
      throw new IOException("the query failed", e);  // An OutOfMemoryError would end the server.
    }
  }

  private Answer query(Request request, byte[] bytes) {
    ServerRegions regions = ServerRegions.of(server.get());
    List<ServerRegions.Part> parts = regions.parts(request.table, request.ranges);
    if (parts.isEmpty()) {
      return new Answer();
    }
    Host host = parts.get(0).region.host();
    // Once for each region, in how many parts the caller ever wants it.
    Set<RegionIndex> asked =
        parts.stream().map(part -> part.region.index()).collect(Collectors.toCollection(LinkedHashSet::new));
    Map<RegionIndex, Exclusion> exclusions = Exclusion.ask(regions.filter(host), asked, request.conditions);
    Page page = new Page(host);
    for (int i = 0; i < parts.size(); ++i) {
      if (i > 0 && page.full()) {
        page.answer.full = true;
        break;
      }
      ServerRegions.Part part = parts.get(i);
      page.begin();
      try {
        Internals.beforeEndpoint(part.region, bytes);
        part.region.query(request, part.range, page, exclusions.get(part.region.index()));
      } catch (IOException | RuntimeException e) {
        // The client asks the region itself, which says why not, or answers from where it is now.
        page.cut();
        LOG.debug("{} is left to a call of its own", part.region.index(), e);
      }
    }
    host.serverAnswers.increment();
    return page.answer;
  }
}
