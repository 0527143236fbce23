package trommel.hbase;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Names a value of an indexed column in generations and segments. Different values may share a key, so a key finds
 * rows too many, never too few: each row is verified by a get.
 *
 * <pre>
 *   attribute | length, at most 64 | value                            a short value, as it is
 *   attribute | 0xFE | length (4) | CRC-32C (4) | CRC-32 (4)          a longer one, so that it costs 14 bytes
 *   attribute | 0xFF | length (4)                                     one that is in a MOB file: it is not read again
 * </pre>
 */
final class ValueKey {
  /** Keys of values are at most so long. */
  static final int MAX_BYTES = 66;

  private static final int LONGEST_LITERAL = 64;
  private static final byte DIGEST = (byte) 0xFE;
  private static final byte MOB = (byte) 0xFF;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  // Random, so that values cannot be chosen to fall into one place of a hash table.
  private static final long SEED = ThreadLocalRandom.current().nextLong();

  private ValueKey() {}

  static byte[] of(int attribute, byte[] value) {
    if (value.length > LONGEST_LITERAL) {
      return digest(attribute, value, 0, value.length);
    }
    byte[] key = literal(attribute, value.length);
    System.arraycopy(value, 0, key, 2, value.length);
    return key;
  }

  static byte[] of(int attribute, Cell cell) {
    int length = cell.getValueLength();
    if (length > LONGEST_LITERAL) {
      return digest(attribute, cell.getValueArray(), cell.getValueOffset(), length);
    }
    byte[] key = literal(attribute, length);
    CellUtil.copyValueTo(cell, key, 2);
    return key;
  }

  /** Returns the key of all values of this length that are in MOB files. */
  static byte[] ofMob(int attribute, int length) {
    byte[] key = {(byte) attribute, MOB, 0, 0, 0, 0};
    Bytes.putInt(key, 2, length);
    return key;
  }

  /** Returns the keys under which a value may be. */
  static byte[][] all(int attribute, byte[] value) {
    return new byte[][] {of(attribute, value), ofMob(attribute, value.length)};
  }

  private static byte[] literal(int attribute, int length) {
    byte[] key = new byte[2 + length];
    key[0] = (byte) attribute;
    key[1] = (byte) length;
    return key;
  }

  private static byte[] digest(int attribute, byte[] value, int offset, int length) {
    CRC32C first = new CRC32C();
    CRC32 second = new CRC32();
    first.update(value, offset, length);
    second.update(value, offset, length);
    byte[] key = new byte[14];
    key[0] = (byte) attribute;
    key[1] = DIGEST;
    Bytes.putInt(key, 2, length);
    Bytes.putInt(key, 6, (int) first.getValue());
    Bytes.putInt(key, 10, (int) second.getValue());
    return key;
  }

  /** Returns a hash of a key; it differs between processes. */
  static int hash(byte[] bytes, int offset, int length) {
    long hash = SEED ^ length;
    int i = offset;
    for (int end = offset + length; i < end; i += 8) {
      long word = 0;
      if (end - i >= 8) {
        word = (long) LONGS.get(bytes, i);
      } else {
        for (int j = i; j < end; ++j) {
          word = word << 8 | bytes[j] & 0xFF;
        }
      }
      hash = (hash ^ word) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return (int) hash;
  }
}
