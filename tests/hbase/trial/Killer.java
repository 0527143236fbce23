package trommel.hbase.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;

/** Ends, stops and starts servers of the cluster at random, by seed. Not thread safe. */
final class Killer {
  private static final int SERVERS = 3;

  private final RandomTrial trial;
  private final Admin admin;
  private final Random random;
  private final Tally tally;

  Killer(RandomTrial trial, Admin admin, Random random) {
    this.trial = trial;
    this.admin = admin;
    this.random = random;
    this.tally = trial.tally();
  }

  /** Runs tools/hbase/cluster. */
  private int cluster(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(
        System.getProperty("trommel.cluster"), "--dir", System.getProperty("trommel.cluster.dir")));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private void cluster(String action, String name) throws Exception {
    tally.say("%s %s", action, name);
    int status = cluster(new String[] {action, name});
    if (status != 0) {
      throw new IOException("tools/hbase/cluster " + action + " " + name + ": status " + status);
    }
  }

  private void restart(String... names) throws Exception {
    for (String name : names) {
      cluster("start", name);
    }
  }

  void killUntilStopped() throws Exception {
    Cards cards = new Cards(random, "one", "one", "flush", "split", "all", "master");
    while (!waitOrStopped(8 + random.nextInt(15))) {
      String card = cards.next();
      String[] killed = {Integer.toString(1 + random.nextInt(SERVERS))};
      switch (card) {
        case "flush":
          killed[0] = during(card, r -> admin.flushRegion(r.getRegionName()));
          break;
        case "split":
          killed[0] = during(card, r -> admin.splitRegionAsync(r.getRegionName(), middle(r)));
          break;
        case "all":
          cluster("kill", "all");
          tally.count("kills of all region servers");
          killed = new String[] {"1", "2", "3"};
          break;
        case "master":
          killed[0] = "master";
          cluster("kill", "master");
          tally.count("kills of the master");
          break;
        default:
          cluster("kill", killed[0]);
          tally.count("kills of a region server");
      }
      Readers.pause(random.nextInt(4000));
      restart(killed);
    }
  }

  /** A row in the region, if it has one of the trial's. */
  private byte[] middle(RegionInfo region) {
    byte[] row = null;
    for (int attempt = 0; attempt < 1000 && (row == null || !region.containsRow(row)); ++attempt) {
      row = TrialTable.row(random.nextInt(TrialTable.ROWS));
    }
    return row;
  }

  private interface OnRegion {
    void run(RegionInfo region) throws Exception;
  }

  /** Kills a region's server while that region flushes or is split. */
  private String during(String what, OnRegion action) throws Exception {
    List<HRegionLocation> all;
    try {
      all = new ArrayList<>(trial.connection().getRegionLocator(TrialTable.NAME).getAllRegionLocations());
      all.removeIf(location -> location.getServerName() == null);  // It is nowhere just now.
    } catch (IOException e) {
      all = List.of();
    }
    if (all.isEmpty()) {
      cluster("kill", "1");
      return "1";
    }
    HRegionLocation any = all.get(random.nextInt(all.size()));
    String server = numberOf(any.getServerName());
    Thread act = new Thread(() -> {
      try {
        action.run(any.getRegion());
      } catch (Exception e) {
        tally.failed(what + " with a kill", e);
      }
    });
    act.setDaemon(true);
    act.start();
    Readers.pause(random.nextInt(400));
    cluster("kill", server);
    tally.count("kills of a region server during a " + what);
    return server;
  }

  private static String numberOf(ServerName server) {
    int first = Integer.parseInt(System.getProperty("trommel.cluster.first"));
    return Integer.toString(server.getPort() - first + 1);
  }

  /**
   * Stops a region server until the cluster has given its regions to others, then lets it go on: it must not
   * acknowledge, nor answer from, what is no longer its own, and ends itself. Needs HDFS, which closes its log.
   */
  void pauseUntilStopped() throws Exception {
    while (!waitOrStopped(8 + random.nextInt(10))) {
      int n = 1 + random.nextInt(SERVERS);
      String name = Integer.toString(n);
      cluster("stop", name);
      double begin = tally.seconds();
      while (serves(n)) {
        if (tally.seconds() > begin + 120) {
          throw new IOException("the session of server " + name + " did not end");
        }
        Readers.pause(200);
      }
      tally.say("the session of %s has ended after %.1f s", name, tally.seconds() - begin);
      Readers.pause(random.nextInt(12000));  // Its regions are elsewhere by then, or are being opened.
      cluster("cont", name);
      begin = tally.seconds();
      while (running(name)) {
        if (tally.seconds() > begin + 120) {
          tally.count("WRONG: a server without a session goes on");
          return;
        }
        Readers.pause(300);
      }
      tally.say("%s has ended itself after %.1f s", name, tally.seconds() - begin);
      tally.count("stops until the session ended");
      restart(name);
    }
  }

  private boolean serves(int n) throws IOException {
    for (ServerName s : admin.getRegionServers()) {
      if (numberOf(s).equals(Integer.toString(n))) {
        return true;
      }
    }
    return false;
  }

  private boolean running(String name) throws Exception {
    Process p = new ProcessBuilder(System.getProperty("trommel.cluster"), "--dir", System.getProperty("trommel.cluster.dir"), "status")
        .redirectErrorStream(true).start();
    String text = new String(p.getInputStream().readAllBytes());
    p.waitFor();
    for (String line : text.split("\n")) {
      String[] words = line.trim().split(" +");
      if (words[0].equals(name)) {
        return !words[2].equals("ended");
      }
    }
    throw new IOException("tools/hbase/cluster status does not name " + name + ": " + text);
  }

  private boolean waitOrStopped(int seconds) {
    for (int i = 0; i < seconds * 10 && !trial.stopped().get(); ++i) {
      Readers.pause(100);
    }
    return trial.stopped().get();
  }
}
