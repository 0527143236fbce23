package trommel.hbase.command;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Column;

/**
 * Bytes as people type and read them: printable ASCII as it is, other bytes and the backslash as {@code \xNN}. What is
 * typed may also have other characters, which stand for their UTF-8.
 */
final class Text {
  private static final String ESCAPE = "\\x";

  private Text() {}

  /** Returns the bytes that a text stands for. */
  static byte[] parse(String text) throws UsageException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int at = 0; at < text.length(); ) {
      int character = text.codePointAt(at);
      if (character == '\\') {
        bytes.write(escaped(text, at));
        at += ESCAPE.length() + 2;
        continue;
      }
      if (character == '\uFFFD' || Character.getType(character) == Character.SURROGATE) {
        throw new UsageException("\"" + print(text) + "\" is not UTF-8: write bytes that are not text as \\xNN");
      }
      byte[] encoded = Character.toString(character).getBytes(StandardCharsets.UTF_8);
      bytes.write(encoded, 0, encoded.length);
      at += Character.charCount(character);
    }
    return bytes.toByteArray();
  }

  private static int escaped(String text, int at) throws UsageException {
    String digits = text.substring(at, Math.min(at + ESCAPE.length() + 2, text.length()));
    if (!digits.matches("\\\\x[0-9a-fA-F]{2}")) {
      throw new UsageException(
          "\"" + print(text) + "\": a backslash begins \\xNN, with two hexadecimal digits; it is itself written \\x5C");
    }
    return Integer.parseInt(digits.substring(ESCAPE.length()), 16);
  }

  /** Returns the text of bytes, which {@link #parse} reads. */
  static String of(byte[] bytes) {
    return Bytes.toStringBinary(bytes);
  }

  /** Returns the column that {@code family:qualifier} names. */
  static Column column(String text) throws UsageException {
    int colon = text.indexOf(':');
    if (colon <= 0) {
      throw new UsageException("a column is written family:qualifier; got \"" + print(text) + "\"");
    }
    return Column.of(parse(text.substring(0, colon)), parse(text.substring(colon + 1)));
  }

  /** Returns the text of a column, in which nothing looks like the {@code =} of a condition. */
  static String of(Column column) {
    return column.toString().replace("=", "\\x3D");
  }

  /** Returns what was typed, fit for a terminal. */
  static String print(String typed) {
    StringBuilder text = new StringBuilder();
    typed.codePoints().forEach(c -> text.appendCodePoint(Character.isISOControl(c) ? '?' : c));
    return text.toString();
  }
}
