package trommel.hbase;

import org.apache.hadoop.hbase.client.Result;

/** An answer while it is made, and the limits of its rows, bytes and time, which all regions in it share. One thread. */
final class Page {
  final Answer answer = new Answer();
  final long deadline;
  private final Host host;
  private long bytes;

  Page(Host host) {
    this.host = host;
    deadline = System.nanoTime() + host.pageMilliseconds * 1_000_000;
  }

  void add(Result row) {
    answer.results.add(row);
    bytes += Result.getTotalSizeOfCells(row);
  }

  /** Returns whether the answer must end here. */
  boolean full() {
    return answer.results.size() >= host.pageRows || bytes >= host.pageBytes || System.nanoTime() - deadline >= 0;
  }

  /** Adds a range whose rows are all in the answer. */
  void add(Range range, Answer.How how) {
    answer.pieces.add(new Answer.Piece(range, how));
  }

  /** Takes back rows from this number on, whose region has failed after them. */
  void cut(int rows) {
    answer.results.subList(rows, answer.results.size()).clear();
  }
}
