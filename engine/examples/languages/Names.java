// A set of names that changes, from Java 11: the binding (engine/java).
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import trommel.ScalableFilter;

final class Names {
  public static void main(String[] args) {
    try (ScalableFilter names = new ScalableFilter(0, 0)) { // the least size, and 0.01
      long inserted = IntStream.range(0, 10000).filter(i -> names.insert(name(i))).count();
      long erased = IntStream.range(0, 5000).filter(i -> names.erase(name(i))).count();
      long present = IntStream.range(0, 20000).filter(i -> names.mayContain(name(i))).count();
      System.out.printf("inserted %d erased %d present %d%n", inserted, erased, present);
    }
  }

  private static byte[] name(int i) {
    return ("name-" + i).getBytes(StandardCharsets.UTF_8);
  }
}
