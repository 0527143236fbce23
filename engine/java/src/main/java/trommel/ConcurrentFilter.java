package trommel;

/** A counting filter whose updates run beside each other and beside queries. */
public final class ConcurrentFilter extends Filter {
  /** Makes an empty filter, as {@link CountingFilter#CountingFilter(long, double)}. */
  public ConcurrentFilter(long capacity, double targetFpr) {
    this(capacity, targetFpr, Digest.XXH3);
  }

  /** Makes an empty filter with this digest, as {@link CountingFilter#CountingFilter(long, double)}. */
  public ConcurrentFilter(long capacity, double targetFpr, Digest digest) {
    this(Native.createCounting(
        true, requireNotNegative(capacity, "capacity"), targetFpr, digest));
  }

  ConcurrentFilter(long address) {
    super(address, false);
  }
}
