package trommel.hbase.trial;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;

/**
 * Writes, reads and operates a table at random, kills its servers, and compares the index with scans of the table.
 *
 * <pre>
 * RandomTrial [--seconds N] [--seed N] [--kills | --pauses] [--skip-wal] [--seldom]
 * </pre>
 *
 * <p>{@code --kills}: SIGKILL of region servers, of all at once and of the master. {@code --pauses}: SIGSTOP of a
 * region server until its session has ended, then SIGCONT; needs HDFS. {@code --skip-wal}: half of the changes are
 * not logged; without kills, after which they would be gone. {@code --seldom}: demands of the operator only what
 * a short trial surely did.
 *
 * <p>Exit status: 0 no answer was wrong; 1 one was, or too little happened for that to mean anything; 2 wrong usage.
 */
public final class RandomTrial {
  private static final List<String> KILLS =
      List.of("kills of a region server", "kills of a region server during a flush", "kills of a region server during a split",
          "kills of all region servers", "kills of the master");
  private static final int WRITERS = 3;
  private static final int KEPT_READERS = 1;
  private static final int SECONDS_BETWEEN_CHECKS = 15;

  private final Connection connection;
  private final Tally tally = new Tally();
  private final AtomicBoolean stop = new AtomicBoolean();
  /** Held shared by all that changes rows, exclusively by a check. */
  private final ReadWriteLock changes = new ReentrantReadWriteLock(true);
  /** Held shared by readers that know what a row must be, exclusively while it may become something else. */
  private final ReadWriteLock restoring = new ReentrantReadWriteLock(true);
  private final long seed;
  private final int seconds;
  private final String servers;
  private final boolean skipLog;
  private final boolean seldom;
  private volatile long epoch;

  private RandomTrial(Connection connection, Map<String, String> options) {
    this.connection = connection;
    this.seed = Long.parseLong(options.getOrDefault("--seed", "1"));
    this.seconds = Integer.parseInt(options.getOrDefault("--seconds", "60"));
    this.servers = options.containsKey("--kills") ? "kills" : options.containsKey("--pauses") ? "pauses" : "alive";
    this.skipLog = options.containsKey("--skip-wal");
    this.seldom = options.containsKey("--seldom");
  }

  Connection connection() {
    return connection;
  }

  Tally tally() {
    return tally;
  }

  AtomicBoolean stopped() {
    return stop;
  }

  Lock writing() {
    return changes.readLock();
  }

  ReadWriteLock restoring() {
    return restoring;
  }

  long seed() {
    return seed;
  }

  long epoch() {
    return epoch;
  }

  void newEpoch() {
    ++epoch;  // Only the operator calls it.
  }

  boolean skipsLog() {
    return skipLog;
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i < arguments.length; ++i) {
      switch (arguments[i]) {
        case "--kills":
        case "--pauses":
        case "--skip-wal":
        case "--seldom":
          options.put(arguments[i], "");
          break;
        case "--seconds":
        case "--seed":
          if (i + 1 < arguments.length && arguments[i + 1].matches("[0-9]{1,9}")) {
            options.put(arguments[i], arguments[++i]);
            break;
          }
          usage();
          break;
        default:
          usage();
      }
    }
    Configuration conf = HBaseConfiguration.create();
    // A server that is stopped does not answer: a client asks elsewhere after this time, not after a minute.
    conf.setInt("hbase.rpc.timeout", 10000);
    conf.setInt("hbase.client.operation.timeout", 60000);
    conf.setInt("hbase.client.scanner.timeout.period", 20000);
    boolean passed;
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      passed = new RandomTrial(connection, options).run();
    }
    System.exit(passed ? 0 : 1);
  }

  private static void usage() {
    System.err.println("usage: RandomTrial [--seconds N] [--seed N] [--kills | --pauses] [--skip-wal] [--seldom]");
    System.exit(2);
  }

  private boolean run() throws Exception {
    tally.say("random trial: seed %d, %d s, servers: %s%s", seed, seconds, servers, skipLog ? ", half of the changes not logged" : "");
    try (Admin admin = connection.getAdmin()) {
      TrialTable.create(admin);
      Readers.writeKept(connection);
      admin.flush(TrialTable.NAME);
      List<Thread> threads = start(admin);
      checkRepeatedly();
      stop.set(true);
      for (Thread t : threads) {
        t.join(240_000);
        if (t.isAlive()) {
          tally.count("WRONG: a thread hangs: " + t.getName());
          for (StackTraceElement e : t.getStackTrace()) {
            System.out.println("    " + e);
          }
        }
      }
      new Operator(this, admin, new Random(seed)).repair();
      finalChecks(admin);
    }
    return verdict();
  }

  private interface Body {
    void run() throws Exception;
  }

  private Thread thread(String name, Body body) {
    Thread thread = new Thread(() -> {
      try {
        body.run();
      } catch (Throwable e) {
        tally.count("WRONG: a thread ended: " + name);
        e.printStackTrace(System.out);
      }
    }, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private List<Thread> start(Admin admin) {
    List<Thread> threads = new ArrayList<>();
    for (int w = 0; w < WRITERS; ++w) {
      Random random = new Random(seed * 1000 + w);
      threads.add(thread("writer " + w, () -> write(random)));
    }
    for (int r = 0; r < KEPT_READERS; ++r) {
      Random random = new Random(seed * 1000 + 100 + r);
      threads.add(thread("reader " + r, () -> Readers.readKept(connection, random, stop, tally)));
    }
    threads.add(thread("owner", new Readers.Owner(this, new Random(seed * 1000 + 200))::run));
    threads.add(thread("operator", new Operator(this, admin, new Random(seed * 1000 + 300))::run));
    Killer killer = new Killer(this, admin, new Random(seed * 1000 + 400));
    if (servers.equals("kills")) {
      threads.add(thread("killer", killer::killUntilStopped));
    } else if (servers.equals("pauses")) {
      threads.add(thread("killer", killer::pauseUntilStopped));
    }
    return threads;
  }

  private void write(Random random) throws Exception {
    try (Table table = connection.getTable(TrialTable.NAME)) {
      Writer writer = new Writer(table, random, skipLog);
      while (!stop.get()) {
        writing().lock();
        try {
          tally.count("writers: " + writer.change());
        } catch (Exception e) {
          tally.failed("change", e);
          Readers.pause(20);
        } finally {
          writing().unlock();
        }
      }
    }
  }

  private boolean check(Random random) {
    changes.writeLock().lock();
    try {
      new Truth(connection, TrialTable.NAME, tally).check(random, 1);
      return true;
    } catch (Exception e) {
      tally.failed("check", e);
      return false;
    } finally {
      changes.writeLock().unlock();
    }
  }

  private void checkRepeatedly() {
    Random random = new Random(seed * 1000 + 500);
    while (tally.seconds() < seconds) {
      Readers.pause(SECONDS_BETWEEN_CHECKS * 1000L);
      check(random);
    }
  }

  /** As it is; with all in new files; after every region was opened anew, so that nothing in memory is left. */
  private void finalChecks(Admin admin) {
    Random random = new Random(seed);
    finalCheck(random, "as it is");
    Body[] steps = {
      () -> {
        admin.flush(TrialTable.NAME);
        admin.majorCompact(TrialTable.NAME);
        Readers.pause(3000);
      },
      () -> {
        for (RegionInfo r : admin.getRegions(TrialTable.NAME)) {
          admin.move(r.getEncodedNameAsBytes());
        }
      }
    };
    String[] names = {"after a major compaction", "after moves of all regions"};
    for (int i = 0; i < steps.length; ++i) {
      try {
        steps[i].run();
      } catch (Exception e) {
        tally.failed("step " + names[i], e);
      }
      finalCheck(random, names[i]);
    }
  }

  private void finalCheck(Random random, String when) {
    tally.say("last check, %s", when);
    for (int attempt = 0; attempt < 60; ++attempt) {
      if (check(random)) {
        return;
      }
      Readers.pause(1000);
    }
    tally.count("WRONG: no last check was possible");
  }

  private boolean verdict() {
    List<String> wanted = new ArrayList<>(List.of("operator: flush", "operator: move", "checks against a scan",
        "queries for rows that never change", "queries for own rows", "answered by the index",
        "servers that answered for all their regions"));
    if (RandomTrial.class.getResource("/trommel/ConcurrentFilter.class") != null) {  // As servers have it.
      wanted.add("not looked into, by the server's filter");
    }
    if (!seldom) {
      wanted.addAll(List.of("operator: flush of one family", "operator: minor compaction", "operator: major compaction", "operator: split",
          "operator: merge", "operator: bulk load", "operator: snapshot and clone", "operator: snapshot and restore",
          "operator: coprocessor off and on"));
    }
    if (!seldom && servers.equals("kills")) {
      wanted.addAll(KILLS);
    } else if (servers.equals("pauses")) {
      wanted.add("stops until the session ended");
    }
    tally.print();
    boolean passed = tally.wrong() == 0;
    for (String what : wanted) {
      if (tally.of(what) == 0) {
        System.out.println("too little happened: " + what);
        passed = false;
      }
    }
    // A minute has two or three kills, of any kind.
    if (servers.equals("kills") && KILLS.stream().mapToLong(tally::of).sum() == 0) {
      System.out.println("too little happened: kills of any kind");
      passed = false;
    }
    if (tally.of("answered by a scan") > tally.of("answered by the index")) {
      System.out.println("too little happened: most answers came from scans instead of the index");
      passed = false;
    }
    System.out.printf("%s: seed %d, servers %s%s: %d checks, %d rows compared, %d lost, %d extra; %d queries beside writers, %d wrong%n",
        passed ? "PASSED" : "FAILED", seed, servers, skipLog ? ", SKIP_WAL" : "", tally.of("checks against a scan"), tally.of("rows compared"),
        tally.of("LOST rows"), tally.of("EXTRA rows"),
        tally.of("queries for rows that never change") + tally.of("queries for own rows"),
        tally.wrong() - tally.of("LOST rows") - tally.of("EXTRA rows"));
    return passed;
  }
}
