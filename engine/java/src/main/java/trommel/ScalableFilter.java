package trommel;

/**
 * A filter that grows with its keys, and keeps its rate at every size. Updates run beside each other
 * and beside queries.
 */
public final class ScalableFilter extends Filter {
  /**
   * Makes an empty filter, with the default digest.
   *
   * @param firstCapacity distinct keys of the first size
   * @param targetFpr the false-positive rate at every size; 0: 0.01
   * @throws IllegalArgumentException naming the value and the legal range
   */
  public ScalableFilter(long firstCapacity, double targetFpr) {
    this(firstCapacity, targetFpr, 0, Digest.XXH3);
  }

  /**
   * Makes an empty filter with a bound and a digest, as {@link #ScalableFilter(long, double)}.
   *
   * @param maxCapacity distinct keys beyond which it may refuse to grow; 0: 10^9, or firstCapacity
   */
  public ScalableFilter(long firstCapacity, double targetFpr, long maxCapacity, Digest digest) {
    this(Native.createScalable(
        requireNotNegative(firstCapacity, "firstCapacity"), targetFpr,
        requireNotNegative(maxCapacity, "maxCapacity"), digest));
  }

  ScalableFilter(long address) {
    super(address, false);
  }
}
