// From a key's bytes to its digest: 64 bits computed once and used everywhere.
//
// Two keys of one digest are one key to a filter, and keys whose digests begin alike share a block.
// Which digest is safe depends on who chooses the keys:
//
//   digest                     what someone who chooses keys can do
//   -------------------------  -------------------------------------------------------------------
//   kXxh64 and kXxh3, seed     Everything, at no cost: XXH64 of 8 bytes can be inverted, so a key
//   of known (0, or read from a   any digest can be written down. Such a *twin* of another's key is
//   file, where it stands in   taken for it: erasing it erases the other key, inserting it first
//   the clear)                 makes dedup suppress the other line. Keys of one block overload it;
//                              keys of fresh positions raise the false-positive rate the fastest.
//   kXxh64, seed secret        Twins all the same. Any key whose length mod 32 is 16 to 31 has one
//                              that collides with it under every seed: the seed enters the hash
//                              where it does not matter (tests/engine/xxh64_twins_test.cc). A seed
//                              makes filters differ; it keeps nothing secret.
//   kXxh3, seed secret         No twin under every seed is published, but the hash is no keyed
//                              function either, and its authors claim nothing of the kind.
//   kCaller, Keys::Digests,    Whatever the caller's own hash allows. The filter uses these digests
//   Key::Digest                as they are, under every policy.
//   kSipHash, key secret       Nothing better than trying: a false positive can be found by asking,
//                              at the filter's rate, and is as good as a twin to Erase. A filter
//                              that non-members may ask should not erase at their request.
//
// kSipHash is for keys that non-members choose; the others are faster where they do not.
#ifndef TROMMEL_DIGEST_H_
#define TROMMEL_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trommel/keys.h"

namespace trommel {

enum class DigestKind : uint8_t {
  kXxh64 = 0,   // XXH64: with seed 0, Parquet's rule
  kXxh3 = 1,    // XXH3, 64 bits: faster on strings
  kCaller = 2,  // only the caller's own digests are accepted (Keys::Digests)
  // SipHash-1-3 under a secret key of 128 bits: Aumasson and Bernstein, "SipHash: a fast
  // short-input PRF" (INDOCRYPT 2012), with the rounds that Rust's and Python's hash tables use.
  // The paper's 2-4 is for outputs that an attacker sees whole; a filter shows answers.
  kSipHash = 3,
};

// "xxh64", "xxh3", "caller", "siphash"; "unknown" for anything else.
std::string_view DigestKindName(DigestKind kind) noexcept;

// The secret of a kSipHash policy, or none. Copies may be made and must be guarded alike; each
// overwrites its memory when it goes. Never written to files, and never printed.
class DigestKey {
 public:
  static constexpr size_t kNumBytes = 16;

  DigestKey() noexcept = default;  // none

  // Requires random bytes, as of /dev/urandom: not a password, nor anything that can be guessed.
  explicit DigestKey(std::span<const std::byte, kNumBytes> bytes) noexcept;

  DigestKey(const DigestKey&) noexcept = default;
  DigestKey& operator=(const DigestKey&) noexcept = default;
  ~DigestKey();

  bool is_given() const noexcept { return is_given_; }
  // The bytes as two little-endian integers: the paper's k0 and k1. Zeros if there is none.
  const std::array<uint64_t, 2>& words() const noexcept { return words_; }

 private:
  std::array<uint64_t, 2> words_ = {};
  bool is_given_ = false;
};

// How keys become digests. Part of a filter's identity: stored in files, compared in merges.
struct DigestPolicy {
  DigestKind kind = DigestKind::kXxh64;
  // Stored in files in the clear. kSipHash: the key's check value instead of a seed, which tells
  // keys apart without telling the key: SipHash-1-3, under the key, of "trommel digest key check".
  uint64_t seed = 0;
  // kSipHash only. A policy without its key compares and merges, but cannot hash: it is what a file
  // that was loaded without the key has.
  DigestKey digest_key = {};

  // kSipHash under this key, with its check value. Requires a key: none is a programmer's mistake.
  static DigestPolicy Keyed(const DigestKey& key) noexcept;

  // Whether keys that are not digests already may be given: not under kCaller, nor without the key.
  bool can_hash() const noexcept;

  // The digest of one key. Keys::Digests and Key::Digest pass through unchanged. Giving anything
  // else to a policy that cannot hash is a programmer's mistake: message and abort.
  uint64_t operator()(Key key) const noexcept;

  // The digests of a batch, in order. digests.size() must equal keys.size(), and the digests must
  // not overlap the keys (nor replace them in place); else message and abort. Integers
  // under kXxh64 go through the vector kernel. Any thread may call it.
  void Digests(Keys keys, std::span<uint64_t> digests) const noexcept;

  // Equal if the same keys have the same digests: kind and seed, for check values stand for keys.
  friend bool operator==(const DigestPolicy& a, const DigestPolicy& b) noexcept {
    return a.kind == b.kind && a.seed == b.seed;
  }
};

}  // namespace trommel

#endif  // TROMMEL_DIGEST_H_
