package trommel.hbase;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;

/** What a client sends: to a region, or to a server for all its regions of a table. */
final class Request {
  /** Both ends must have the same; it changes with any byte of requests and answers. */
  static final int VERSION = 2;

  enum Kind {
    /** Nothing: the cost of a call. */
    PING,
    /** Rows of these ranges that meet the conditions. A region is asked for one range. */
    QUERY,
    /** The state of a region's index. */
    STATUS
  }

  final Kind kind;
  final TableName table;
  final List<Range> ranges;
  final Map<Column, byte[]> conditions;
  final List<Column> selected;

  private Request(
      Kind kind, TableName table, List<Range> ranges, Map<Column, byte[]> conditions, List<Column> selected) {
    this.kind = kind;
    this.table = table;
    this.ranges = ranges;
    this.conditions = conditions;
    this.selected = selected;
  }

  /** Returns a request without a question. */
  static Request of(Kind kind, TableName table) {
    return new Request(kind, table, List.of(), Map.of(), List.of());
  }

  static Request query(
      TableName table, List<Range> ranges, Map<Column, byte[]> conditions, List<Column> selected) {
    return new Request(Kind.QUERY, table, ranges, conditions, selected);
  }

  byte[] toBytes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    out.writeByte(kind.ordinal());
    write(out, table.getName());
    out.writeInt(ranges.size());
    for (Range range : ranges) {
      write(out, range.from);
      write(out, range.stop);
    }
    out.writeInt(conditions.size());
    for (Map.Entry<Column, byte[]> condition : conditions.entrySet()) {
      write(out, condition.getKey().familyBytes());
      write(out, condition.getKey().qualifierBytes());
      write(out, condition.getValue());
    }
    out.writeInt(selected.size());
    for (Column column : selected) {
      write(out, column.familyBytes());
      write(out, column.qualifierBytes());
    }
    return bytes.toByteArray();
  }

  /** Reads a request of the same version; other bytes are refused with what to do. */
  static Request parse(byte[] bytes) throws DoNotRetryIOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new DoNotRetryIOException(
            "the request has version " + version + ", this server's trommel-hbase has " + VERSION
                + ": use the same release of trommel-hbase in clients and servers");
      }
      Kind kind = Kind.values()[in.readUnsignedByte()];
      TableName table = TableName.valueOf(read(in));
      List<Range> ranges = new ArrayList<>();
      byte[] last = {};
      for (int i = in.readInt(); i > 0; --i) {
        Range range = new Range(read(in), read(in));
        if (range.empty() || !ranges.isEmpty() && (last.length == 0 || Range.before(range.from, last))) {
          throw new DoNotRetryIOException("ranges of rows must not be empty, and be in order; got one " + range);
        }
        ranges.add(range);
        last = range.stop;
      }
      Map<Column, byte[]> conditions = new LinkedHashMap<>();
      for (int i = in.readInt(); i > 0; --i) {
        conditions.put(Column.of(read(in), read(in)), read(in));
        if (conditions.size() > RegionIndex.MAX_COLUMNS) {
          throw new DoNotRetryIOException("a query has at most " + RegionIndex.MAX_COLUMNS + " conditions, as columns have an index");
        }
      }
      List<Column> selected = new ArrayList<>();
      for (int i = in.readInt(); i > 0; --i) {
        selected.add(Column.of(read(in), read(in)));
      }
      return new Request(kind, table, ranges, conditions, selected);
    } catch (DoNotRetryIOException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new DoNotRetryIOException("not a request of trommel-hbase (" + bytes.length + " bytes)", e);
    }
  }

  static void write(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Reads what write wrote. A length that is not there in bytes is refused before memory is taken for it. */
  static byte[] read(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("a length of " + length + " with " + in.available() + " bytes left");
    }
    return in.readNBytes(length);
  }
}
