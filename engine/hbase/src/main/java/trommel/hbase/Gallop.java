package trommel.hbase;

import java.util.function.IntPredicate;

/** Finds the next place in a sorted array, near the last one more often than not. */
final class Gallop {
  private Gallop() {}

  /**
   * Returns the first index in [from, end) with the property, or {@code end}; the property holds from some index on.
   * Cost: logarithmic in the distance from {@code from}.
   */
  static int first(int from, int end, IntPredicate property) {
    int low = from;
    int step = 1;
    int high = from;
    while (high < end && !property.test(high)) {
      low = high + 1;
      high = step < end - high ? high + step : end;
      step = step < 1 << 29 ? 2 * step : step;
    }
    while (low < high) {
      int middle = low + high >>> 1;
      if (property.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
