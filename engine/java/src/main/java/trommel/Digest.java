package trommel;

import java.util.Objects;

/**
 * How keys become digests, which is part of a filter's identity: files keep it, and filters that are
 * merged must agree in it. SECURITY.md says what an attacker who chooses keys can do to each.
 *
 * <p>Thread safety: immutable.
 */
public final class Digest {
  private static final int KEY_BYTES = 16;

  /** XXH3 with seed 0: the default. */
  public static final Digest XXH3 = xxh3(0);

  /** Only digests are accepted as keys ({@link Keys#asDigests}). */
  public static final Digest CALLER = new Digest(3, 0, null);

  final int kind; // as TROMMEL_DIGEST_*
  final long seed;
  final byte[] key; // of SipHash; else null

  private Digest(int kind, long seed, byte[] key) {
    this.kind = kind;
    this.seed = seed;
    this.key = key;
  }

  /** Returns XXH3 with this seed, which files keep in the clear. */
  public static Digest xxh3(long seed) {
    return new Digest(2, seed, null);
  }

  /** Returns XXH64 with this seed; with seed 0 Parquet's rule. */
  public static Digest xxh64(long seed) {
    return new Digest(1, seed, null);
  }

  /**
   * Returns SipHash-1-3 under a secret key, against those who choose keys to do harm. Files do not
   * have the key.
   *
   * @param key 16 random bytes, which are copied
   * @throws IllegalArgumentException if it has another size
   */
  public static Digest sipHash(byte[] key) {
    return new Digest(4, 0, checkedKey(key).clone());
  }

  /**
   * Returns the digest of every key of a batch.
   *
   * @throws IllegalArgumentException for {@link #CALLER} and keys that are no digests
   */
  public long[] of(Keys keys) {
    Native.requireLibrary();
    long[] digests = new long[keys.size];
    Native.digests(kind, seed, key, keys.data, keys.offsets, keys.kind, keys.start, keys.size, digests);
    return digests;
  }

  static byte[] checkedKey(byte[] key) {
    if (Objects.requireNonNull(key, "key").length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "the secret key must have " + KEY_BYTES + " bytes; got " + key.length);
    }
    return key;
  }
}
