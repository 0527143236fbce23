import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import trommel.ConcurrentFilter;
import trommel.Filter;
import trommel.Keys;

/**
 * ns per key of the Java binding, by batch size and by where the keys are: Batches [ROUNDS]. The filter
 * has 1,000,000 keys in 2.4 MB; half of the keys that are asked are in. Keys are drawn again for each
 * round outside of the clock, and each batch's answer is compared with the truth. Medians over rounds
 * [min..max]; the ways take turns within a round. tools/test-java --bench runs it.
 */
final class Batches {
  private static final int CAPACITY = 1_000_000;
  private static final int STRING_BYTES = 16;
  private static final int NUM_KEYS = 200_000; // asked per way, size and round
  private static final int[] SIZES = {1, 10, 100, 1_000, 10_000, 100_000};

  private Batches() {}

  /** One way to ask for the keys from index {@code from} on: returns how many are maybe present. */
  private interface Way {
    long ask(int from, int size);
  }

  public static void main(String[] args) {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 11;
    long[] members = new SplittableRandom(1).longs(CAPACITY).toArray();
    try (Filter integers = new ConcurrentFilter(CAPACITY, 0.01);
        Filter strings = new ConcurrentFilter(CAPACITY, 0.01)) {
      integers.insert(Keys.of(members));
      strings.insert(Keys.of(bytesOf(members), offsets(CAPACITY)));
      measure(integers, strings, members, rounds);
    }
  }

  private static int[] offsets(int size) {
    int[] offsets = new int[size + 1];
    for (int i = 0; i <= size; ++i) offsets[i] = i * STRING_BYTES;
    return offsets;
  }

  /** Strings of 16 bytes: the integer in hexadecimal. */
  private static byte[] bytesOf(long[] keys) {
    byte[] bytes = new byte[keys.length * STRING_BYTES];
    for (int i = 0; i < keys.length; ++i) {
      for (int j = 0; j < STRING_BYTES; ++j) {
        bytes[i * STRING_BYTES + j] = (byte) "0123456789abcdef".charAt((int) (keys[i] >>> 4 * j & 15));
      }
    }
    return bytes;
  }

  private static void measure(Filter integers, Filter strings, long[] members, int rounds) {
    SplittableRandom random = new SplittableRandom(2);
    long[] asked = new long[NUM_KEYS];
    byte[] bytes = new byte[NUM_KEYS * STRING_BYTES];
    int[] offsets = offsets(NUM_KEYS);
    LongBuffer longs = direct(8 * NUM_KEYS).asLongBuffer();
    ByteBuffer directBytes = direct(bytes.length);
    IntBuffer directOffsets = direct(4 * offsets.length).asIntBuffer();
    directOffsets.put(offsets).flip();
    byte[][] each = new byte[NUM_KEYS][STRING_BYTES];
    long[] answers = new long[(NUM_KEYS + 63) / 64];

    String[] names = {"long[]", "direct longs", "byte[], int[]", "direct bytes", "mayContain(long)", "mayContain(byte[])"};
    Way[] ways = {
      (from, size) -> integers.query(Keys.of(asked, from, size), answers),
      (from, size) -> {
        longs.limit(from + size).position(from);
        return integers.query(Keys.of(longs), answers);
      },
      (from, size) -> strings.query(Keys.of(bytes, offsets, from, size), answers),
      (from, size) -> {
        directOffsets.limit(from + size + 1).position(from);
        return strings.query(Keys.of(directBytes, directOffsets), answers);
      },
      (from, size) -> {
        long sum = 0;
        for (int i = from; i < from + size; ++i) sum += integers.mayContain(asked[i]) ? 1 : 0;
        return sum;
      },
      (from, size) -> {
        long sum = 0;
        for (int i = from; i < from + size; ++i) sum += strings.mayContain(each[i]) ? 1 : 0;
        return sum;
      },
    };
    double[][][] times = new double[ways.length][SIZES.length][rounds];
    for (int round = -3; round < rounds; ++round) { // the first three warm up
      int numMembers = 0;
      for (int i = 0; i < NUM_KEYS; ++i) {
        boolean isMember = random.nextBoolean();
        asked[i] = isMember ? members[random.nextInt(CAPACITY)] : random.nextLong();
        numMembers += isMember ? 1 : 0;
      }
      System.arraycopy(bytesOf(asked), 0, bytes, 0, bytes.length);
      longs.clear();
      longs.put(asked);
      directBytes.clear();
      directBytes.put(bytes).flip();
      for (int i = 0; i < NUM_KEYS; ++i) each[i] = Arrays.copyOfRange(bytes, i * STRING_BYTES, (i + 1) * STRING_BYTES);
      for (int s = 0; s < SIZES.length; ++s) {
        for (int turn = 0; turn < ways.length; ++turn) {
          int w = Math.floorMod(turn + round, ways.length); // the first one finds a colder cache
          long begin = System.nanoTime();
          long sum = 0;
          for (int from = 0; from < NUM_KEYS; from += SIZES[s]) sum += ways[w].ask(from, SIZES[s]);
          long end = System.nanoTime();
          if (sum < numMembers || sum > numMembers + 0.03 * NUM_KEYS) {
            throw new AssertionError(names[w] + ": " + sum + " present, but " + numMembers + " are in");
          }
          if (round >= 0) times[w][s][round] = (double) (end - begin) / NUM_KEYS;
        }
      }
    }
    System.out.printf("%-20s", "ns per key");
    for (int size : SIZES) System.out.printf(Locale.ROOT, "%,20d", size);
    System.out.println();
    for (int w = 0; w < ways.length; ++w) {
      System.out.printf("%-20s", names[w]);
      for (int s = 0; s < SIZES.length; ++s) {
        double[] sorted = times[w][s].clone();
        Arrays.sort(sorted);
        System.out.printf("%20s", String.format(Locale.ROOT, "%.1f [%.1f..%.1f]",
            sorted[rounds / 2], sorted[0], sorted[rounds - 1]));
      }
      System.out.println();
    }
  }

  private static ByteBuffer direct(int numBytes) {
    return ByteBuffer.allocateDirect(numBytes).order(ByteOrder.nativeOrder());
  }
}
