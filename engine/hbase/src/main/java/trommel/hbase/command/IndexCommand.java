package trommel.hbase.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.client.TableDescriptor;
import trommel.hbase.Column;
import trommel.hbase.IndexedTable;

/** {@code trommel-hbase index} and {@code drop}: alter a table's descriptor, and wait for its regions. */
final class IndexCommand {
  private IndexCommand() {}

  static Main.Action index(Arguments arguments) throws UsageException {
    Set<Column> wanted = columns(arguments.rest("COLUMN"));
    return session -> index(session, wanted);
  }

  static Main.Action drop(Arguments arguments) throws UsageException {
    Set<Column> unwanted = columns(arguments.rest(null));
    return session -> drop(session, unwanted);
  }

  private static Set<Column> columns(List<String> texts) throws UsageException {
    Set<Column> columns = new LinkedHashSet<>();
    for (String text : texts) {
      columns.add(Text.column(text));
    }
    return columns;
  }

  private static int index(Session session, Set<Column> wanted) throws IOException, InterruptedException, Failure {
    TableDescriptor before = session.descriptor();
    for (Column column : wanted) {
      if (!before.hasColumnFamily(column.family())) {
        throw new Failure(
            "column " + Text.of(column) + ": the table has no such family; it has "
                + before.getColumnFamilyNames().stream().map(Text::of).collect(Collectors.joining(", ")));
      }
    }
    if (!session.admin().isTableEnabled(session.table())) {
      throw new Failure("the table is disabled: enable it first");
    }
    long start = System.nanoTime();
    Set<Column> columns = new LinkedHashSet<>(Session.indexed(before));
    columns.addAll(wanted);
    TableDescriptor after = IndexedTable.index(before, columns.toArray(new Column[0]));
    if (!after.equals(before)) {
      alter(session, after, "opening regions with the index");
    }
    Regions regions = Regions.whenBuilt(session);
    session.print(
        String.format(
            Locale.ROOT, "%s indexed (%s) after %.1f s; %s", counted(columns.size(), "column"), texts(columns),
            (System.nanoTime() - start) / 1e9, regions.text()));
    return regions.built() == regions.all().size() ? Main.DONE : Main.NEGATIVE;
  }

  private static int drop(Session session, Set<Column> unwanted) throws IOException, InterruptedException, Failure {
    TableDescriptor before = session.descriptor();
    List<Column> left = new ArrayList<>();
    if (!unwanted.isEmpty()) {
      left.addAll(Session.indexed(before));
      for (Column column : unwanted) {
        if (!left.remove(column)) {
          throw new Failure("column " + Text.of(column) + " has no index; indexed are: " + texts(left));
        }
      }
    }
    TableDescriptor after =
        left.isEmpty() ? IndexedTable.unindex(before) : IndexedTable.index(before, left.toArray(new Column[0]));
    if (after.equals(before)) {
      throw new Failure("the table has no index");
    }
    alter(session, after, "opening regions without the index");
    session.print(left.isEmpty() ? "the table has no index any more" : "indexed are: " + texts(left));
    return Main.DONE;
  }

  /** Alters the table and waits until all of its regions were opened again. */
  private static void alter(Session session, TableDescriptor descriptor, String what)
      throws IOException, InterruptedException {
    Future<Void> altered = session.admin().modifyTableAsync(descriptor);
    long start = System.nanoTime();
    try (Progress progress = session.progress(what)) {
      while (true) {
        try {
          altered.get(200, TimeUnit.MILLISECONDS);
          return;
        } catch (TimeoutException e) {
          progress.draw(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + " s");
        }
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException ? (IOException) e.getCause() : new IOException(e.getCause());
    }
  }

  private static String texts(Iterable<Column> columns) {
    List<String> texts = new ArrayList<>();
    columns.forEach(column -> texts.add(Text.of(column)));
    return texts.isEmpty() ? "none" : String.join(" ", texts);
  }

  static String counted(long number, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
  }
}
