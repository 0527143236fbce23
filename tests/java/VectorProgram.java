import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import trommel.ColumnMap;
import trommel.ConcurrentFilter;
import trommel.CountingFilter;
import trommel.Digest;
import trommel.Filter;
import trommel.Keys;
import trommel.Outcome;
import trommel.ScalableFilter;
import trommel.TrommelException;
import trommel.WindowFilter;

/** The state of one file of test vectors (tests/vectors/README.md), and the calls. */
final class VectorProgram {
  /** A line that needs what the binding does not expose; the message is its name. */
  static final class Skipped extends Exception {
    private static final long serialVersionUID = 1;

    Skipped(String name) {
      super(name);
    }
  }

  private static final Set<String> POLICY = Set.of("digest", "seed", "key");

  private final Path samples;
  private final Path scratch; // a file that does not exist between calls
  private final Map<String, VectorKeys> keys = new HashMap<>();
  private final Map<String, Filter> filters = new HashMap<>();
  private final Map<String, ColumnMap> maps = new HashMap<>();
  private final Map<String, Integer> numColumns = new HashMap<>();
  private final Map<String, byte[]> bytes = new HashMap<>();
  private final Map<String, String> unknown = new HashMap<>(); // names, and what they would have needed
  private int turn;

  VectorProgram(Path samples, Path scratch) {
    this.samples = samples;
    this.scratch = scratch;
  }

  /** Returns the result of a call. */
  String run(String call) throws Skipped, IOException {
    List<String> words = new ArrayList<>();
    Map<String, String> options = new HashMap<>();
    for (String word : call.split(" ")) {
      int equals = word.indexOf('=');
      if (equals < 0) {
        words.add(word);
      } else {
        options.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    String verb = words.get(0);
    List<String> args = words.subList(1, words.size());
    ++turn;
    try {
      if (args.isEmpty()) throw new Skipped(verb);
      String made = makes(verb, args);
      for (String arg : args) {
        if (unknown.containsKey(arg) && !arg.equals(made)) throw new Skipped(unknown.get(arg));
      }
      String result = dispatch(verb, args, options);
      if (made != null) unknown.remove(made);
      return result;
    } catch (Skipped e) {
      // What the call would have made, or changed, is not known from now on.
      String made = makes(verb, args);
      if (made != null || verb.matches("fold|grow|convert")) {
        unknown.put(made != null ? made : args.get(0), e.getMessage());
      }
      throw e;
    } catch (TrommelException e) {
      Check.that(!e.getMessage().isEmpty(), "an error has a message");
      return "error " + e.code().name().toLowerCase();
    } catch (IllegalArgumentException e) {
      Check.that(!e.getMessage().isEmpty(), "an error has a message");
      return "error invalid_argument";
    }
  }

  /** Returns the name that a call gives to something new; null if it does not. */
  private static String makes(String verb, List<String> args) {
    switch (verb) {
      case "keys": case "create": case "load": case "tuple_load": case "file": case "copy":
        return args.get(0);
      case "serialize": case "tuple_serialize":
        return args.get(1);
      case "column_serialize":
        return args.get(2);
      default:
        return null;
    }
  }

  private String dispatch(String verb, List<String> args, Map<String, String> options)
      throws Skipped, IOException {
    String name = args.get(0);
    Filter filter = filters.get(name);
    switch (verb) {
      case "keys": {
        VectorKeys made = VectorKeys.parse(args.subList(1, args.size()));
        if (made == null) throw new Skipped(args.get(1));
        keys.put(name, made);
        return "ok";
      }
      case "digests":
        return Arrays.stream(policy(options).of(batch(name))).mapToObj(d -> String.format("%016x", d))
            .collect(Collectors.joining(" "));
      case "create": return create(name, args.get(1), options);
      case "insert": {
        Outcome outcome = filter.insert(batch(args.get(1)));
        return update(outcome, args.get(1)) + (filter instanceof WindowFilter ? " time=" + outcome.time(0) : "");
      }
      case "insert_if_absent": {
        Outcome outcome = filter.insertIfAbsent(batch(args.get(1)));
        StringBuilder times = new StringBuilder();
        for (int i = 0; filter instanceof WindowFilter && i < keys.get(args.get(1)).size(); i += 2048) {
          times.append(i == 0 ? " time=" : " ").append(outcome.time(i));
        }
        return update(outcome, args.get(1)) + times;
      }
      case "erase": return update(filter.erase(batch(args.get(1))), args.get(1));
      case "erase_all": return update(filter.eraseAll(batch(args.get(1))), args.get(1));
      case "query": return query(filter, args.get(1));
      case "counts":
        return Arrays.stream(filter.countEstimates(batch(args.get(1)))).mapToObj(Long::toString)
            .collect(Collectors.joining(" "));
      case "insert_each": case "insert_if_absent_each": case "erase_each": case "query_each":
        return each(verb, filter, 0, args.get(1));
      case "insert_at_each": case "erase_at_each":
        return each(verb, filter, number(args.get(1)), args.get(2));
      case "advance": return window(name).advance(number(args.get(1))) ? "yes" : "no";
      case "now": return Long.toString(window(name).now());
      case "insert_at":
        return done(window(name).insert(batch(args.get(2)), number(args.get(1))));
      case "erase_at":
        return expired(window(name).erase(batch(args.get(2)), number(args.get(1))), args.get(2));
      case "erase_all_at":
        return expired(window(name).eraseAll(batch(args.get(2)), number(args.get(1))), args.get(2));
      case "merge": filter.merge(filters.get(args.get(1))); return "ok";
      case "subtract":
        ((CountingFilter) filter).subtract((CountingFilter) filters.get(args.get(1)));
        return "ok";
      case "clear": filter.clear(); return "ok";
      case "stats": return stats(filter);
      case "serialize": return keep(args.get(1), everyWay(filter));
      case "file": bytes.put(name, Files.readAllBytes(samples.resolve(args.get(1)))); return "ok";
      case "copy": bytes.put(name, bytes.get(args.get(1)).clone()); return "ok";
      case "cut": bytes.put(name, Arrays.copyOf(bytes.get(name), (int) number(args.get(1)))); return "ok";
      case "flip": bytes.get(name)[(int) number(args.get(1))] ^= VectorKeys.fromHex(args.get(2))[0]; return "ok";
      case "metadata": return keep(null, fromFile(bytes.get(name), Filter::metadata));
      case "load": return load(name, bytes.get(args.get(1)), options);
      case "open": maps.get(name).openColumn(Integer.parseInt(args.get(1))); return "ok";
      case "close": {
        int column = Integer.parseInt(args.get(1));
        maps.get(name).closeColumn(column);
        Check.that(!maps.get(name).isOpen(column), "it is closed");
        return "ok";
      }
      case "columns": return columns(name, args.get(1));
      case "column_insert":
        maps.get(name).insert(Integer.parseInt(args.get(1)), batch(args.get(2)));
        return "ok";
      case "column_erase": return done(maps.get(name).erase(Integer.parseInt(args.get(1)), batch(args.get(2))));
      case "column_keys": return "num_keys=" + maps.get(name).numKeys(Integer.parseInt(args.get(1)));
      case "column_stats": {
        ColumnMap.Stats stats = maps.get(name).stats();
        return "pairs=" + stats.numPairs + " slots=" + stats.numSlotsInUse + " elsewhere=" + stats.numPairsElsewhere;
      }
      case "column_query_each": return eachOfColumn(maps.get(name), Integer.parseInt(args.get(1)), args.get(2));
      case "column_serialize":
        return keep(args.get(2), maps.get(name).columnToBytes(Integer.parseInt(args.get(1))));
      case "column_load":
        maps.get(name).loadColumn(Integer.parseInt(args.get(1)), bytes.get(args.get(2)));
        return "ok";
      default:
        throw new Skipped(verb.startsWith("tuple_") ? "attributes" : verb);
    }
  }

  // --- Making and loading.

  private Digest policy(Map<String, String> options) {
    long seed = number(options.getOrDefault("seed", "0"));
    switch (options.getOrDefault("digest", "xxh3")) {
      case "xxh64": return Digest.xxh64(seed);
      case "caller": return Digest.CALLER;
      case "siphash": return Digest.sipHash(VectorKeys.fromHex(options.getOrDefault("key", "-")));
      default: return Digest.xxh3(seed);
    }
  }

  private String create(String name, String type, Map<String, String> options) throws Skipped {
    Set<String> known;
    switch (type) {
      case "counting": case "concurrent": known = Set.of("capacity", "fpr", "side_limit"); break;
      case "scalable": known = Set.of("first_capacity", "fpr", "max_capacity", "side_limit"); break;
      case "window": known = Set.of("window", "buckets", "capacity", "fpr", "side_limit"); break;
      case "column_map": known = Set.of("columns", "capacity", "fpr"); break;
      default: throw new Skipped(type);
    }
    for (String option : options.keySet()) {
      if (!known.contains(option) && !POLICY.contains(option)) throw new Skipped(option);
    }
    double fpr = Double.parseDouble(options.getOrDefault("fpr", "0"));
    long capacity = number(options.getOrDefault("capacity", "0"));
    Digest digest = policy(options);
    if (type.equals("column_map")) {
      int columns = (int) number(options.get("columns"));
      ColumnMap map = new ColumnMap(columns, capacity, fpr, digest);
      if (maps.containsKey(name)) maps.get(name).close();
      maps.put(name, map);
      numColumns.put(name, columns);
      return "ok";
    }
    Filter filter;
    if (type.equals("counting")) {
      filter = new CountingFilter(capacity, fpr, digest);
    } else if (type.equals("concurrent")) {
      filter = new ConcurrentFilter(capacity, fpr, digest);
    } else if (type.equals("scalable")) {
      filter = new ScalableFilter(
          number(options.getOrDefault("first_capacity", "0")), fpr,
          number(options.getOrDefault("max_capacity", "0")), digest);
    } else {
      filter = new WindowFilter(
          number(options.get("window")), (int) number(options.getOrDefault("buckets", "0")), capacity,
          fpr, digest);
    }
    try {
      if (options.containsKey("side_limit")) filter.limitSideMemory(number(options.get("side_limit")));
    } catch (RuntimeException e) {
      filter.close();
      throw e;
    }
    put(name, filter);
    return "ok";
  }

  private void put(String name, Filter filter) {
    Filter before = filters.put(name, filter);
    if (before != null) before.close();
  }

  private static final Map<String, Class<? extends Filter>> TYPES = Map.of(
      "counting", CountingFilter.class, "concurrent", ConcurrentFilter.class,
      "scalable", ScalableFilter.class, "window", WindowFilter.class, "any", Filter.class);

  /** From memory and from a file: both must be the same. */
  private String load(String name, byte[] from, Map<String, String> options) throws IOException {
    Class<? extends Filter> type = TYPES.get(options.getOrDefault("as", "any"));
    long limit = number(options.getOrDefault("limit", "0"));
    byte[] key = options.containsKey("key") ? VectorKeys.fromHex(options.get("key")) : null;
    Object whatFileSays = fromFile(from, file -> {
      try (Filter filter = Filter.load(type, file, limit, key)) {
        return filter.toBytes().length;
      } catch (RuntimeException e) {
        return e.getClass() + e.getMessage().replace("file", "");
      }
    });
    try {
      Filter filter = Filter.fromBytes(type, from, limit, key);
      Check.equal(whatFileSays, filter.toBytes().length);
      put(name, filter);
      return "ok";
    } catch (RuntimeException e) {
      Check.that(whatFileSays.toString().startsWith(e.getClass().toString()), e + " but of the file " + whatFileSays);
      throw e;
    }
  }

  /** What is done with a file. */
  private interface FromFile<T> {
    T of(Path file);
  }

  private <T> T fromFile(byte[] content, FromFile<T> action) throws IOException {
    Files.write(scratch, content);
    try {
      return action.of(scratch);
    } finally {
      Files.delete(scratch);
    }
  }

  /** The bytes of a filter, which must be the same in memory, in a stream and in a file. */
  private byte[] everyWay(Filter filter) throws IOException {
    byte[] made = filter.toBytes();
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    filter.writeTo(stream);
    Check.that(Arrays.equals(stream.toByteArray(), made), "the stream has the same bytes");
    filter.save(scratch, Filter.SaveOption.KEEP_EXISTING);
    Check.that(Arrays.equals(Files.readAllBytes(scratch), made), "the file has the same bytes");
    Files.delete(scratch);
    return made;
  }

  // --- Calls.

  private Keys batch(String name) {
    return keys.get(name).batch(turn);
  }

  private WindowFilter window(String name) {
    return (WindowFilter) filters.get(name);
  }

  private static long number(String text) {
    return VectorKeys.number(text);
  }

  private String query(Filter filter, String name) {
    Keys batch = batch(name);
    long[] words = new long[(batch.size() + 63) / 64 + 1];
    words[words.length - 1] = 77;
    long numPresent = filter.query(batch, words);
    Check.that(words[words.length - 1] == 77, "the word behind the bitmap is left alone");
    BitSet bits = filter.query(batch);
    Check.equal(BitSet.valueOf(Arrays.copyOf(words, words.length - 1)), bits);
    Check.equal((long) bits.cardinality(), numPresent);
    return "present=" + numPresent + " " + bits(bits, batch.size());
  }

  private String each(String verb, Filter filter, long time, String name) {
    VectorKeys each = keys.get(name);
    BitSet bits = new BitSet();
    for (int i = 0; i < each.size(); ++i) {
      boolean answer;
      if (each.areDigests) {
        answer = digest(verb, filter, time, Keys.of(each.integers, i, 1).asDigests());
      } else if (each.integers != null) {
        answer = integer(verb, filter, time, each.integers[i]);
      } else {
        answer = string(verb, filter, time, each.strings[i]);
      }
      bits.set(i, answer);
    }
    return (verb.equals("query_each") ? "present=" : "done=") + bits.cardinality() + " " + bits(bits, each.size());
  }

  private static boolean digest(String verb, Filter filter, long time, Keys one) {
    switch (verb) {
      case "insert_each": return filter.insert(one).numDone() == 1;
      case "insert_if_absent_each": return filter.insertIfAbsent(one).numDone() == 1;
      case "erase_each": return filter.erase(one).numDone() == 1;
      case "insert_at_each": return ((WindowFilter) filter).insert(one, time).numDone() == 1;
      case "erase_at_each": return ((WindowFilter) filter).erase(one, time).numDone() == 1;
      default: return filter.query(one).get(0);
    }
  }

  private static boolean integer(String verb, Filter filter, long time, long key) {
    switch (verb) {
      case "insert_each": return filter.insert(key);
      case "insert_if_absent_each": return filter.insertIfAbsent(key);
      case "erase_each": return filter.erase(key);
      case "insert_at_each": return ((WindowFilter) filter).insert(key, time);
      case "erase_at_each": return ((WindowFilter) filter).erase(key, time);
      default: return filter.mayContain(key);
    }
  }

  private static boolean string(String verb, Filter filter, long time, byte[] key) {
    switch (verb) {
      case "insert_each": return filter.insert(key);
      case "insert_if_absent_each": return filter.insertIfAbsent(key);
      case "erase_each": return filter.erase(key);
      case "insert_at_each": return ((WindowFilter) filter).insert(key, time);
      case "erase_at_each": return ((WindowFilter) filter).erase(key, time);
      default: return filter.mayContain(key);
    }
  }

  private String columns(String name, String keysName) {
    int numBytes = (numColumns.get(name) + 7) / 8;
    return Arrays.stream(maps.get(name).query(batch(keysName))).map(row -> hex(row, numBytes))
        .collect(Collectors.joining(" "));
  }

  private String eachOfColumn(ColumnMap map, int column, String name) {
    VectorKeys each = keys.get(name);
    BitSet bits = new BitSet();
    for (int i = 0; i < each.size(); ++i) {
      bits.set(i, each.integers != null
          ? map.mayContain(column, each.integers[i]) : map.mayContain(column, each.strings[i]));
    }
    return "present=" + bits.cardinality() + " " + bits(bits, each.size());
  }

  // --- Results.

  private static String done(Outcome outcome) {
    return "done=" + outcome.numDone() + " refused=" + outcome.numRefused();
  }

  private String update(Outcome outcome, String name) {
    return done(outcome) + " " + bits(outcome.bits(), keys.get(name).size());
  }

  private String expired(Outcome outcome, String name) {
    return done(outcome) + " expired=" + outcome.numExpired() + " " + bits(outcome.bits(), keys.get(name).size());
  }

  private static String stats(Filter filter) {
    trommel.Stats stats = filter.stats();
    String type = filter.getClass().getSimpleName().replace("Filter", "").toLowerCase();
    return "type=" + type + " num_keys=" + stats.numKeys + " capacity=" + stats.capacity + " parts="
        + stats.numParts + " refused_inserts=" + stats.numRefusedInserts + " refused_erases="
        + stats.numRefusedErases;
  }

  private String keep(String name, byte[] made) {
    if (name != null) bytes.put(name, made);
    return "size=" + made.length + " xxh64=" + xxh64(made);
  }

  private static String xxh64(byte[] data) {
    return String.format("%016x", Digest.xxh64(0).of(Keys.ofBytes(data))[0]);
  }

  private static String hex(BitSet bits, int numBytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : Arrays.copyOf(bits.toByteArray(), numBytes)) text.append(String.format("%02x", b));
    return text.toString();
  }

  private static String bits(BitSet bits, int size) {
    int numBytes = (size + 7) / 8;
    if (size > 1024) return "bits=xxh64:" + xxh64(Arrays.copyOf(bits.toByteArray(), numBytes));
    return "bits=" + (size == 0 ? "-" : hex(bits, numBytes));
  }
}
