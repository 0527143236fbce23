package trommel.hbase.command;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;

/**
 * The command {@code trommel-hbase} for people: indexes of tables, queries by value, and whether both agree. It uses
 * what every program may use: {@code trommel.hbase} and HBase's client.
 */
public final class Main {
  static final int DONE = 0;
  static final int NEGATIVE = 1;
  static final int USAGE = 2;
  static final int FAILED = 3;

  private static final String HELP =
      String.join(
          "\n",
          "usage: trommel-hbase [--cluster DIR] [-D KEY=VALUE]... COMMAND TABLE ...",
          "",
          "  index TABLE COLUMN...    Give columns an index, beside those that have one, and wait until it is built.",
          "                           Clients write and read meanwhile; Ctrl-C ends the waiting alone.",
          "  drop TABLE [COLUMN]...   Remove the index of columns, or of the whole table. No row changes.",
          "  query TABLE COLUMN=VALUE... [--select COLUMN]... [--from ROW] [--to ROW] [--limit N]",
          "                           [--timeout SECONDS] [--json]",
          "                           Print the rows that have all these values, a line for each, in no order, and",
          "                           then on standard error what it took. Exit status 1: there are none.",
          "  verify TABLE [--repair] [--one-in N] [--threads N] [--json]",
          "                           Compare a scan of the table with its index, while it is written: each value of",
          "                           each indexed column, or one in N. What differs is asked again before it counts.",
          "                           --repair opens the regions that differ again, which builds their index from their",
          "                           files, and compares them again. Exit status 1: something differs (still).",
          "  stats TABLE [--json]     Print the state of each region's index, and the sums of each server.",
          "                           Exit status 1: a region is not built.",
          "",
          "  COLUMN is FAMILY:QUALIFIER. In columns, values and rows, \\xNN is any byte; \\ is written \\x5C, and = in",
          "  a column \\x3D. Output is written in the same way. TABLE may be NAMESPACE:TABLE.",
          "  -D KEY=VALUE             a setting of HBase's client, or of Trommel's",
          "",
          "Exit status: 0 done, 1 a negative answer, 2 wrong usage, 3 failed.");

  private Main() {}

  /** Runs the command on the cluster of the configuration on the class path, and ends the process. */
  public static void main(String[] typed) {
    System.exit(
        run(HBaseConfiguration.create(), Arrays.asList(typed), new FileOutputStream(FileDescriptor.out), System.err));
  }

  /** Runs the command and returns its exit status. */
  public static int run(Configuration conf, List<String> typed, OutputStream out, PrintStream err) {
    try {
      return run(conf, typed, 0, out, err);
    } catch (UsageException e) {
      err.println("trommel-hbase: " + e.getMessage() + " (trommel-hbase --help)");
      return USAGE;
    }
  }

  private static int run(Configuration conf, List<String> typed, int at, OutputStream out, PrintStream err)
      throws UsageException {
    for (; at < typed.size() && typed.get(at).startsWith("-"); ++at) {
      if (typed.get(at).equals("--help") || typed.get(at).equals("-h")) {
        new PrintStream(out, true).println(HELP);
        return DONE;
      }
      if (!typed.get(at).equals("-D")) {
        throw new UsageException("no option before COMMAND is named " + Text.print(typed.get(at)));
      }
      set(conf, ++at < typed.size() ? typed.get(at) : "");
    }
    if (at == typed.size()) {
      throw new UsageException("COMMAND is missing");
    }
    List<String> words = typed.subList(at + 1, typed.size());
    switch (typed.get(at)) {
      case "index":
        return run(conf, new Arguments(words, Set.of(), Set.of()), IndexCommand::index, out, err);
      case "drop":
        return run(conf, new Arguments(words, Set.of(), Set.of()), IndexCommand::drop, out, err);
      case "query":
        return run(
            conf,
            new Arguments(words, Set.of("--json"), Set.of("--select", "--from", "--to", "--limit", "--timeout")),
            QueryCommand::query,
            out,
            err);
      case "verify":
        return run(
            conf,
            new Arguments(words, Set.of("--json", "--repair"), Set.of("--one-in", "--threads")),
            VerifyCommand::verify,
            out,
            err);
      case "stats":
        return run(conf, new Arguments(words, Set.of("--json"), Set.of()), StatsCommand::stats, out, err);
      default:
        throw new UsageException("no command is named " + Text.print(typed.get(at)));
    }
  }

  private static void set(Configuration conf, String setting) throws UsageException {
    int equals = setting.indexOf('=');
    if (equals <= 0) {
      throw new UsageException("-D needs KEY=VALUE; got \"" + Text.print(setting) + "\"");
    }
    conf.set(setting.substring(0, equals), setting.substring(equals + 1));
  }

  private interface Command {
    /** Reads the arguments, asks no server, and returns what is to be done. */
    Action read(Arguments arguments) throws UsageException;
  }

  /** What a command does on a cluster. */
  interface Action {
    /** Returns the exit status. */
    int run(Session session) throws IOException, InterruptedException, Failure;
  }

  private static int run(Configuration conf, Arguments arguments, Command command, OutputStream out, PrintStream err)
      throws UsageException {
    String table = arguments.table();
    Action action = command.read(arguments);
    try (Session session = new Session(conf, table, out, err)) {
      try {
        return action.run(session);
      } finally {
        session.flush();
      }
    } catch (Failure e) {
      err.println("trommel-hbase: " + Text.print(table) + ": " + e.getMessage());
    } catch (IOException e) {
      err.println("trommel-hbase: " + Text.print(table) + ": " + reason(e));
    } catch (InterruptedException e) {
      err.println("trommel-hbase: " + Text.print(table) + ": interrupted");
    }
    return FAILED;
  }

  /** Returns why, in one line: HBase wraps what a server said, and puts stack traces into messages. */
  static String reason(IOException e) {
    Throwable cause = e;
    while (cause instanceof RetriesExhaustedException && cause.getCause() instanceof IOException) {
      cause = cause.getCause();
    }
    String message = cause.getMessage() == null ? "" : cause.getMessage().lines().findFirst().orElse("");
    message = message.replaceFirst("^(?:[a-z0-9]+\\.)+[A-Z]\\w+: ", "");
    return message.isEmpty() ? cause.getClass().getSimpleName() : message;
  }
}
