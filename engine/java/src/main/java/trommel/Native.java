package trommel;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Locale;

/**
 * The functions of libtrommel_jni, which has the C library inside, and how it is loaded: from the jar,
 * by way of a file with a fresh name, because a JVM loads a file for one class loader only.
 *
 * <p>A batch is passed as the five fields of {@link Keys}; addresses are those of {@link Handle}s that
 * the caller has entered, and arrays are as large as the callers have checked.
 */
final class Native {
  // What update, one and query are to do: the same numbers as in jni_keys.h.
  static final int INSERT = 0;
  static final int INSERT_IF_ABSENT = 1;
  static final int ERASE = 2;
  static final int ERASE_ALL = 3;
  static final int INSERT_AT = 4;
  static final int ERASE_AT = 5;
  static final int QUERY = 6;

  private static final int GLUE_VERSION = 1; // of the functions below, as in jni_keys.h
  private static final int ABI_VERSION = 1; // TROMMEL_C_ABI_VERSION

  private static final String PROBLEM = findProblem(); // null: it is loaded

  private Native() {}

  /**
   * Does nothing if the library is loaded.
   *
   * @throws UnsatisfiedLinkError saying what is wrong, each time, if it is not
   */
  static void requireLibrary() {
    if (PROBLEM != null) throw new UnsatisfiedLinkError(PROBLEM);
  }

  private static String findProblem() {
    try {
      String given = System.getProperty("trommel.library");
      if (given != null) {
        System.load(Paths.get(given).toAbsolutePath().toString());
      } else {
        loadFromJar();
      }
      int[] versions = versions();
      if (versions[0] == GLUE_VERSION && versions[1] == ABI_VERSION && versions[2] == ABI_VERSION) {
        return null;
      }
      return "libtrommel_jni is of another version of Trommel: glue " + versions[0] + ", compiled for ABI "
          + versions[1] + ", with a C library of ABI " + versions[2] + "; these classes need glue "
          + GLUE_VERSION + " and ABI " + ABI_VERSION
          + ": take classes and library from one jar, and unset the property trommel.library";
    } catch (IOException | UnsatisfiedLinkError e) {
      return "libtrommel_jni cannot be loaded: " + e.getMessage();
    }
  }

  private static void loadFromJar() throws IOException {
    String platform = platform();
    String resource = "native/" + platform + "/libtrommel_jni.so";
    try (InputStream library = Native.class.getResourceAsStream(resource)) {
      if (library == null) {
        throw new IOException("the jar has none for " + platform + " (no trommel/" + resource
            + "): build trommel-java on such a machine");
      }
      Path file = Files.createTempFile("libtrommel_jni", ".so");
      try {
        Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
        System.load(file.toString());
      } catch (IOException | UnsatisfiedLinkError e) {
        throw new IOException(e.getMessage() + " (it was unpacked into " + file.getParent()
            + "; the property java.io.tmpdir names another folder, if that has no space or is mounted"
            + " noexec)", e);
      } finally {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Returns the folder of the jar that has this machine's library: linux-x86_64. */
  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch");
    return system.replace(' ', '_') + "-" + (machine.equals("amd64") ? "x86_64" : machine);
  }

  /** Returns a file's name as the system's functions take it, with a zero byte behind it. */
  static byte[] fileName(Path path) {
    Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    byte[] name = path.toFile().getPath().getBytes(names);
    return Arrays.copyOf(name, name.length + 1);
  }

  /** Called by the library: returns what to throw for a code and a message. */
  static RuntimeException failure(int code, byte[] message) {
    return TrommelException.of(code, new String(message, StandardCharsets.UTF_8));
  }

  // Whatever makes an object comes through here, so that the others find the library loaded.
  static long createCounting(boolean isConcurrent, long capacity, double targetFpr, Digest digest) {
    requireLibrary();
    return newCounting(isConcurrent, capacity, targetFpr, digest.kind, digest.seed, digest.key);
  }

  static long createScalable(long firstCapacity, double targetFpr, long maxCapacity, Digest digest) {
    requireLibrary();
    return newScalable(firstCapacity, targetFpr, maxCapacity, digest.kind, digest.seed, digest.key);
  }

  static long createWindow(long window, int numBuckets, long capacity, double targetFpr, Digest digest) {
    requireLibrary();
    return newWindow(window, numBuckets, capacity, targetFpr, digest.kind, digest.seed, digest.key);
  }

  static long createColumns(int numColumns, long capacity, double targetFpr, Digest digest) {
    requireLibrary();
    return newColumns(numColumns, capacity, targetFpr, digest.kind, digest.seed, digest.key);
  }

  /** Returns GLUE_VERSION, the ABI that was compiled for, and that of the C library inside. */
  private static native int[] versions();

  static native void digests(int digest, long seed, byte[] secret, Object data, Object offsets,
      int kind, int start, int size, long[] digests);

  // jni_filters.c
  static native long newCounting(boolean isConcurrent, long capacity, double targetFpr, int digest,
      long seed, byte[] secret);

  static native long newScalable(long firstCapacity, double targetFpr, long maxCapacity, int digest,
      long seed, byte[] secret);

  static native long newWindow(long window, int numBuckets, long capacity, double targetFpr,
      int digest, long seed, byte[] secret);

  static native void free(long filter);

  static native void update(long filter, int operation, long time, Object data, Object offsets,
      int kind, int start, int size, long[] outcome);

  static native void eraseAllAt(long filter, Object data, Object offsets, int kind, int start,
      int size, long[] insertedAt, long[] outcome);

  static native void upsert(long filter, Object data, Object offsets, int kind, int start, int size,
      Filter.Existing existing, long[] outcome);

  static native long query(long filter, Object data, Object offsets, int kind, int start, int size,
      long[] maybePresent);

  static native void counts(long filter, Object data, Object offsets, int kind, int start, int size,
      long[] counts);

  static native boolean one(long filter, int operation, long time, long key, byte[] bytes);

  static native void merge(long filter, long other);

  static native void subtract(long filter, long other);

  static native void clear(long filter);

  static native void limitSideMemory(long filter, long limitBytes);

  static native boolean advance(long filter, long now);

  static native long now(long filter);

  static native int type(long filter);

  static native void stats(long filter, long[] numbers);

  // jni_files.c
  static native void save(long filter, byte[] name, byte[] metadata, int options);

  static native byte[] metadata(byte[] name);

  static native long load(byte[] source, boolean isName, int type, long memoryLimitBytes, byte[] secret);

  static native byte[] toBytes(long filter);

  static native void write(long filter, OutputStream out) throws IOException;

  // jni_columns.c
  static native long newColumns(int numColumns, long capacity, double targetFpr, int digest, long seed,
      byte[] secret);

  static native void freeColumns(long map);

  static native void openColumn(long map, int column);

  static native void closeColumn(long map, int column);

  static native boolean isOpen(long map, int column);

  static native void updateColumn(long map, int column, int operation, Object data, Object offsets,
      int kind, int start, int size, long[] outcome);

  static native void queryColumns(long map, Object data, Object offsets, int kind, int start, int size,
      long[] rows);

  static native boolean columnMayContain(long map, int column, long key, byte[] bytes);

  static native long numKeys(long map, int column);

  static native void columnStats(long map, long[] numbers);

  static native byte[] columnToBytes(long map, int column);

  static native void loadColumn(long map, int column, byte[] bytes);
}
