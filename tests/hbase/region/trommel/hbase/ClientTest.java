package trommel.hbase;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.BytesBytesPair;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.Test;

/** The client against a connection without a cluster, whose servers do what a test wants. */
public class ClientTest {
  private interface Server {
    Answer answer(Request request) throws IOException;
  }

  private final Configuration conf = new Configuration(false);
  private Function<String, HRegionLocation> locations = row -> location("", "");
  private Server server = ClientTest::answer;
  private final AtomicInteger serverCalls = new AtomicInteger();
  private final AtomicInteger regionCalls = new AtomicInteger();

  private interface Calls {
    Object call(String method, Object[] arguments) throws Throwable;
  }

  private static <T> T fake(Class<T> type, Calls calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> calls.call(method.getName(), arguments)));
  }

  private CoprocessorRpcChannel channel(AtomicInteger count) {
    return fake(
        CoprocessorRpcChannel.class,
        (method, arguments) -> {
          count.incrementAndGet();
          Request request = Request.parse(((BytesBytesPair) arguments[2]).getFirst().toByteArray());
          try {
            return Wire.message(server.answer(request).toBytes());
          } catch (IOException e) {
            throw new com.google.protobuf.ServiceException(e);
          }
        });
  }

  private IndexedTable table() {
    Connection connection =
        fake(
            Connection.class,
            (method, arguments) -> {
              switch (method) {
                case "getConfiguration":
                  return conf;
                case "getRegionLocator":
                  return fake(
                      RegionLocator.class,
                      (m, a) -> m.equals("getRegionLocation") ? locations.apply(Bytes.toString((byte[]) a[0])) : null);
                case "getAdmin":
                  return fake(Admin.class, (m, a) -> m.equals("close") ? null : channel(serverCalls));
                case "getTable":
                  return fake(Table.class, (m, a) -> m.equals("close") ? null : channel(regionCalls));
                default:
                  throw new AssertionError(method);
              }
            });
    return new IndexedTable(connection, TestRegion.TABLE);
  }

  private static HRegionLocation location(String start, String end) {
    return new HRegionLocation(
        RegionInfoBuilder.newBuilder(TestRegion.TABLE)
            .setStartKey(Bytes.toBytes(start))
            .setEndKey(Bytes.toBytes(end))
            .build(),
        TestRegion.SERVER);
  }

  /** Answers all ranges, with the rows a and b. */
  private static Answer answer(Request request) {
    Answer answer = new Answer();
    for (Range range : request.ranges) {
      for (String row : new String[] {"a", "b"}) {
        if (range.has(Bytes.toBytes(row))) {
          Cell cell =
              CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
                  .setRow(Bytes.toBytes(row))
                  .setFamily(Bytes.toBytes("f"))
                  .setQualifier(Bytes.toBytes("a"))
                  .setTimestamp(1)
                  .setType(Cell.Type.Put)
                  .setValue(Bytes.toBytes("v"))
                  .build();
          answer.results.add(Result.create(List.of(cell)));
        }
      }
      answer.pieces.add(new Answer.Piece(range, Answer.How.INDEX));
    }
    return answer;
  }

  private static Query query() {
    return new Query().where("f:a", Bytes.toBytes("v"));
  }

  private static List<String> rows(IndexedTable table) throws IOException {
    List<String> rows = new ArrayList<>();
    try (IndexedRows all = table.query(query())) {
      for (Result row = all.next(); row != null; row = all.next()) {
        rows.add(Bytes.toString(row.getRow()));
      }
    }
    rows.sort(null);
    return rows;
  }

  /** HBase's client knows the first of two regions still, and finds for the second the one that both are now. */
  @Test
  public void regionsThatWereMergedGiveEachRowOnce() throws Exception {
    locations = row -> row.isEmpty() ? location("", "b") : location("", "");
    for (boolean servers : new boolean[] {true, false}) {
      conf.setBoolean("trommel.index.client.servers", servers);
      try (IndexedTable table = table()) {
        assertEquals(List.of("a", "b"), rows(table));
      }
    }
  }

  /**
   * Queries whose calls wait for a thread that another query has must not wait for ever; and what they give up, with
   * 10,000 calls each that have not begun, is no matter of the thread that closes the table.
   */
  @Test(timeout = 60_000)
  public void closingTheTableEndsAllQueries() throws Exception {
    conf.setInt("trommel.index.client.threads", 1);
    locations =
        row -> {
          int region = row.isEmpty() ? 0 : Integer.parseInt(row);
          return location(row, region == 9_999 ? "" : String.format("%05d", region + 1));
        };
    conf.setBoolean("trommel.index.client.servers", false);
    CountDownLatch never = new CountDownLatch(1);
    server = request -> waitFor(never);
    IndexedTable table = table();
    List<Thread> queries = new ArrayList<>();
    AtomicInteger failed = new AtomicInteger();
    for (int i = 0; i < 2; ++i) {
      Thread query = new Thread(() -> {
        try {
          rows(table);
        } catch (IOException e) {
          failed.incrementAndGet();
        }
      });
      query.setDaemon(true);
      query.start();
      while (query.getState() != Thread.State.WAITING) {
        Thread.sleep(5);
      }
      queries.add(query);
    }
    table.close();
    for (Thread query : queries) {
      query.join(10_000);  // Throws if closing has interrupted this thread.
      assertFalse(query.isAlive());
    }
    assertFalse(Thread.interrupted());
    assertEquals(2, failed.get());
  }

  /** Also a query with a time of its own, which a thread of the table's was to work on. */
  @Test
  public void aTableThatWasClosedAnswersNothing() throws Exception {
    IndexedTable table = table();
    Query[] queries = {query(), query().timeout(Duration.ofSeconds(10))};
    table.close();
    for (Query query : queries) {
      IOException e = assertThrows(IOException.class, () -> table.query(query).next());
      assertTrue(e.getMessage(), e.getMessage().endsWith("was closed"));
    }
    assertEquals(0, serverCalls.get());
  }

  /** A caller that is interrupted wants no answer of a server's regions, either. */
  @Test(timeout = 60_000)
  public void anInterruptedQueryAsksNothingMore() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    server = request -> {
      asked.countDown();
      return waitFor(new CountDownLatch(1));
    };
    Throwable[] end = {null};
    try (IndexedTable table = table()) {
      Thread query = new Thread(() -> {
        try {
          rows(table);
        } catch (IOException e) {
          end[0] = e;
        }
      });
      query.setDaemon(true);
      query.start();
      asked.await();
      query.interrupt();
      query.join(10_000);
    }
    assertTrue("" + end[0], end[0] instanceof InterruptedIOException);
    assertEquals(1, serverCalls.get());
    assertEquals(0, regionCalls.get());
  }

  private static Answer waitFor(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
    return answer(null);
  }
}
