package trommel.hbase;

import org.apache.hadoop.hbase.client.Result;

/** An answer while it is made, and the limits of its rows, bytes and time, which all regions in it share. One thread. */
final class Page {
  final Answer answer = new Answer();
  final long deadline;
  private final Host host;
  private long bytes;
  private int rowsBefore;
  private int piecesBefore;
  private long bytesBefore;
  private long candidatesBefore;
  private boolean fullBefore;

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

  /** Begins the part of another region, which {@link #cut} takes back. */
  void begin() {
    rowsBefore = answer.results.size();
    piecesBefore = answer.pieces.size();
    bytesBefore = bytes;
    candidatesBefore = answer.candidates;
    fullBefore = answer.full;
  }

  /** Takes back all that was added since {@link #begin}: the region has failed, before or after it named its range. */
  void cut() {
    answer.results.subList(rowsBefore, answer.results.size()).clear();
    answer.pieces.subList(piecesBefore, answer.pieces.size()).clear();
    bytes = bytesBefore;
    answer.candidates = candidatesBefore;
    answer.full = fullBefore;
  }
}
