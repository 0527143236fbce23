// A set of names that changes, from Java 17: the C ABI through names_jni.c.
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

/** Grows with its keys. Any number of threads may use it, until it is closed. */
final class Names implements AutoCloseable {
  static {
    System.loadLibrary("names_jni");
  }

  private static native long create();  // throws IllegalStateException
  private static native boolean insert(long filter, byte[] key);
  private static native boolean erase(long filter, byte[] key);
  private static native boolean mayContain(long filter, byte[] key);
  private static native void free(long filter);

  private final long filter = create();

  boolean insert(String key) { return insert(filter, key.getBytes(StandardCharsets.UTF_8)); }
  boolean erase(String key) { return erase(filter, key.getBytes(StandardCharsets.UTF_8)); }
  boolean mayContain(String key) { return mayContain(filter, key.getBytes(StandardCharsets.UTF_8)); }

  @Override
  public void close() { free(filter); }

  public static void main(String[] args) {
    try (Names names = new Names()) {
      long inserted = IntStream.range(0, 10000).filter(i -> names.insert("name-" + i)).count();
      long erased = IntStream.range(0, 5000).filter(i -> names.erase("name-" + i)).count();
      long present = IntStream.range(0, 20000).filter(i -> names.mayContain("name-" + i)).count();
      System.out.printf("inserted %d erased %d present %d%n", inserted, erased, present);
    }
  }
}
