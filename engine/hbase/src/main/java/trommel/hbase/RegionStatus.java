package trommel.hbase;

import org.apache.hadoop.hbase.util.Bytes;

/** The state of one region's index at one moment. Immutable. */
public final class RegionStatus {
  private final Answer answer;
  private final Answer.Piece region;

  RegionStatus(Answer answer) {
    this.answer = answer;
    this.region = answer.pieces.get(0);
  }

  /** Returns the region's first row key; empty: no bound. */
  public byte[] start() {
    return region.range.from.clone();
  }

  /** Returns the row key after the region's last; empty: no bound. */
  public byte[] end() {
    return region.range.stop.clone();
  }

  /** Returns whether every store file has a segment, so that queries are answered by the index. */
  public boolean built() {
    return region.how == Answer.How.INDEX;
  }

  /** Returns "built", or why queries are answered by a scan: "unbuilt" or "memory". */
  public String reason() {
    switch (region.how) {
      case INDEX:
        return "built";
      case SCAN_MEMORY:
        return "memory";
      default:
        return "unbuilt";
    }
  }

  /** Returns the entries of segments and generations; an entry may be in several of them. */
  public long entries() {
    return answer.state[0];
  }

  /** Returns the entries of segments. */
  public long segmentEntries() {
    return answer.state[1];
  }

  /** Returns the bytes of heap that segments take. */
  public long segmentBytes() {
    return answer.state[2];
  }

  /** Returns the bytes of values and row keys in segments; a value of many rows of a segment counts once. */
  public long dataBytes() {
    return answer.state[3];
  }

  /** Returns the bytes of heap that generations beside the memstore take. */
  public long generationBytes() {
    return answer.state[4];
  }

  @Override
  public String toString() {
    return "[" + Bytes.toStringBinary(region.range.from) + ", " + Bytes.toStringBinary(region.range.stop) + ") "
        + reason() + ": " + entries() + " entries; " + segmentEntries() + " in segments of " + segmentBytes()
        + " bytes for " + dataBytes() + " bytes of values and rows; generations " + generationBytes() + " bytes";
  }
}
