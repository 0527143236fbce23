package trommel.hbase.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What one question took by each way of asking. */
final class Figures {
  static final String[] WAYS = {"scan", "by regions", "by servers"};
  static final int SCAN = 0;
  static final int REGIONS = 1;
  static final int SERVERS = 2;

  /** Median and quartiles. */
  static final class Spread {
    final double quarter;
    final double median;
    final double threeQuarters;

    Spread(List<Double> numbers) {
      double[] sorted = numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      quarter = sorted[sorted.length / 4];
      median = sorted[sorted.length / 2];
      threeQuarters = sorted[sorted.length * 3 / 4];
    }
  }

  final Question question;
  int rows;
  final long[] calls = new long[WAYS.length];
  final long[] regions = new long[WAYS.length];
  private final List<List<Double>> milliseconds = new ArrayList<>();
  private final List<Double> ratios = new ArrayList<>();

  Figures(Question question) {
    this.question = question;
    Arrays.stream(WAYS).forEach(way -> milliseconds.add(new ArrayList<>()));
  }

  void add(int way, Way.Answer answer) {
    rows = answer.rows.size();
    calls[way] = answer.calls;
    regions[way] = answer.regions;
    milliseconds.get(way).add(answer.seconds * 1e3);
  }

  /** Adds a pair of the two ways by index, which were asked one after the other. */
  void add(Way.Answer regions, Way.Answer servers) {
    add(REGIONS, regions);
    add(SERVERS, servers);
    ratios.add(servers.seconds / regions.seconds);
  }

  boolean has(int way) {
    return !milliseconds.get(way).isEmpty();
  }

  Spread milliseconds(int way) {
    return new Spread(milliseconds.get(way));
  }

  /** Returns the median of the ratios of neighbours: asking servers to asking regions. */
  double toRegions() {
    return new Spread(ratios).median;
  }

  /** Returns the ratio of the medians: asking servers to a filtered scan. */
  double toScan() {
    return milliseconds(SERVERS).median / milliseconds(SCAN).median;
  }
}
