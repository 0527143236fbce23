import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import trommel.Keys;

/** The keys of a line of the test vectors, in all layouts that the binding takes. */
final class VectorKeys {
  private static final int MARGIN = 3; // entries before and behind the keys, which no call may read

  final boolean areDigests;
  final long[] integers; // null: strings
  final byte[][] strings;

  private VectorKeys(boolean areDigests, long[] integers, byte[][] strings) {
    this.areDigests = areDigests;
    this.integers = integers;
    this.strings = strings;
  }

  /** Parses what follows the name; null for a kind that the binding does not have. */
  static VectorKeys parse(List<String> words) {
    String kind = words.get(0);
    List<String> rest = words.subList(1, words.size());
    switch (kind) {
      case "int64": {
        long[] keys = new long[Integer.parseInt(rest.get(1))];
        for (int i = 0; i < keys.length; ++i) keys[i] = number(rest.get(0)) + i * number(rest.get(2));
        return new VectorKeys(false, keys, null);
      }
      case "digests": {
        long[] keys = new long[Integer.parseInt(rest.get(1))];
        long state = number(rest.get(0));
        for (int i = 0; i < keys.length; ++i) keys[i] = splitMix(state += 0x9E3779B97F4A7C15L);
        return new VectorKeys(true, keys, null);
      }
      case "digest":
        return new VectorKeys(
            true, rest.stream().mapToLong(word -> Long.parseUnsignedLong(word, 16)).toArray(), null);
      case "strings": {
        List<byte[]> keys = new ArrayList<>();
        for (long i = 0; i < number(rest.get(2)); ++i) {
          keys.add((rest.get(0) + (number(rest.get(1)) + i)).getBytes(StandardCharsets.UTF_8));
        }
        return new VectorKeys(false, null, keys.toArray(new byte[0][]));
      }
      case "bytes":
        return new VectorKeys(
            false, null, rest.stream().map(VectorKeys::fromHex).toArray(byte[][]::new));
      case "ramps":
        return new VectorKeys(false, null, rest.stream().map(VectorKeys::ramp).toArray(byte[][]::new));
      default:
        return null;
    }
  }

  static long number(String text) {
    return text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
  }

  static byte[] fromHex(String text) {
    if (text.equals("-")) return new byte[0];
    byte[] bytes = new byte[text.length() / 2];
    for (int i = 0; i < bytes.length; ++i) {
      bytes[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  private static byte[] ramp(String size) {
    byte[] bytes = new byte[Integer.parseInt(size)];
    for (int i = 0; i < bytes.length; ++i) bytes[i] = (byte) (i % 251);
    return bytes;
  }

  private static long splitMix(long z) {
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  int size() {
    return integers != null ? integers.length : strings.length;
  }

  /** Returns the keys in a layout of their kind, by turns. */
  Keys batch(int turn) {
    if (integers == null) return stringBatch(turn % 4);
    Keys keys = integerBatch(turn % 5);
    return areDigests ? keys.asDigests() : keys;
  }

  private Keys integerBatch(int turn) {
    int size = integers.length;
    if (turn == 0) return Keys.of(integers);
    if (turn == 1) {
      long[] wider = new long[size + 2 * MARGIN];
      System.arraycopy(integers, 0, wider, MARGIN, size);
      return Keys.of(wider, MARGIN, size);
    }
    if (turn == 2) return Keys.of(LongBuffer.wrap(integers));
    ByteBuffer bytes = ByteBuffer.allocateDirect(8 * (size + 2 * MARGIN)).order(ByteOrder.nativeOrder());
    LongBuffer longs = bytes.asLongBuffer();
    longs.position(MARGIN);
    longs.put(integers);
    longs.position(MARGIN);
    longs.limit(MARGIN + size);
    bytes.position(8 * MARGIN);
    bytes.limit(8 * (MARGIN + size));
    return turn == 3 ? Keys.of(longs) : Keys.of(bytes);
  }

  private Keys stringBatch(int turn) {
    if (turn == 0) return Keys.ofBytes(strings);
    int numBytes = 0;
    for (byte[] string : strings) numBytes += string.length;
    byte[] bytes = new byte[numBytes + 2 * MARGIN];
    int[] offsets = new int[strings.length + 1 + 2 * MARGIN];
    int end = MARGIN;
    for (int i = 0; i < strings.length; ++i) {
      offsets[MARGIN + i] = end;
      System.arraycopy(strings[i], 0, bytes, end, strings[i].length);
      end += strings[i].length;
    }
    offsets[MARGIN + strings.length] = end;
    if (turn == 1) return Keys.of(bytes, offsets, MARGIN, strings.length);
    // Offsets of buffers count from the position of the bytes.
    for (int i = 0; i <= strings.length; ++i) offsets[MARGIN + i] -= MARGIN;
    IntBuffer ints = IntBuffer.wrap(offsets);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (turn == 3) {
      ints = ByteBuffer.allocateDirect(4 * offsets.length).order(ByteOrder.nativeOrder()).asIntBuffer();
      ints.put(offsets);
      buffer = ByteBuffer.allocateDirect(bytes.length);
      buffer.put(bytes);
    }
    ints.position(MARGIN);
    ints.limit(MARGIN + strings.length + 1);
    buffer.position(MARGIN);
    buffer.limit(MARGIN + numBytes);
    return Keys.of(buffer, ints);
  }
}
