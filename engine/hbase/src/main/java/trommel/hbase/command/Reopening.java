package trommel.hbase.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.UnknownRegionException;
import org.apache.hadoop.hbase.client.RegionInfo;

/**
 * Opens regions again, so that their index is built from their files. Regions move to another server, which HBase
 * does as one procedure: none stays closed if this process ends. Where there is no other server, all regions of the
 * table are opened again in place.
 */
final class Reopening {
  private final Session session;

  Reopening(Session session) {
    this.session = session;
  }

  void run(List<RegionInfo> regions) throws IOException, InterruptedException {
    try (Progress progress = session.progress("opening regions again")) {
      List<ServerName> servers = new ArrayList<>(session.admin().getRegionServers(true));
      if (servers.size() < 2) {
        progress.draw("all of the table, as there is one server");
        wait(session.admin().modifyTableAsync(session.admin().getDescriptor(session.table())));
        return;
      }
      int opened = 0;
      for (RegionInfo region : regions) {
        try {
          session.admin().move(region.getEncodedNameAsBytes());
        } catch (UnknownRegionException e) {
          // It was split or merged meanwhile, and what has its rows was opened by that.
        }
        progress.draw(++opened + " of " + regions.size());
      }
    }
  }

  private static void wait(Future<Void> done) throws IOException, InterruptedException {
    try {
      done.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException ? (IOException) e.getCause() : new IOException(e.getCause());
    }
  }
}
