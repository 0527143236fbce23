package trommel.hbase.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;

/** Asks the questions of a source in all three ways, and demands that all find the same rows. */
final class Asking implements AutoCloseable {
  private static final int SCANS = 4;  // The first of them is for warming up.
  private static final int ROUNDS = 31;
  private static final long WARM_NANOSECONDS = 20_000_000_000L;
  private static final long MOST_NANOSECONDS = 10_000_000_000L;

  private final Way[] ways;
  private final Map<Question, SortedSet<String>> expected = new LinkedHashMap<>();
  private final List<Question> questions;
  private boolean right = true;

  Asking(Configuration conf, Source source, List<String> indexed) throws IOException {
    ways = new Way[] {
      Way.scan(conf, source.table()), Way.index(conf, source.table(), false), Way.index(conf, source.table(), true)
    };
    questions =
        source.questions().stream()
            .map(Question::new)
            .filter(q -> StreamSupport.stream(q.attributes().spliterator(), false).allMatch(indexed::contains))
            .collect(Collectors.toList());
  }

  /** Returns whether all answers have been the same. */
  boolean right() {
    return right;
  }

  List<Question> questions() {
    return questions;
  }

  /** Asks by filtered scans, which are the truth for the other ways, and then by the index. */
  List<Figures> askAll() throws IOException {
    Map<Question, Figures> all = new LinkedHashMap<>();
    for (Question question : questions) {
      Figures figures = new Figures(question);
      all.put(question, figures);
      Demo.say("scanning for %s", question);
      for (int i = 0; i < SCANS; ++i) {
        Way.Answer answer = ways[Figures.SCAN].ask(question);
        expected.putIfAbsent(question, answer.rows);
        check(question, Figures.SCAN, answer);
        if (i > 0) {
          figures.add(Figures.SCAN, answer);
        }
      }
    }
    Demo.say("asking the index");
    warm();
    for (Question question : questions) {
      byIndex(question, all.get(question));
    }
    return new ArrayList<>(all.values());
  }

  /** Asks again by the index alone. */
  List<Figures> askIndex() throws IOException {
    warm();
    List<Figures> all = new ArrayList<>();
    for (Question question : questions) {
      all.add(new Figures(question));
      byIndex(question, all.get(all.size() - 1));
    }
    return all;
  }

  private void warm() throws IOException {
    for (long end = System.nanoTime() + WARM_NANOSECONDS; System.nanoTime() - end < 0; ) {
      for (Question question : questions) {
        ask(question, Figures.REGIONS);
        ask(question, Figures.SERVERS);
      }
    }
  }

  private void byIndex(Question question, Figures figures) throws IOException {
    long start = System.nanoTime();
    for (int round = 0; round < ROUNDS && System.nanoTime() - start < MOST_NANOSECONDS; ++round) {
      boolean serversFirst = round % 2 == 0;
      Way.Answer first = ask(question, serversFirst ? Figures.SERVERS : Figures.REGIONS);
      Way.Answer second = ask(question, serversFirst ? Figures.REGIONS : Figures.SERVERS);
      figures.add(serversFirst ? second : first, serversFirst ? first : second);
    }
  }

  /** Asks once, and compares the rows with those of the scan. */
  Way.Answer ask(Question question, int way) throws IOException {
    Way.Answer answer = ways[way].ask(question);
    check(question, way, answer);
    return answer;
  }

  private void check(Question question, int way, Way.Answer answer) {
    SortedSet<String> rows = expected.get(question);
    if (!answer.rows.equals(rows)) {
      right = false;
      System.out.printf(
          "WRONG: %s %s: %d rows instead of %d%n", question, Figures.WAYS[way], answer.rows.size(), rows.size());
    }
  }

  @Override
  public void close() throws IOException {
    for (Way way : ways) {
      way.close();
    }
  }
}
