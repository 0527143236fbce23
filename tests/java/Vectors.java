import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The test vectors of all languages. What the binding does not expose is skipped by name, and counted. */
final class Vectors {
  /** Options, types, kinds of keys and calls that the binding does not have. */
  private static final Set<String> NOT_EXPOSED = Set.of(
      "encoding", "slices", "preference", "power_of_two", "insert_only",
      "memory_limit", "blocks", "bits", // options
      "attributes", "int32", "size", "select", "type", "fold", "grow", "convert");

  private Vectors() {}

  static void run(Path root, Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(root.resolve("tests/vectors"))) {
      files = all.filter(file -> file.toString().matches(".*/[a-z_]+\\.txt")).sorted().collect(Collectors.toList());
    }
    Check.test("there are vectors", () -> Check.that(files.size() >= 8, files.toString()));
    for (Path file : files) {
      Check.test("vectors of " + file.getFileName(), () -> runFile(file, root, folder));
    }
  }

  private static void runFile(Path file, Path root, Path folder) throws IOException {
    VectorProgram program = new VectorProgram(root.resolve("engine/docs/samples"), folder.resolve("vector"));
    Map<String, Integer> skipped = new TreeMap<>();
    int numCalls = 0;
    int numWrong = 0;
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      ++number;
      if (line.isEmpty() || line.startsWith("#")) continue;
      String[] parts = line.split(" ->", 2);
      String wanted = parts.length == 1 ? "ok" : parts[1].trim();
      try {
        String got = program.run(parts[0]);
        ++numCalls;
        if (got.equals(wanted)) continue;
        System.err.println(file + ":" + number + ": " + got);
        ++numWrong;
      } catch (VectorProgram.Skipped e) {
        Check.that(NOT_EXPOSED.contains(e.getMessage()), "unknown: " + e.getMessage());
        skipped.merge(e.getMessage(), 1, Integer::sum);
      }
    }
    System.out.println(file.getFileName() + ": " + numCalls + " calls; not exposed: " + skipped);
    Check.equal(numWrong, 0);
    Check.that(numCalls >= 10, "most calls are made");
  }
}
