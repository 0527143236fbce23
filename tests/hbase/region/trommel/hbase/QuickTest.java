package trommel.hbase;
import static org.junit.Assert.*;
import java.util.*;
import org.apache.hadoop.hbase.client.*;
import org.junit.Test;
public class QuickTest {
  @Test public void works() throws Exception {
    ColumnFamilyDescriptor[] f = {ColumnFamilyDescriptorBuilder.of("f"), ColumnFamilyDescriptorBuilder.of("g")};
    try (TestRegion t = new TestRegion(TestRegion.table(f, "f:a", "g:b").build())) {
      for (int i = 0; i < 1000; ++i) { t.put("r" + i, "f:a", "v" + i % 10); t.put("r" + i, "g:b", "w" + i % 7); }
      assertEquals(100, t.rows("f:a", "v3").size());
      assertEquals(Answer.How.INDEX, t.how("f:a", "v3"));
      t.flush();
      assertEquals(Answer.How.INDEX, t.how("f:a", "v3"));
      t.awaitBuilt();
      assertEquals(t.truth("f:a").get("v3"), t.rows("f:a", "v3"));
      Set<String> both = t.truth("f:a").get("v3"); both.retainAll(t.truth("g:b").get("w2"));
      assertEquals(both, t.rows("f:a", "v3", "g:b", "w2"));
      assertEquals(Set.of(), t.rows("f:a", "none"));
      t.reopen(t.table);
      assertEquals(t.truth("f:a").get("v3"), t.rows("f:a", "v3"));
      t.awaitBuilt();
      assertEquals(t.truth("f:a").get("v3"), t.rows("f:a", "v3"));
    }
  }
}
