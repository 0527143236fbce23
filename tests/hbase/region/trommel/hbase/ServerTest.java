package trommel.hbase;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What a server answers for all its regions. */
public class ServerTest {
  @Before
  public void countExactly() {
    ExactPairs.use();
  }

  @After
  public void openGates() {
    Gate.STEPS.clear();
    Gate.denied = false;
    ExactPairs.use();
  }

  private static TestRegion open(String... settings) throws Exception {
    return new TestRegion(InterleavingsTest.table(), settings);
  }

  private static int count(TestRegion t, String value) {
    return ExactPairs.last.count(t.observer().index(), value);
  }

  @Test
  public void withoutAFilterAnswersAreTheSame() throws Exception {
    ServerRegions.of(TestRegion.SERVER).filter(new PairFilter(capacity -> { throw new LinkageError("none here"); }, () -> null, Runnable::run));
    try (TestRegion t = open()) {
      t.put("r1", "f:a", "v");
      t.flush();
      t.put("r2", "f:a", "v");
      assertFalse(t.excluded("f:a", "none"));
      assertEquals(Set.of("r1", "r2"), t.serverRows("f:a", "v"));
      assertEquals(Set.of(), t.serverRows("f:a", "none"));
    }
  }

  @Test
  public void aFileWithoutACoverIsNotExcluded() throws Exception {
    try (TestRegion t = open("trommel.index.memory.mb", "0")) {
      t.put("r1", "f:a", "v");
      t.flush();
      assertFalse(t.excluded("f:a", "none"));
      assertEquals(Set.of("r1"), t.serverRows("f:a", "v"));
    }
  }

  @Test
  public void oneAnswerHasAllRegionsOfTheServerInPages() throws Exception {
    try (TestRegion t = open("trommel.index.page.rows", "2")) {
      t.region.close();
      byte[][] starts = {{}, Bytes.toBytes("b"), Bytes.toBytes("c"), {}};
      List<HRegion> regions = new ArrayList<>();
      Set<String> expected = new TreeSet<>();
      for (int i = 0; i < 3; ++i) {
        regions.add(t.create(starts[i], starts[i + 1]));
        for (int row = 0; row < 3; ++row) {
          String key = "abc".charAt(i) + "" + row;
          regions.get(i).put(TestRegion.cell(key, "f:a", "v"));
          expected.add(key);
        }
      }
      Answer first = TestRegion.askServer(new byte[0], TestRegion.where("f:a", "v"));
      assertEquals(2, first.results.size());
      assertTrue(first.full);
      assertEquals(expected, t.serverRows("f:a", "v"));
      Answer none = TestRegion.askServer(new byte[0], TestRegion.where("f:a", "none"));
      assertEquals(3, none.pieces.size());
      assertFalse(none.full);
      assertEquals(List.of(), none.left(new Range(new byte[0], new byte[0])));

      regions.get(1).close();
      List<Range> left =
          TestRegion.askServer(new byte[0], TestRegion.where("f:a", "none")).left(new Range(new byte[0], new byte[0]));
      assertEquals("the region that is not there", "[from \"b\" to \"c\"]", left.toString());
    }
  }

  @Test
  public void aRegionThatRefusesTheCallerIsNotInTheAnswer() throws Exception {
    try (TestRegion t = open()) {
      t.put("r", "f:a", "v");
      Gate.denied = true;
      for (String value : new String[] {"v", "none"}) {
        Answer answer = TestRegion.askServer(new byte[0], TestRegion.where("f:a", value));
        assertEquals(0, answer.pieces.size() + answer.results.size());
      }
    }
  }

  /** A region that fails in the middle of its rows gives none of them: the client asks it again for all. */
  @Test
  public void rowsOfARegionThatFailsAreTakenBack() throws Exception {
    try (TestRegion t = open()) {
      t.put("r1", "f:a", "v");
      t.put("r2", "f:a", "v");
      int[] gets = {0};
      Gate.STEPS.put(
          "preGet",
          () -> {
            if (++gets[0] == 2) {
              throw new IOException("a fault");
            }
          });
      Answer answer = TestRegion.askServer(new byte[0], TestRegion.where("f:a", "v"));
      assertEquals(2, gets[0]);
      assertEquals(0, answer.pieces.size() + answer.results.size());
    }
  }

  /** So does one that fails after it has named its range: else nothing would ask for its rows again. */
  @Test
  public void rangeOfARegionThatFailsAtTheEndIsTakenBack() throws Exception {
    try (TestRegion t = open()) {
      t.put("r1", "f:a", "v");
      Gate.STEPS.put("fault at the end of an operation", () -> {});
      Answer answer = TestRegion.askServer(new byte[0], TestRegion.where("f:a", "v"));
      assertEquals(List.of(), answer.results);
      assertEquals("still to be asked", 1, answer.left(new Range(new byte[0], new byte[0])).size());
      assertEquals(Set.of("r1"), t.serverRows("f:a", "v"));
    }
  }

  /** HBase then starts another observer of the region, tells the one before nothing, and leaves the endpoint with it. */
  @Test
  public void coprocessorsAreReadAgainWhileTheRegionIsOpen() throws Exception {
    try (TestRegion t = open()) {
      t.put("r1", "f:a", "v");
      IndexObserver before = t.observer();
      for (int i = 2; i < 4; ++i) {
        Configuration changed = new Configuration(t.conf);
        changed.set("hbase.coprocessor.user.region.classes", i == 2 ? Gate.class.getName() : "");
        t.region.onConfigurationChange(changed);
        assertNotSame(before, t.observer());
        t.put("r" + i, "f:a", "v");
        assertEquals(i, t.serverRows("f:a", "v").size());
        assertEquals(i, Answer.parse(before.answer(TestRegion.query(new byte[0], TestRegion.where("f:a", "v")))).results.size());
        assertEquals(i, t.rows("f:a", "v").size());
      }
      t.flush();
      t.awaitBuilt();
      t.put("r4", "f:a", "v");
      assertEquals(4, t.serverRows("f:a", "v").size());
    }
    assertEquals("the region is gone", 0, TestRegion.askServer(new byte[0], TestRegion.where("f:a", "v")).pieces.size());
    ExactPairs.last.checkEmpty();
  }

  /** A request of 10 bytes per range must not make a question of them for each of its conditions. */
  @Test
  public void aRegionIsAskedForOnceInAQuestionAndRangesAreInOrder() throws Exception {
    try (TestRegion t = open()) {
      t.put("r500", "f:a", "v");
      List<Range> ranges = new ArrayList<>();
      for (int i = 100; i < 1000; ++i) {
        ranges.add(new Range(Bytes.toBytes("r" + i), Bytes.toBytes("r" + i + "a")));
      }
      Answer answer = ask(ranges, TestRegion.where("f:a", "v"));
      assertEquals(1, answer.results.size());
      assertEquals(900, answer.pieces.size());
      assertEquals("pairs of one region", 2, ExactPairs.asked);
      assertRefused(List.of(ranges.get(1), ranges.get(0)), TestRegion.where("f:a", "v"), "in order");
      assertRefused(List.of(ranges.get(0), ranges.get(0)), TestRegion.where("f:a", "v"), "in order");
      assertRefused(List.of(new Range(Bytes.toBytes("b"), Bytes.toBytes("a"))), TestRegion.where("f:a", "v"), "empty");
      Map<Column, byte[]> many = new LinkedHashMap<>();
      for (int i = 0; i < 256; ++i) {
        many.put(Column.parse("f:" + i), new byte[1]);
      }
      assertRefused(ranges, many, "at most 255 conditions");
    }
  }

  private static Answer ask(List<Range> ranges, Map<Column, byte[]> conditions) throws IOException {
    byte[] request = Request.query(TestRegion.TABLE, ranges, conditions, List.of()).toBytes();
    return Answer.parse(new ServerIndex(TestRegion.SERVER).answer(request));
  }

  private static void assertRefused(List<Range> ranges, Map<Column, byte[]> conditions, String why) {
    IOException e = assertThrows(DoNotRetryIOException.class, () -> ask(ranges, conditions));
    assertTrue(e.getMessage(), e.getMessage().contains(why));
  }

  /** HBase starts the server's coprocessors before it asks the master, which may see the server under another name. */
  @Test
  public void theServerMayGetItsNameAfterItsCoprocessors() throws Exception {
    ServerName[] name = {ServerName.valueOf("by-its-own-view", 1, 1)};
    ServerIndex server = new ServerIndex();
    server.start(
        (RegionServerCoprocessorEnvironment)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RegionServerCoprocessorEnvironment.class},
                (proxy, method, arguments) -> name[0]));
    name[0] = TestRegion.SERVER;
    try (TestRegion t = open()) {
      t.put("r", "f:a", "v");
      byte[] request = TestRegion.query(new byte[0], TestRegion.where("f:a", "v"));
      assertEquals(1, Answer.parse(server.answer(request)).results.size());
    }
  }

  @Test
  public void anotherReplicaOnTheServerIsNotInTheRegionsPlace() throws Exception {
    try (TestRegion t = open()) {
      t.put("r", "f:a", "v");
      HRegion replica = t.open(RegionReplicaUtil.getRegionInfoForReplica(t.region.getRegionInfo(), 1), t.table);
      assertEquals(Set.of("r"), t.serverRows("f:a", "v"));
      replica.close();
      assertEquals(Set.of("r"), t.serverRows("f:a", "v"));
    }
  }

  /** Queries that look into no region are all there are: the segments of files that are compacted away must still go. */
  @Test
  public void aRegionThatIsAlwaysExcludedIsBuiltAnewAfterACompaction() throws Exception {
    try (TestRegion t = open()) {
      for (int i = 0; i < 2; ++i) {
        t.put("r" + i, "f:a", "v");
        t.flush();
        t.awaitBuilt();
      }
      assertTrue(t.excluded("f:a", "none"));
      t.region.compact(true);
      assertFalse(t.observer().builtCompletely());
      long end = System.nanoTime() + 30_000_000_000L;
      while (!t.observer().builtCompletely() && System.nanoTime() < end) {
        t.excluded("f:a", "none");
        Thread.sleep(5);
      }
      assertTrue(t.observer().builtCompletely());
      t.excluded("f:a", "none");
      assertTrue(t.excluded("f:a", "none"));
      assertEquals("one segment", 1, count(t, "v"));
    }
  }
}
