import java.util.LinkedHashMap;
import java.util.Map;
import trommel.ConcurrentFilter;
import trommel.CountingFilter;
import trommel.Filter;
import trommel.ScalableFilter;
import trommel.WindowFilter;

/** The types of filters: the list that tests of all types run over. A new type gets a line. */
final class Types {
  /** Makes an empty filter. */
  interface Maker {
    Filter make(long capacity, double targetFpr);
  }

  /** By the names that they have in vectors. */
  static final Map<String, Maker> MAKERS = makers();

  private Types() {}

  private static Map<String, Maker> makers() {
    Map<String, Maker> makers = new LinkedHashMap<>();
    makers.put("counting", CountingFilter::new);
    makers.put("concurrent", ConcurrentFilter::new);
    makers.put("scalable", ScalableFilter::new);
    makers.put("window", (capacity, targetFpr) -> new WindowFilter(1000, capacity, targetFpr));
    return makers;
  }

  /** Whether its keys expire, so that they are erased with their times. */
  static boolean expires(Filter filter) {
    return filter instanceof WindowFilter;
  }
}
