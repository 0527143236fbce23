package trommel.hbase.command;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.junit.Test;
import trommel.hbase.Column;

/** What trommel-hbase makes of what is typed, before it asks a cluster, and how it writes what it found. */
public class CommandLineTest {
  private static void refused(String expected, String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    assertEquals(Main.USAGE, Main.run(new Configuration(false), List.of(words), out, new PrintStream(err, true)));
    assertEquals("", out.toString());
    assertTrue(err.toString(), err.toString().contains(expected));
    assertEquals(err.toString(), 1, err.toString().lines().count());
  }

  @Test
  public void wrongUsageIsRefusedWithOneLineThatSaysWhy() {
    refused("COMMAND is missing");
    refused("no command is named ask", "ask", "shop");
    refused("no option before COMMAND is named --json", "--json", "stats", "shop");
    refused("-D needs KEY=VALUE; got \"key\"", "-D", "key", "stats", "shop");
    refused("TABLE is missing", "stats");
    refused("TABLE: ", "stats", "a b");
    refused("one argument too many: f:a", "verify", "shop", "f:a");
    refused("no option is named --all", "stats", "shop", "--all");
    refused("COLUMN is missing", "index", "shop");
    refused("a column is written family:qualifier; got \"city\"", "index", "shop", "city");
    refused("a condition is written COLUMN=VALUE; got \"f:a\"", "query", "shop", "f:a");
    refused("has a condition already", "query", "shop", "f:a=1", "f:a=2");
    refused("two hexadecimal digits", "query", "shop", "f:a=\\x0");
    refused("two hexadecimal digits", "query", "shop", "f:a=\\x-1");
    refused("two hexadecimal digits", "query", "shop", "f:a=C:\\temp");
    refused("is not UTF-8", "query", "shop", "f:a=\uFFFD");
    refused("--limit must be a whole number from 1", "query", "shop", "f:a=1", "--limit", "0");
    refused("--one-in must be a whole number from 1 to 2147483647; got \"x\"", "verify", "shop", "--one-in", "x");
    refused("--timeout needs a value", "query", "shop", "f:a=1", "--timeout");
  }

  @Test
  public void helpIsPrintedAndIsNoError() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(Main.DONE, Main.run(new Configuration(false), List.of("--help"), out, System.err));
    for (String command : List.of("index", "drop", "query", "verify", "stats")) {
      assertTrue(out.toString().contains("\n  " + command + " TABLE"));
    }
  }

  @Test
  public void everyByteIsWrittenAsItIsRead() throws UsageException {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; ++i) {
      all[i] = (byte) i;
    }
    assertArrayEquals(all, Text.parse(Text.of(all)));
    Column column = Column.of(new byte[] {'f', ' ', (byte) 200}, all);
    assertEquals(column, Text.column(Text.of(column)));
    assertEquals(-1, Text.of(column).indexOf('='));
    assertArrayEquals("Z\u00FCrich \uD83D\uDE00".getBytes(StandardCharsets.UTF_8), Text.parse("Z\u00FCrich \uD83D\uDE00"));
    assertArrayEquals(new byte[] {'a', (byte) 0xff, '\\'}, Text.parse("a\\xfF\\x5C"));
    assertThrows(UsageException.class, () -> Text.parse("\uD83D"));
  }

  @Test
  public void optionsMayStandAnywhereUntilTwoDashes() throws UsageException {
    Arguments arguments =
        new Arguments(
            List.of("--limit", "3", "shop", "--json", "f:a=1", "--limit", "4", "--", "--json"),
            Set.of("--json"), Set.of("--limit"));
    assertEquals("shop", arguments.table());
    assertEquals(List.of("f:a=1", "--json"), arguments.rest("COLUMN=VALUE"));
    assertEquals(4, arguments.number("--limit", 1, 10, 0));
    assertTrue(arguments.has("--json"));
  }

  @Test
  public void jsonIsEscaped() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("a\"\\\n", List.of(1, true, "x\t"));
    object.put("b", Map.of());
    assertEquals("{\"a\\\"\\\\\\u000a\": [1, true, \"x\\u0009\"], \"b\": {}}", Json.of(object));
  }

  @Test
  public void aReasonIsWhatTheServerSaidInOneLine() {
    IOException server = new IOException("org.apache.hadoop.hbase.DoNotRetryIOException: column f:x is not indexed\n\tat a.B.c(D.java)");
    assertEquals("column f:x is not indexed", Main.reason(server));
    assertEquals("column f:x is not indexed", Main.reason(new RetriesExhaustedException("after 3 attempts\n", server)));
    assertEquals("IOException", Main.reason(new IOException()));
  }

  @Test
  public void sizesHaveThreeDigits() {
    assertEquals("999 B", Regions.bytes(999));
    assertEquals("1.00 kB", Regions.bytes(1000));
    assertEquals("1.00 MB", Regions.bytes(999_600));
    assertEquals("153 MB", Regions.bytes(153_000_000));
    assertEquals("2.50 TB", Regions.bytes(2_500_000_000_000L));
  }
}
