package trommel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Objects;

/**
 * A batch of keys: a view of the caller's arrays or direct buffers. A key is an integer of 64 bits, a
 * string of bytes, or a digest of the caller's; it is the same key in every layout of its kind, and in
 * every language that Trommel has.
 *
 * <p>A view costs nothing to make, and may be used for any number of calls. A call reads what the
 * array or buffer holds at that time; do not write to it meanwhile, which would make other keys of
 * them and do nothing worse. Arrays are copied in chunks, so that no call delays a garbage
 * collection; direct buffers are read in place.
 *
 * <p>Thread safety: immutable.
 */
public final class Keys {
  static final int INT64 = 1; // as TROMMEL_KEYS_*
  static final int DIGESTS = 3;
  static final int BYTES = 4;
  private static final int DIRECT = 16; // in place, from a direct buffer

  final Object data; // long[] or byte[], or a direct buffer from its first key on
  final Object offsets; // int[], or a direct buffer; null without
  final int kind;
  final int start; // index of the first key in data or offsets
  final int size;

  private Keys(Object data, Object offsets, int kind, int start, int size) {
    this.data = data;
    this.offsets = offsets;
    this.kind = kind;
    this.start = start;
    this.size = size;
  }

  /** Returns the integers of an array. */
  public static Keys of(long... keys) {
    return new Keys(keys, null, INT64, 0, keys.length);
  }

  /**
   * Returns {@code size} integers of an array, from index {@code start} on.
   *
   * @throws IndexOutOfBoundsException if the array does not have them
   */
  public static Keys of(long[] keys, int start, int size) {
    Objects.checkFromIndexSize(start, size, keys.length);
    return new Keys(keys, null, INT64, start, size);
  }

  /**
   * Returns the integers of a buffer, from its position to its limit, as these are now.
   *
   * @throws IllegalArgumentException if it is a direct buffer of another byte order than the
   *     machine's, or neither direct nor with an array
   */
  public static Keys of(LongBuffer keys) {
    if (!keys.isDirect()) {
      if (!keys.hasArray()) throw noArray();
      return of(keys.array(), keys.arrayOffset() + keys.position(), keys.remaining());
    }
    requireNative(keys.order());
    return new Keys(keys.slice(), null, INT64 | DIRECT, 0, keys.remaining());
  }

  /**
   * Returns the integers in the bytes of a direct buffer, from its position to its limit, as these are
   * now.
   *
   * @throws IllegalArgumentException if the buffer is not direct, has another byte order than the
   *     machine's, or bytes that are no multiple of 8
   */
  public static Keys of(ByteBuffer keys) {
    requireNative(keys.order());
    if (!keys.isDirect()) {
      throw new IllegalArgumentException("the buffer must be direct: use a long[] or a LongBuffer");
    }
    if (keys.remaining() % 8 != 0) {
      throw new IllegalArgumentException(
          "the bytes of integers must be a multiple of 8; got " + keys.remaining());
    }
    return new Keys(keys.slice(), null, INT64 | DIRECT, 0, keys.remaining() / 8);
  }

  /**
   * Returns strings of bytes: key i has the bytes of {@code bytes} from {@code offsets[i]} to
   * {@code offsets[i + 1]}, so there is one offset more than keys.
   *
   * @throws IllegalArgumentException if there is no offset, or one is less than that before it
   * @throws IndexOutOfBoundsException if an offset is negative or beyond the bytes
   */
  public static Keys of(byte[] bytes, int[] offsets) {
    return of(bytes, offsets, 0, Math.max(offsets.length - 1, 0));
  }

  /**
   * Returns {@code size} strings of bytes, of which the first one begins at {@code offsets[start]}.
   *
   * @throws IllegalArgumentException if an offset is less than that before it
   * @throws IndexOutOfBoundsException if there are not {@code size + 1} offsets from there on, or one
   *     is negative or beyond the bytes
   */
  public static Keys of(byte[] bytes, int[] offsets, int start, int size) {
    checkOffsets(IntBuffer.wrap(offsets), start, size, bytes.length);
    return new Keys(bytes, offsets, BYTES, start, size);
  }

  /**
   * Returns the same of buffers: offsets count from the position of {@code bytes}, and are those from
   * the position to the limit of {@code offsets}, as both are now.
   *
   * @throws IllegalArgumentException if one of the buffers is direct and the other not, they have no
   *     array, or the offsets have another byte order than the machine's, or decrease
   * @throws IndexOutOfBoundsException if an offset is negative or beyond the bytes
   */
  public static Keys of(ByteBuffer bytes, IntBuffer offsets) {
    if (bytes.isDirect() != offsets.isDirect()) {
      throw new IllegalArgumentException("bytes and offsets must both be direct buffers, or neither");
    }
    IntBuffer own = offsets.slice();
    checkOffsets(own, 0, Math.max(own.limit() - 1, 0), bytes.remaining());
    if (bytes.isDirect()) {
      requireNative(offsets.order());
      return new Keys(bytes.slice(), own, BYTES | DIRECT, 0, own.limit() - 1);
    }
    if (!bytes.hasArray() || !offsets.hasArray()) throw noArray();
    int first = bytes.arrayOffset() + bytes.position();
    int[] moved = new int[own.limit()];
    for (int i = 0; i < moved.length; ++i) moved[i] = own.get(i) + first;
    return of(bytes.array(), moved);
  }

  /** Returns strings as their bytes in UTF-8, which are copied. */
  public static Keys ofStrings(Collection<String> keys) {
    byte[][] all = new byte[keys.size()][];
    int i = 0;
    for (String key : keys) all[i++] = key.getBytes(StandardCharsets.UTF_8);
    return ofBytes(all);
  }

  /**
   * Returns strings of bytes, which are copied.
   *
   * @throws IllegalArgumentException if there are more than 2^31 - 1 bytes
   */
  public static Keys ofBytes(byte[]... keys) {
    int[] offsets = new int[keys.length + 1];
    for (int i = 0; i < keys.length; ++i) {
      if (keys[i].length > Integer.MAX_VALUE - 8 - offsets[i]) {
        throw new IllegalArgumentException("a batch must have less than 2^31 bytes: cut it");
      }
      offsets[i + 1] = offsets[i] + keys[i].length;
    }
    byte[] bytes = new byte[offsets[keys.length]];
    for (int i = 0; i < keys.length; ++i) {
      System.arraycopy(keys[i], 0, bytes, offsets[i], keys[i].length);
    }
    return new Keys(bytes, offsets, BYTES, 0, keys.length);
  }

  /**
   * Returns the same integers as digests: 64-bit hashes of the caller's, which are used as they are.
   *
   * @throws IllegalArgumentException if these are not integers
   */
  public Keys asDigests() {
    if ((kind & ~DIRECT) == BYTES) {
      throw new IllegalArgumentException("digests are integers of 64 bits, not strings of bytes");
    }
    return new Keys(data, null, DIGESTS | kind & DIRECT, start, size);
  }

  /** Returns the number of keys. */
  public int size() {
    return size;
  }

  /** Returns the words of a bitmap for so many keys. */
  int numWords() {
    return (int) ((size + 63L) / 64);
  }

  private static void checkOffsets(IntBuffer offsets, int start, int size, int numBytes) {
    if (offsets.limit() == 0) {
      throw new IllegalArgumentException("there must be one offset more than keys; got none");
    }
    Objects.checkFromIndexSize(start, size, offsets.limit() - 1);
    int last = checkOffset(offsets.get(start), numBytes);
    for (int i = start + 1; i <= start + size; ++i) {
      int next = offsets.get(i);
      if (next < last) {
        throw new IllegalArgumentException(
            "offsets must not decrease; got " + next + " after " + last + " at index " + i);
      }
      last = next;
    }
    checkOffset(last, numBytes);
  }

  private static int checkOffset(int offset, int numBytes) {
    if (offset >= 0 && offset <= numBytes) return offset;
    throw new IndexOutOfBoundsException(
        "offsets must be between 0 and " + numBytes + ", the number of bytes; got " + offset);
  }

  private static void requireNative(ByteOrder order) {
    if (order != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          "the buffer's byte order must be the machine's; got " + order
              + ": use order(ByteOrder.nativeOrder())");
    }
  }

  private static IllegalArgumentException noArray() {
    return new IllegalArgumentException("the buffer must be direct or have an array: copy it");
  }
}
