package trommel.hbase;

import java.io.IOException;
import java.util.List;
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

  private ServerRegions regions;

  /** For HBase, which makes one for the server. */
  public ServerIndex() {}

  /** For tests. */
  ServerIndex(ServerName server) {
    regions = ServerRegions.of(server);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public void start(CoprocessorEnvironment environment) {
    regions = ServerRegions.of(((RegionServerCoprocessorEnvironment) environment).getServerName());
  }

  @Override
  byte[] answer(byte[] bytes) throws IOException {
    Request request = Request.parse(bytes);
    switch (request.kind) {
      case PING:
        return new Answer().toBytes();
      case QUERY:
        return query(request, bytes).toBytes();
      default:
        throw new DoNotRetryIOException("a server answers queries only; regions have the state of their index");
    }
  }

  private Answer query(Request request, byte[] bytes) {
    List<ServerRegions.Part> parts = regions.parts(request.table, request.ranges);
    if (parts.isEmpty()) {
      return new Answer();
    }
    Host host = parts.get(0).region.host();
    List<Exclusion> exclusions =
        Exclusion.ask(
            regions.filter(host),
            parts.stream().map(part -> part.region.index()).collect(Collectors.toList()),
            request.conditions);
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
        part.region.query(request, part.range, page, exclusions.get(i));
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
