package trommel.hbase.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The packages that a Debian machine can install, from the output of {@code apt-cache dumpavail}: one row per package,
 * version and architecture. What the field Tag says of a role, a language or a use is an attribute, by its first tag.
 */
final class Packages implements Source {
  private static final List<String> ATTRIBUTES =
      List.of(
          "source", "maintainer", "section", "priority", "architecture", "host", "depends", "role", "implemented-in",
          "interface", "use");

  private final List<Put> rows = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();

  /** Reads a file of packages; none are there if it has none. */
  Packages(Path file) throws IOException {
    Map<String, Map<String, String>> byKey = new TreeMap<>();
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      Map<String, String> fields = new LinkedHashMap<>();
      String name = "";
      for (String line = lines.readLine(); ; line = lines.readLine()) {
        if (line == null || line.isEmpty()) {
          if (fields.containsKey("Package")) {
            byKey.put(
                fields.get("Package") + " " + fields.get("Version") + " " + fields.get("Architecture"), attributes(fields));
          }
          if (line == null) {
            break;
          }
          fields.clear();
        } else if (line.charAt(0) == ' ') {
          fields.merge(name, line, String::concat);
        } else if (line.indexOf(':') > 0) {
          name = line.substring(0, line.indexOf(':'));
          fields.put(name, line.substring(name.length() + 1).trim());
        }
      }
    }
    byKey.forEach(
        (key, attributes) -> {
          Put put = new Put(Bytes.toBytes(key));
          attributes.forEach((attribute, value) -> Source.add(put, attribute, value));
          rows.add(put);
          keys.add(key);
        });
  }

  private static Map<String, String> attributes(Map<String, String> fields) {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("source", first(fields.getOrDefault("Source", fields.get("Package"))));
    attributes.put("architecture", fields.get("Architecture"));
    attributes.put("maintainer", fields.get("Maintainer"));
    attributes.put("section", fields.get("Section"));
    attributes.put("priority", fields.get("Priority"));
    attributes.put("host", fields.getOrDefault("Homepage", "").replaceFirst("^[a-z]+://([^/:]*).*", "$1"));
    attributes.put("depends", first(fields.getOrDefault("Depends", "")));
    for (String tag : fields.getOrDefault("Tag", "").split(", *")) {
      int colons = tag.indexOf("::");
      if (colons > 0 && ATTRIBUTES.contains(tag.substring(0, colons))) {
        attributes.putIfAbsent(tag.substring(0, colons), tag.substring(colons + 2).trim());
      }
    }
    attributes.values().removeIf(value -> value == null || value.isEmpty());
    return attributes;
  }

  private static String first(String list) {
    return list.replaceFirst("[ ,(|:].*", "");
  }

  @Override
  public TableName table() {
    return TableName.valueOf("packages");
  }

  @Override
  public String noun() {
    return "package";
  }

  @Override
  public List<String> attributes() {
    return ATTRIBUTES;
  }

  @Override
  public long rows() {
    return rows.size();
  }

  @Override
  public Put row(long i) {
    return rows.get((int) i);
  }

  @Override
  public byte[][] splits(int regions) {
    return Source.cut(keys, regions);
  }

  @Override
  public List<String> questions() {
    return List.of(
        "source=rocksdb",
        "source=no-such-source",
        "depends=libtbb12",
        "host=hbase.apache.org",
        "section=science interface=graphical",
        "role=program implemented-in=haskell",
        "use=gameplaying interface=3d section=games");
  }
}
