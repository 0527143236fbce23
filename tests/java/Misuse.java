import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import trommel.ColumnMap;
import trommel.ConcurrentFilter;
import trommel.CountingFilter;
import trommel.Digest;
import trommel.Filter;
import trommel.Keys;
import trommel.Outcome;
import trommel.ScalableFilter;
import trommel.TrommelException;

/** Misuse: an exception with a message that says what is wrong, nothing changed, and never a crash. */
final class Misuse {
  private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
  private static final Class<IndexOutOfBoundsException> BOUNDS = IndexOutOfBoundsException.class;
  private static final Class<NullPointerException> NULL = NullPointerException.class;
  private static final Class<IllegalStateException> STATE = IllegalStateException.class;

  private Misuse() {}

  static void run(Path folder) {
    Check.test("numbers that are not legal are refused, with the range", Misuse::numbers);
    Check.test("null is refused where something is required", Misuse::nulls);
    Check.test("keys that lie outside of their array or buffer are refused", Misuse::bounds);
    Check.test("buffers of another byte order, and some that are not direct, are refused", Misuse::buffers);
    Check.test("empty batches are answered, also by filters that are empty", Misuse::empty);
    Check.test("whatever is closed refuses every call, and closing again does nothing", Misuse::closed);
    Check.test("arrays for answers that are too short are refused", Misuse::answers);
    Check.test("filters that do not fit together do not merge", Misuse::merging);
    Check.test("an upsert whose function is wrong changes nothing", Misuse::upserts);
    Check.test("an upsert asks about keys that look present, and inserts what is absent", Misuse::rightUpsert);
    Check.test("files that cannot be had are IO errors, and names survive", () -> files(folder));
    Check.test("bytes cut at any length or with a wrong bit are refused, or a filter", Misuse::hostile);
    Check.test("a stream that fails passes its exception on", Misuse::streams);
  }

  private static void numbers() {
    double nan = Double.NaN;
    for (double rate : new double[] {nan, -1, 1, 2, Double.POSITIVE_INFINITY}) {
      for (Types.Maker type : Types.MAKERS.values()) {
        Check.fails(ILLEGAL, "target_fpr", () -> type.make(1000, rate));
      }
      Check.fails(ILLEGAL, "target_fpr", () -> new ColumnMap(10, 1000, rate));
    }
    Check.fails(ILLEGAL, "capacity must be 0 or more; got -5", () -> new CountingFilter(-5, 0.01));
    Check.fails(ILLEGAL, "capacity", () -> new ConcurrentFilter(0, 0.01));
    Check.fails(ILLEGAL, "firstCapacity must be 0 or more; got -1", () -> new ScalableFilter(-1, 0.01));
    Check.fails(ILLEGAL, "num_columns", () -> new ColumnMap(65_536, 1000, 0.01));
    Check.fails(ILLEGAL, "numColumns must be", () -> new ColumnMap(-1, 1000, 0.01));
    Check.fails(ILLEGAL, "between 1 and", () -> new CountingFilter(Long.MAX_VALUE, 0.01));
    Check.fails(TrommelException.class, "memory", () -> new CountingFilter(40_000_000_000L, 0.01));
    Check.fails(ILLEGAL, "must have 16 bytes; got 15", () -> Digest.sipHash(new byte[15]));
    try (CountingFilter counting = new CountingFilter(1000, 0.01);
        ColumnMap map = new ColumnMap(10, 1000, 0)) {
      Check.fails(ILLEGAL, "limitBytes must be", () -> counting.limitSideMemory(-1));
      Check.fails(ILLEGAL, "column must be 0 or more; got -1", () -> map.openColumn(-1));
      Check.fails(ILLEGAL, "column", () -> map.insert(3, Keys.of(1)));
      Check.fails(ILLEGAL, "column", () -> map.insert(3, Keys.of()));
      Check.fails(ILLEGAL, "column", () -> map.mayContain(10, 1));
      Check.fails(ILLEGAL, "column must be", () -> map.mayContain(Integer.MIN_VALUE, 1));
    }
    try (CountingFilter digests = new CountingFilter(1000, 0.01, Digest.CALLER)) {
      Check.fails(ILLEGAL, "digests", () -> digests.insert(Keys.of(1, 2)));
      Check.fails(ILLEGAL, "digests", () -> digests.mayContain(1));
      Check.equal(digests.insert(Keys.of(1, 2).asDigests()).numDone(), 2L);
    }
    Check.fails(ILLEGAL, "not strings", () -> Keys.ofBytes(new byte[1]).asDigests());
  }

  private static void nulls() {
    Check.fails(NULL, "", () -> new CountingFilter(1000, 0.01, null));
    Check.fails(NULL, "", () -> Keys.of((long[]) null));
    Check.fails(NULL, "", () -> Keys.of((LongBuffer) null));
    Check.fails(NULL, "", () -> Keys.of(null, new int[1]));
    Check.fails(NULL, "", () -> Keys.of(new byte[1], null));
    Check.fails(NULL, "", () -> Keys.ofStrings(Arrays.asList("a", null)));
    Check.fails(NULL, "", () -> Keys.ofBytes(new byte[1], null));
    Check.fails(NULL, "", () -> Digest.sipHash(null));
    Check.fails(NULL, "", () -> Filter.load(null, Path.of("a")));
    Check.fails(NULL, "", () -> Filter.load(Filter.class, null));
    Check.fails(NULL, "", () -> Filter.fromBytes(Filter.class, null));
    try (CountingFilter filter = new CountingFilter(1000, 0.01);
        ColumnMap map = new ColumnMap(10, 1000, 0)) {
      Check.fails(NULL, "", () -> filter.insert((Keys) null));
      Check.fails(NULL, "", () -> filter.query(null));
      Check.fails(NULL, "", () -> filter.query(Keys.of(1), null));
      Check.fails(NULL, "key", () -> filter.insert((byte[]) null));
      Check.fails(NULL, "key", () -> filter.mayContain((byte[]) null));
      Check.fails(NULL, "", () -> filter.upsert(Keys.of(1), null));
      Check.fails(NULL, "", () -> filter.merge(null));
      Check.fails(NULL, "", () -> filter.save(null));
      Check.fails(NULL, "", () -> filter.saveWith(null, Path.of("a")));
      Check.fails(NULL, "", () -> filter.writeTo(null));
      Check.fails(NULL, "", () -> map.query(null));
      Check.fails(NULL, "", () -> map.loadColumn(0, null));
      Check.equal(filter.stats().numKeys, 0L);
    }
  }

  private static void bounds() {
    long[] longs = new long[10];
    byte[] bytes = new byte[10];
    for (int[] wrong : new int[][] {{-1, 1}, {0, 11}, {10, 1}, {5, -1}, {Integer.MAX_VALUE, 1}, {1, Integer.MAX_VALUE}}) {
      Check.fails(BOUNDS, "", () -> Keys.of(longs, wrong[0], wrong[1]));
      Check.fails(BOUNDS, "", () -> Keys.of(bytes, new int[11], wrong[0], wrong[1]));
    }
    Check.equal(Keys.of(longs, 10, 0).size(), 0);
    Check.fails(BOUNDS, "between 0 and 10, the number of bytes; got 11", () -> Keys.of(bytes, new int[] {0, 11}));
    Check.fails(BOUNDS, "got -1", () -> Keys.of(bytes, new int[] {-1, 3}));
    Check.fails(BOUNDS, "", () -> Keys.of(bytes, new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE}));
    Check.fails(ILLEGAL, "must not decrease; got 1 after 2 at index 2", () -> Keys.of(bytes, new int[] {0, 2, 1}));
    Check.fails(ILLEGAL, "one offset more than keys", () -> Keys.of(bytes, new int[0]));
    // Offsets that a thread changes after they were checked: refused, and nothing is changed.
    int[] offsets = {0, 1, 2};
    Keys keys = Keys.of(bytes, offsets);
    try (CountingFilter filter = new CountingFilter(1000, 0.01)) {
      for (int[] changed : new int[][] {{0, 1, 1000}, {-5, 1, 2}, {2, 1, 0}, {0, 100, 2}, {0, -100, 2},
          {Integer.MIN_VALUE, 0, Integer.MAX_VALUE}, {5, 0, 5}}) {
        System.arraycopy(changed, 0, offsets, 0, 3);
        Check.fails(RuntimeException.class, "", () -> filter.insert(keys));
        Check.fails(RuntimeException.class, "", () -> filter.eraseAll(keys));
        Check.fails(RuntimeException.class, "", () -> filter.query(keys));
      }
      Check.equal(filter.stats().numKeys, 0L);
    }
  }

  private static void buffers() {
    ByteBuffer big = ByteBuffer.allocateDirect(80).order(
        ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    ByteBuffer own = ByteBuffer.allocateDirect(80).order(ByteOrder.nativeOrder());
    Check.fails(ILLEGAL, "use order(ByteOrder.nativeOrder())", () -> Keys.of(big));
    Check.fails(ILLEGAL, "byte order", () -> Keys.of(big.asLongBuffer()));
    Check.fails(ILLEGAL, "byte order", () -> Keys.of(own, big.asIntBuffer()));
    Check.fails(ILLEGAL, "must be direct", () -> Keys.of(ByteBuffer.allocate(80).order(ByteOrder.nativeOrder())));
    Check.fails(ILLEGAL, "multiple of 8; got 79", () -> Keys.of(own.duplicate().order(ByteOrder.nativeOrder()).limit(79)));
    Check.fails(ILLEGAL, "or neither", () -> Keys.of(own, IntBuffer.allocate(3)));
    Check.fails(ILLEGAL, "or neither", () -> Keys.of(ByteBuffer.allocate(3), own.asIntBuffer()));
    Check.fails(ILLEGAL, "copy it", () -> Keys.of(LongBuffer.allocate(3).asReadOnlyBuffer()));
    Check.fails(ILLEGAL, "one offset more", () -> Keys.of(own, own.asIntBuffer().limit(0)));
    IntBuffer beyond = own.asIntBuffer();
    beyond.put(new int[] {0, 81}).flip();
    Check.fails(BOUNDS, "got 81", () -> Keys.of(own, beyond));
    // A heap buffer whose array is longer on both sides.
    LongBuffer part = LongBuffer.wrap(new long[] {1, 2, 3, 4, 5}, 1, 3).slice();
    try (CountingFilter filter = new CountingFilter(1000, 0.0001)) {
      filter.insert(Keys.of(2, 3, 4));
      Check.equal(filter.query(Keys.of(part), new long[1]), 3L);
      Check.equal(filter.mayContain(1), false);
    }
  }

  /** Batches without keys, of every kind. */
  static Keys[] noKeys() {
    return new Keys[] {
      Keys.of(), Keys.of(new long[5], 5, 0), Keys.of(new byte[0], new int[1]), Keys.ofBytes(), Keys.ofStrings(List.of()),
      Keys.of(LongBuffer.allocate(0)), Keys.of(ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder())),
      Keys.of(ByteBuffer.allocateDirect(0), ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder()).asIntBuffer()),
      Keys.of().asDigests()
    };
  }

  private static void empty() {
    for (Types.Maker type : Types.MAKERS.values()) {
      try (Filter filter = type.make(1000, 0.01)) {
        for (Keys keys : noKeys()) {
          Check.equal(filter.insert(keys).numDone(), 0L);
          Check.equal(filter.insertIfAbsent(keys).bits().cardinality(), 0);
          Check.equal(filter.query(keys, new long[0]), 0L);
          Check.equal(filter.countEstimates(keys).length, 0);
          if (Types.expires(filter)) continue;
          Check.equal(filter.erase(keys).numRefused(), 0L);
          Check.equal(filter.eraseAll(keys).numRefused(), 0L);
          Check.equal(filter.upsert(keys, asked -> null).numDone(), 0L);
        }
        // The empty string is a key.
        Check.equal(filter.insert(new byte[0]), true);
        Check.equal(filter.query(Keys.ofBytes(new byte[0])).get(0), true);
      }
    }
    try (ColumnMap map = new ColumnMap(100, 1000, 0)) {
      map.openColumn(3);
      for (Keys keys : noKeys()) {
        Check.equal(map.insert(3, keys).numDone(), 0L);
        Check.equal(map.query(keys).length, 0);
        Check.equal(Digest.XXH3.of(keys).length, 0);
      }
    }
  }

  private static void closed() {
    for (Types.Maker type : Types.MAKERS.values()) closed(type.make(1000, 0.01));
  }

  private static void closed(Filter filter) {
    CountingFilter open = new CountingFilter(1000, 0.01);
    ColumnMap map = new ColumnMap(10, 1000, 0);
    Keys keys = Keys.of(1, 2, 3);
    filter.close();
    filter.close();
    map.close();
    map.close();
    List<Callable<?>> calls = List.of(
        () -> filter.insert(keys), () -> filter.insertIfAbsent(keys), () -> filter.erase(keys), () -> filter.eraseAll(keys),
        () -> filter.upsert(keys, asked -> asked), () -> filter.query(keys), () -> filter.query(keys, new long[1]),
        () -> filter.countEstimates(keys), () -> filter.mayContain(1), () -> filter.insert(new byte[1]),
        () -> filter.insert(1L), () -> filter.erase(1L), () -> filter.stats(),
        () -> filter.toBytes(), () -> map.isOpen(0), () -> map.insert(0, keys), () -> map.erase(0, keys),
        () -> map.query(keys), () -> map.mayContain(0, 1), () -> map.numKeys(0), () -> map.stats(),
        () -> map.columnToBytes(0));
    for (Callable<?> call : calls) Check.fails(STATE, "it is closed", call);
    List<Check.Body> bodies = List.of(
        () -> filter.clear(), () -> filter.merge(open), () -> filter.limitSideMemory(0), () -> filter.save(Path.of("x")),
        () -> filter.writeTo(OutputStream.nullOutputStream()), () -> open.merge(filter), () -> map.openColumn(0),
        () -> map.closeColumn(0), () -> map.loadColumn(0, new byte[1]));
    for (Check.Body body : bodies) Check.fails(STATE, "it is closed", body);
    Check.equal(open.insert(1L), true); // a merge that failed has let go of it
    open.close();
  }

  private static void answers() {
    try (CountingFilter filter = new CountingFilter(1000, 0.01);
        ColumnMap map = new ColumnMap(65, 1000, 0)) {
      Check.fails(ILLEGAL, "at least 2 words; got 1", () -> filter.query(Keys.of(new long[65]), new long[1]));
      Check.equal(map.rowWords(), 2);
      Check.fails(ILLEGAL, "at least 2 times 2 words; got 3", () -> map.query(Keys.of(1, 2), new long[3]));
    }
  }

  private static void merging() {
    try (CountingFilter a = new CountingFilter(1000, 0.01);
        CountingFilter b = new CountingFilter(5000, 0.01);
        ScalableFilter c = new ScalableFilter(1000, 0.01)) {
      a.insert(Keys.of(1));
      Check.fails(TrommelException.class, "", () -> a.merge(b));
      Check.fails(RuntimeException.class, "", () -> a.merge(c));
      Check.fails(ILLEGAL, "itself", () -> a.merge(a));
      Check.fails(ILLEGAL, "itself", () -> a.subtract(a));
      Check.equal(a.stats().numKeys, 1L);
    }
  }

  private static void upserts() {
    for (Filter filter : new Filter[] {new CountingFilter(1000, 0.01), new ConcurrentFilter(1000, 0.01), new ScalableFilter(1000, 0.01)}) {
      filter.insert(Keys.of(1, 2, 3));
      Keys keys = Keys.of(1, 2, 3, 4, 5, 6);
      Check.fails(NULL, "existing returned null", () -> filter.upsert(keys, asked -> null));
      Check.fails(ILLEGAL, "asked", () -> filter.upsert(keys, asked -> new int[] {-1}));
      Check.fails(ILLEGAL, "asked", () -> filter.upsert(keys, asked -> new int[] {5}));
      Check.fails(ILLEGAL, "100 indices; it was asked about 3", () -> filter.upsert(keys, asked -> new int[100]));
      Check.fails(ArithmeticException.class, "mine", () -> filter.upsert(keys, asked -> {
        throw new ArithmeticException("mine");
      }));
      Check.fails(STATE, "wait for itself", () -> filter.upsert(keys, asked -> {
        filter.close();
        return asked;
      }));
      Check.fails(STATE, "wait for itself", () -> filter.upsert(keys, asked -> {
        filter.clear();
        return asked;
      }));
      Check.equal(filter.stats().numKeys, 3L);
      Check.equal(filter.mayContain(5), false);
      filter.close();
    }
    // A query in the function: beside updates where queries run beside them.
    try (Filter concurrent = new ConcurrentFilter(1000, 0.01); Filter counting = new CountingFilter(1000, 0.01)) {
      concurrent.insert(7L);
      counting.insert(7L);
      boolean[] present = new boolean[1];
      concurrent.upsert(Keys.of(7), asked -> {
        present[0] = concurrent.mayContain(7);
        return asked;
      });
      Check.equal(present[0], true);
      Check.fails(STATE, "wait for itself", () -> counting.upsert(Keys.of(7), asked -> {
        counting.mayContain(7);
        return asked;
      }));
    }
  }

  private static void rightUpsert() {
    try (Filter filter = new ConcurrentFilter(10_000, 0.01)) {
      filter.insert(Keys.of(0, 2, 4));
      long[] keys = new long[5000];
      for (int i = 0; i < keys.length; ++i) keys[i] = i;
      Outcome outcome = filter.upsert(Keys.of(keys), asked -> Arrays.stream(asked).filter(i -> i < 5 && i % 2 == 0).toArray());
      Check.equal(outcome.numDone(), 4997L);
      Check.equal(outcome.bits().cardinality(), 4997);
      Check.equal(outcome.bits().get(4), false);
      Check.equal(filter.stats().numKeys, 5000L);
    }
  }

  private static void files(Path folder) throws IOException {
    // Characters that Java's own UTF-8 for native code spells otherwise; where names may have them.
    Path path = folder.resolve("filter");
    try {
      path = folder.resolve("f\u00e9\ud83d\ude00");
    } catch (java.nio.file.InvalidPathException e) {
      System.out.println("names of files are ASCII here: " + System.getProperty("sun.jnu.encoding"));
    }
    Path file = path;
    try (CountingFilter filter = new CountingFilter(1000, 0.01)) {
      filter.insert(Keys.of(1, 2, 3));
      filter.saveWith("mine".getBytes(StandardCharsets.UTF_8), file);
      Check.that(Files.exists(file), "the file has its name");
      Check.equal(new String(Filter.metadata(file), StandardCharsets.UTF_8), "mine");
      TrommelException[] caught = new TrommelException[1];
      Check.fails(TrommelException.class, "", () -> {
        try {
          filter.save(file, Filter.SaveOption.KEEP_EXISTING);
        } catch (TrommelException e) {
          caught[0] = e;
          throw e;
        }
      });
      Check.equal(caught[0].code(), TrommelException.Code.EXISTS);
      Check.that(caught[0].getMessage().contains(file.getFileName().toString()), caught[0].getMessage());
      filter.save(file, Filter.SaveOption.POINT_IN_TIME);
      try (Filter loaded = Filter.load(ConcurrentFilter.class, file)) {
        Check.equal(loaded.query(Keys.of(1, 2, 3), new long[1]), 3L);
      }
      Check.fails(TrommelException.class, "", () -> filter.save(folder.resolve("none/filter")));
      Check.fails(ILLEGAL, "65", () -> filter.saveWith(new byte[65_537], file));
      Check.fails(TrommelException.class, "", () -> Filter.load(ScalableFilter.class, file));
    } finally {
      Files.deleteIfExists(file);
    }
    Check.fails(TrommelException.class, "", () -> Filter.load(Filter.class, folder.resolve("none")));
    Check.fails(TrommelException.class, "", () -> Filter.load(Filter.class, folder));
    Check.fails(TrommelException.class, "", () -> Filter.metadata(folder.resolve("none")));
  }

  private static void hostile() {
    byte[] good;
    byte[] column;
    try (ScalableFilter filter = new ScalableFilter(1000, 0.01); ColumnMap map = new ColumnMap(10, 100, 0)) {
      filter.insert(Keys.of(1, 2, 3));
      good = filter.toBytes();
      map.openColumn(1);
      map.insert(1, Keys.of(1, 2, 3));
      column = map.columnToBytes(1);
      map.loadColumn(2, column);
      Check.equal(map.mayContain(2, 3), true);
      for (int size = 0; size < column.length; ++size) {
        byte[] cut = Arrays.copyOf(column, size);
        Check.fails(TrommelException.class, "", () -> map.loadColumn(3, cut));
      }
      Check.equal(map.isOpen(3), false);
    }
    for (int size = 0; size < good.length; size += size < 300 ? 1 : 997) {
      byte[] cut = Arrays.copyOf(good, size);
      Check.fails(TrommelException.class, "", () -> Filter.fromBytes(Filter.class, cut));
    }
    for (int bit = 0; bit < 8 * 160; ++bit) {
      byte[] wrong = good.clone();
      wrong[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        Filter.fromBytes(Filter.class, wrong).close(); // bytes that nothing reads
      } catch (TrommelException | IllegalArgumentException e) {
        Check.that(e.getMessage().length() > 10, "a message: " + e.getMessage());
      }
    }
    Check.fails(TrommelException.class, "", () -> Filter.fromBytes(Filter.class, good, 100, null));
    Check.fails(ILLEGAL, "16 bytes", () -> Filter.fromBytes(Filter.class, good, 0, new byte[3]));
    Check.fails(ILLEGAL, "memoryLimitBytes", () -> Filter.fromBytes(Filter.class, good, -1, null));
  }

  private static void streams() {
    try (CountingFilter filter = new CountingFilter(100_000, 0.01)) {
      Check.fails(IOException.class, "full", () -> filter.writeTo(new OutputStream() {
        private int numBytes;

        @Override
        public void write(int b) throws IOException {
          if (++numBytes > 70_000) throw new IOException("full");
        }
      }));
      Check.equal(filter.insert(1L), true); // it has let go
    }
  }
}
