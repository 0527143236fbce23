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

/** What a client sends to a region. */
final class Request {
  /** Both ends must have the same; it changes with any byte of requests and answers. */
  static final int VERSION = 1;

  enum Kind {
    /** Nothing: the cost of a call. */
    PING,
    /** Rows that meet the conditions. */
    QUERY,
    /** The state of the region's index. */
    STATUS
  }

  final Kind kind;
  final byte[] from;
  final byte[] stop;
  final Map<Column, byte[]> conditions;
  final List<Column> selected;

  private Request(
      Kind kind, byte[] from, byte[] stop, Map<Column, byte[]> conditions, List<Column> selected) {
    this.kind = kind;
    this.from = from;
    this.stop = stop;
    this.conditions = conditions;
    this.selected = selected;
  }

  static Request of(Kind kind, byte[] from) {
    return new Request(kind, from, new byte[0], Map.of(), List.of());
  }

  static Request query(byte[] from, byte[] stop, Map<Column, byte[]> conditions, List<Column> selected) {
    return new Request(Kind.QUERY, from, stop, conditions, selected);
  }

  byte[] toBytes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    out.writeByte(kind.ordinal());
    write(out, from);
    write(out, stop);
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
      byte[] from = read(in);
      byte[] stop = read(in);
      Map<Column, byte[]> conditions = new LinkedHashMap<>();
      for (int i = in.readInt(); i > 0; --i) {
        conditions.put(Column.of(read(in), read(in)), read(in));
      }
      List<Column> selected = new ArrayList<>();
      for (int i = in.readInt(); i > 0; --i) {
        selected.add(Column.of(read(in), read(in)));
      }
      return new Request(kind, from, stop, conditions, selected);
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
