package trommel.hbase;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;

/** What a region or a server answers: the rows of ranges that it names, and how it found them. */
final class Answer {
  /** How the rows of a piece were found. */
  enum How {
    INDEX,
    /** Some store file has no segment yet. */
    SCAN_UNBUILT,
    /** The server's memory for indexes is used up. */
    SCAN_MEMORY,
    /** There are none: no source of the region has the value, says the server's filter. */
    FILTER
  }

  /** A range whose rows are all in the answer. */
  static final class Piece {
    final Range range;
    final How how;

    Piece(Range range, How how) {
      this.range = range;
      this.how = how;
    }
  }

  /** In the order of the request's ranges; what is not in one of them is not answered. Of a status, the region's range. */
  final List<Piece> pieces = new ArrayList<>();
  /** Whether the page is full, so that the same server is to be asked for the rest. */
  boolean full;
  long candidates;
  /** The state, if that was asked for: entries, segment, generation and data bytes. */
  long[] state = {};
  final List<Result> results = new ArrayList<>();

  byte[] toBytes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(Request.VERSION);
    out.writeInt(pieces.size());
    for (Piece piece : pieces) {
      out.writeByte(piece.how.ordinal());
      Request.write(out, piece.range.from);
      Request.write(out, piece.range.stop);
    }
    out.writeBoolean(full);
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
      for (int i = in.readInt(); i > 0; --i) {
        How how = How.values()[in.readUnsignedByte()];
        answer.pieces.add(new Piece(new Range(Request.read(in), Request.read(in)), how));
      }
      answer.full = in.readBoolean();
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

  /** Returns what is left of a range without the answer's pieces. */
  List<Range> left(Range asked) {
    return asked.without(pieces.stream().map(piece -> piece.range).collect(Collectors.toList()));
  }
}
