import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The library in the jar: class loaders, what is left behind, and errors of loading. */
final class Loading {
  private Loading() {}

  static void run(Path folder, Path jar, Path otherVersion) {
    Check.test("each class loader has a library of its own, and no file is left", () -> classLoaders(jar));
    Check.test("a class loader that is not used any more gives its library back", () -> unloading(jar));
    Check.test("a jar without a library for the machine says so, each time", () ->
        refused(List.of("-Dos.arch=pdp11"), jar, "the jar has none for linux-pdp11"));
    Check.test("a library of another version is refused, with both versions", () ->
        refused(List.of("-Dtrommel.library=" + otherVersion), jar, "ABI 1, with a C library of ABI 7"));
    Check.test("a library that is none is refused", () ->
        refused(List.of("-Dtrommel.library=" + jar), jar, "cannot be loaded"));
    Check.test("a folder that cannot be written is named", () ->
        refused(List.of("-Djava.io.tmpdir=" + folder.resolve("none")), jar, "cannot be loaded"));
  }

  /** Makes a filter with classes that a loader of its own has loaded; returns whether it answers. */
  private static boolean useIn(ClassLoader loader) throws Exception {
    Class<?> type = Class.forName("trommel.CountingFilter", true, loader);
    try (AutoCloseable filter = (AutoCloseable) type.getConstructor(long.class, double.class).newInstance(1000L, 0.01)) {
      type.getMethod("insert", long.class).invoke(filter, 5L);
      return (boolean) type.getMethod("mayContain", long.class).invoke(filter, 5L)
          && !(boolean) type.getMethod("mayContain", long.class).invoke(filter, 6L);
    }
  }

  private static List<String> maps() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains("libtrommel_jni")).map(line -> line.substring(line.indexOf('/')))
          .distinct().collect(Collectors.toList());
    }
  }

  private static URLClassLoader loader(Path jar) throws IOException {
    return new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
  }

  private static void classLoaders(Path jar) throws Exception {
    int numBefore = maps().size();
    List<URLClassLoader> loaders = new ArrayList<>();
    for (int i = 0; i < 3; ++i) {
      loaders.add(loader(jar));
      Check.that(useIn(loaders.get(i)), "loader " + i + " has a filter that answers");
    }
    List<String> mapped = maps();
    Check.equal(mapped.size() - numBefore, 3);
    for (String name : mapped) Check.that(name.endsWith(" (deleted)"), name);
    for (URLClassLoader loader : loaders) Check.that(useIn(loader), "and still answers beside the others");
    for (URLClassLoader loader : loaders) loader.close();
  }

  private static void unloading(Path jar) throws Exception {
    for (int i = 0; i < 20; ++i) {
      try (URLClassLoader loader = loader(jar)) {
        useIn(loader);
      }
    }
    for (int i = 0; i < 100 && maps().size() > 5; ++i) {
      System.gc();
      Thread.sleep(50);
    }
    Check.that(maps().size() <= 5, "libraries mapped: " + maps().size());
  }

  /** Runs LoadTwice in a JVM of its own, which must say this twice. */
  private static void refused(List<String> options, Path jar, String message) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(options);
    command.addAll(List.of("-cp", jar + File.pathSeparator + System.getProperty("java.class.path"), "Loading"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    Check.equal(process.waitFor(), 0);
    Check.equal(said.split(java.util.regex.Pattern.quote(message), -1).length - 1, 2);
  }

  /** Tries to make a filter twice, and prints both errors. */
  public static void main(String[] args) {
    for (int i = 0; i < 2; ++i) {
      try {
        new trommel.CountingFilter(1000, 0.01).close();
        System.out.println("no error");
      } catch (UnsatisfiedLinkError e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
