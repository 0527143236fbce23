/// @file
/// Digests: the 64 bits that a key's bytes are hashed to, once, and that filters work on.
#ifndef TROMMEL_DIGEST_H_
#define TROMMEL_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trommel/export.h"
#include "trommel/keys.h"

namespace trommel {

/// The hash function from keys to digests.
///
/// Two keys with the same digest are one key to a filter, and keys whose digests have the same top
/// bits share a block. Which function is safe depends on who chooses the keys:
/// @code{.unparsed}
///   digest                     what an attacker who chooses keys can do
///   -------------------------  ------------------------------------------------------------------
///   kXxh64 and kXxh3, seed     Everything, at no cost: XXH64 of 8 bytes can be inverted, so a key
///   known (0, or read from a   of any digest can be computed. Such a twin of another key is taken
///   file, where it stands in   for it: erasing the twin erases the other key, and inserting the
///   the clear)                 twin first makes dedup suppress the other line. Keys of one block
///                              overload it; keys of fresh positions raise the false-positive rate
///                              the fastest.
///   kXxh64, seed secret        Twins all the same. Every key whose length mod 32 is 16 to 31 has
///                              one that collides with it under every seed, because of where the
///                              seed enters the hash. A seed makes filters differ; it keeps nothing
///                              secret.
///   kXxh3, seed secret         Twins for some seeds: a published pair of keys collides under 1
///                              seed of about 1,400 (Cyan4973/xxHash, issue 1127), none under every
///                              seed. XXH3 with a seed is not a keyed function, and its authors do
///                              not claim that it is.
///   kCaller, Keys::Digests,    Whatever the caller's own hash allows. The filter uses these
///   Key::Digest                digests as they are, under every policy.
///   kSipHash, key secret       Nothing better than trial and error. A false positive can be found
///                              by querying, at the filter's rate, and Erase takes it for a key: a
///                              filter that an attacker may query should not erase keys that the
///                              attacker names.
/// @endcode
/// Use kSipHash for keys that an attacker may choose; the others are faster where none does. See
/// also SECURITY.md.
enum class DigestKind : uint8_t {
  kXxh64 = 0,   ///< XXH64; with seed 0 it is Parquet's rule.
  kXxh3 = 1,    ///< XXH3 with 64 bits: the default, because it is the fastest (hash_bench).
  kCaller = 2,  ///< Only the caller's own digests are accepted (Keys::Digests).
  /// SipHash-1-3 under a secret key of 128 bits: Aumasson and Bernstein, "SipHash: a fast
  /// short-input PRF" (INDOCRYPT 2012), with the rounds that the hash tables of Rust and Python
  /// use. The paper's 2-4 is for outputs that an attacker sees in full; a filter reveals answers
  /// only.
  kSipHash = 3,
};

/// Returns "xxh64", "xxh3", "caller" or "siphash"; "unknown" for any other value.
TROMMEL_API std::string_view DigestKindName(DigestKind kind) noexcept;

/// The secret key of a DigestKind::kSipHash policy, or none. It is never written to files and never
/// printed. Copies must be guarded alike; each overwrites its memory when it is destroyed.
class TROMMEL_API DigestKey {
 public:
  /// Bytes of a key.
  static constexpr size_t kNumBytes = 16;

  /// No key.
  DigestKey() noexcept = default;

  /// A key of these bytes. They must be random, as from /dev/urandom: neither a password nor
  /// anything else that can be guessed.
  explicit DigestKey(std::span<const std::byte, kNumBytes> bytes) noexcept;

  /// Copies the key.
  DigestKey(const DigestKey&) noexcept = default;
  /// Copies the key.
  DigestKey& operator=(const DigestKey&) noexcept = default;
  /// Overwrites the key's memory.
  ~DigestKey();

  /// Returns whether there is a key.
  bool is_given() const noexcept { return is_given_; }
  /// Returns the bytes as two little-endian integers, the paper's k0 and k1. Zeros if there is
  /// none.
  const std::array<uint64_t, 2>& words() const noexcept { return words_; }

 private:
  std::array<uint64_t, 2> words_ = {};
  bool is_given_ = false;
};

/// How keys become digests. Part of a filter's identity: stored in files, compared by merges.
struct TROMMEL_API DigestPolicy {
  DigestKind kind = DigestKind::kXxh3;  ///< The hash function.
  /// The seed, stored in files in the clear. With kSipHash it is the key's check value instead,
  /// which tells keys apart without revealing them: SipHash-1-3, under the key, of the string
  /// "trommel digest key check".
  uint64_t seed = 0;
  /// With kSipHash only. A policy without its key, as that of a file loaded without one, can be
  /// compared and merged, but cannot hash.
  DigestKey digest_key = {};

  /// Returns the kSipHash policy of this key, with its check value. Requires key.is_given().
  static DigestPolicy Keyed(const DigestKey& key) noexcept;

  /// Returns whether keys other than digests can be hashed: not with kCaller, and not with kSipHash
  /// without the key.
  bool can_hash() const noexcept;

  /// Returns the digest of one key. Key::Digest passes through unchanged; any other key requires
  /// can_hash().
  uint64_t operator()(Key key) const noexcept;

  /// Writes the digests of a batch, in order. Keys::Digests pass through unchanged; any other keys
  /// require can_hash(). Requires digests.size() == keys.size(), and that the digests do not
  /// overlap the keys (hashing in place is not possible). SIMD kernels hash integers, and strings
  /// under kSipHash. Thread safety: any thread.
  void Digests(Keys keys, std::span<uint64_t> digests) const noexcept;

  /// Whether the same keys have the same digests: kind and seed are equal. Check values stand for
  /// keys.
  friend bool operator==(const DigestPolicy& a, const DigestPolicy& b) noexcept {
    return a.kind == b.kind && a.seed == b.seed;
  }
};

}  // namespace trommel

#endif  // TROMMEL_DIGEST_H_
