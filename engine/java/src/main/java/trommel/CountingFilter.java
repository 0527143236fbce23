package trommel;

/**
 * A filter of one size. Its updates run alone; where threads update it beside queries, a
 * {@link ConcurrentFilter} does not make them wait.
 */
public final class CountingFilter extends Filter {
  /**
   * Makes an empty filter, with the default digest.
   *
   * @param capacity distinct keys to size for; more may be inserted, with a higher rate
   * @param targetFpr the false-positive rate at the capacity; 0: 0.01
   * @throws IllegalArgumentException naming the value and the legal range
   */
  public CountingFilter(long capacity, double targetFpr) {
    this(capacity, targetFpr, Digest.XXH3);
  }

  /** Makes an empty filter with this digest, as {@link #CountingFilter(long, double)}. */
  public CountingFilter(long capacity, double targetFpr, Digest digest) {
    this(Native.createCounting(
        false, requireNotNegative(capacity, "capacity"), targetFpr, digest));
  }

  CountingFilter(long address) {
    super(address, true);
  }

  /**
   * Subtracts the counts of {@code other}.
   *
   * @throws TrommelException MISMATCH, naming the field that differs
   * @throws IllegalArgumentException if a count would fall below zero
   */
  public void subtract(CountingFilter other) {
    withOther(other, Native::subtract);
  }
}
