package trommel.hbase;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;

/** What a region answers: the rows of a range that it names, and how it found them. */
final class Answer {
  /** How the rows were found. */
  enum How {
    INDEX,
    /** Some store file has no segment yet. */
    SCAN_UNBUILT,
    /** The server's memory for indexes is used up. */
    SCAN_MEMORY
  }

  How how = How.INDEX;
  /** The region's range. */
  byte[] regionStart = {};
  byte[] regionEnd = {};
  /** Rows below this are answered; the rest is to be asked for from here on. Empty: the table's end. */
  byte[] to = {};
  long candidates;
  /** The state, if that was asked for: entries, segment, generation and data bytes. */
  long[] state = {};
  final List<Result> results = new ArrayList<>();

  byte[] toBytes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(Request.VERSION);
    out.writeByte(how.ordinal());
    Request.write(out, regionStart);
    Request.write(out, regionEnd);
    Request.write(out, to);
    out.writeLong(candidates);
    out.writeByte(state.length);
    for (long number : state) {
      out.writeLong(number);
    }
    out.writeInt(results.size());
    for (Result result : results) {
      Request.write(out, result.getRow());
      out.writeInt(result.size());
      for (Cell cell : result.rawCells()) {
        Request.write(out, CellUtil.cloneFamily(cell));
        Request.write(out, CellUtil.cloneQualifier(cell));
        out.writeLong(cell.getTimestamp());
        Request.write(out, CellUtil.cloneValue(cell));
      }
    }
    return bytes.toByteArray();
  }

  static Answer parse(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readUnsignedByte();
      if (version != Request.VERSION) {
        throw new IOException("the answer has version " + version + " instead of " + Request.VERSION);
      }
      Answer answer = new Answer();
      answer.how = How.values()[in.readUnsignedByte()];
      answer.regionStart = Request.read(in);
      answer.regionEnd = Request.read(in);
      answer.to = Request.read(in);
      answer.candidates = in.readLong();
      answer.state = new long[in.readUnsignedByte()];
      for (int i = 0; i < answer.state.length; ++i) {
        answer.state[i] = in.readLong();
      }
      for (int i = in.readInt(); i > 0; --i) {
        byte[] row = Request.read(in);
        Cell[] cells = new Cell[in.readInt()];
        for (int j = 0; j < cells.length; ++j) {
          cells[j] =
              CellBuilderFactory.create(CellBuilderType.SHALLOW_COPY)
                  .setRow(row)
                  .setFamily(Request.read(in))
                  .setQualifier(Request.read(in))
                  .setTimestamp(in.readLong())
                  .setType(Cell.Type.Put)
                  .setValue(Request.read(in))
                  .build();
        }
        answer.results.add(Result.create(cells));
      }
      return answer;
    }
  }

  /** Returns whether the region's range has the row. */
  boolean has(byte[] row) {
    return Arrays.compareUnsigned(regionStart, row) <= 0
        && (regionEnd.length == 0 || Arrays.compareUnsigned(row, regionEnd) < 0);
  }
}
