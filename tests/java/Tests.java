import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Tests of the Java binding: Tests ROOT JAR OTHER_VERSION, with the jar on the class path. tools/test-java
 * runs them.
 */
final class Tests {
  private Tests() {}

  public static void main(String[] args) throws Exception {
    Path root = Paths.get(args[0]);
    Path folder = Files.createTempDirectory("trommel-java");
    Vectors.run(root, folder);
    Misuse.run(folder);
    Windows.run();
    Races.run();
    Loading.run(folder, Paths.get(args[1]), Paths.get(args[2]));
    Files.delete(folder);
    System.exit(Check.finish());
  }
}
