package trommel.hbase.command;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Writes maps, lists, numbers, truth values and ASCII texts as one line of JSON. */
final class Json {
  private Json() {}

  static String of(Object value) {
    if (value instanceof Map) {
      return ((Map<?, ?>) value)
          .entrySet().stream()
              .map(e -> quoted(e.getKey().toString()) + ": " + of(e.getValue()))
              .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof Iterable) {
      return StreamSupport.stream(((Iterable<?>) value).spliterator(), false)
          .map(Json::of)
          .collect(Collectors.joining(", ", "[", "]"));
    }
    return value instanceof Number || value instanceof Boolean ? value.toString() : quoted(String.valueOf(value));
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
              } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", c));
              } else {
                quoted.append((char) c);
              }
            });
    return quoted.append('"').toString();
  }
}
