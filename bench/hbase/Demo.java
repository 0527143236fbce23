package trommel.hbase.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import trommel.hbase.IndexedTable;
import trommel.hbase.RegionStatus;

/**
 * Shows the index on a cluster that tools/hbase/cluster started: loads tables, asks the same questions in three ways,
 * kills a server and asks again. Arguments: number of products, of regions, file for the picture, and a file of Debian's
 * packages, if there is one. Exit status: 0 all ways found the same rows, 1 not.
 */
public final class Demo {
  private static final int PACKAGE_REGIONS = 6;
  private static final String KILLED = "2";
  private static final long PATIENCE_NANOSECONDS = 180_000_000_000L;

  private final Configuration conf = HBaseConfiguration.create();
  private final Connection connection;
  private final Admin admin;
  private boolean right = true;

  private Demo() throws IOException {
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
  }

  public static void main(String[] arguments) throws Exception {
    Demo demo = new Demo();
    demo.admin.balancerSwitch(false, true);  // Figures are of regions that stay where they are.
    if (arguments.length > 3) {
      demo.packages(Path.of(arguments[3]));
    }
    demo.catalogue(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1]), Path.of(arguments[2]));
    System.out.println();
    System.out.println(demo.right ? "All ways found the same rows, each time." : "WAYS FOUND DIFFERENT ROWS.");
    System.exit(demo.right ? 0 : 1);
  }

  /** One line of progress, on stderr as that of the scripts. */
  static void say(String format, Object... values) {
    System.err.println("== demo: " + String.format(Locale.ROOT, format, values));
  }

  private void packages(Path file) throws Exception {
    Source source = new Packages(file);
    List<String> indexed = load(source, PACKAGE_REGIONS);
    try (Asking asking = new Asking(conf, source, indexed)) {
      say("asking %d questions about packages", asking.questions().size());
      Report.print(title(source, indexed), asking.askAll());
      right &= asking.right();
    }
  }

  private void catalogue(long products, int regions, Path picture) throws Exception {
    Source source = new Catalogue(products);
    List<String> indexed = load(source, regions);
    try (Asking asking = new Asking(conf, source, indexed)) {
      say("asking %d questions about products", asking.questions().size());
      List<Figures> figures = asking.askAll();
      Report.print(title(source, indexed), figures);
      Report.targets(figures, servers().size());
      Picture.draw(title(source, indexed), figures, picture);
      System.out.println("picture: " + picture);
      withoutServer(source, asking);
      right &= asking.right();
    }
  }

  private List<ServerName> servers() throws IOException {
    return new ArrayList<>(admin.getRegionServers());
  }

  /** Loads the source's rows; returns the attributes that are indexed. */
  private List<String> load(Source source, int regions) throws IOException, InterruptedException {
    say("loading %,d %ss", source.rows(), source.noun());
    Loader loader = new Loader(connection, source);
    long start = System.nanoTime();
    loader.load(regions);
    double loaded = (System.nanoTime() - start) / 1e9;
    List<String> indexed = loader.build();
    System.out.printf(
        Locale.ROOT, "%n%,d %ss written and flushed in %.0f s (%,.0f per second), index built %.0f s later; %d of %d attributes indexed: %s%n",
        source.rows(), source.noun(), loaded, source.rows() / loaded, (System.nanoTime() - start) / 1e9 - loaded,
        indexed.size(), source.attributes().size(), String.join(" ", indexed));
    memory(source);
    return indexed;
  }

  private void memory(Source source) throws IOException {
    long entries = 0;
    long bytes = 0;
    try (IndexedTable table = new IndexedTable(connection, source.table())) {
      for (RegionStatus region : table.status()) {
        entries += region.entries();
        bytes += region.segmentBytes() + region.generationBytes();
      }
    }
    System.out.printf(
        Locale.ROOT, "%,d entries in %.0f MB of heap, of the %s MB that each of %d servers may use for indexes%n", entries, bytes / 1e6,
        conf.get("trommel.index.memory.mb", "(a tenth of the heap)"), servers().size());
  }

  private String title(Source source, List<String> indexed) throws IOException {
    return String.format(
        Locale.ROOT, "%s: %,d rows, %d indexed attributes, %d regions on %d servers", source.table(), source.rows(), indexed.size(),
        admin.getRegions(source.table()).size(), servers().size());
  }

  /** Kills a server, asks at once, and again when its regions are built elsewhere. */
  private void withoutServer(Source source, Asking asking) throws Exception {
    cluster("kill", KILLED);
    long killed = System.nanoTime();
    say("server %s is killed; asking at once", KILLED);
    System.out.println();
    for (Question question : asking.questions()) {
      Way.Answer answer = asking.ask(question, Figures.SERVERS);
      System.out.printf(
          Locale.ROOT, "%5.1f s after the kill of a server: %s: %,d rows in %s ms, %d RPCs%n", (System.nanoTime() - killed) / 1e9,
          question, answer.rows.size(), Report.time(answer.seconds * 1e3), answer.calls);
    }
    try (IndexedTable table = new IndexedTable(connection, source.table())) {
      while (!table.status().stream().allMatch(RegionStatus::built) || servers().size() > 2) {
        if (System.nanoTime() - killed > PATIENCE_NANOSECONDS) {
          throw new IOException("regions of the killed server are not built after three minutes: " + table.status());
        }
        Thread.sleep(200);
      }
    }
    System.out.printf(Locale.ROOT, "%5.1f s after the kill all regions are built on the other servers%n", (System.nanoTime() - killed) / 1e9);
    Report.print("the same with " + servers().size() + " servers", asking.askIndex());
  }

  private static void cluster(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(
        List.of(System.getProperty("trommel.cluster"), "--dir", System.getProperty("trommel.cluster.dir")));
    command.addAll(List.of(arguments));
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException("tools/hbase/cluster " + String.join(" ", arguments) + ": status " + status);
    }
  }
}
