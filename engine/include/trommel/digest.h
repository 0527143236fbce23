// From a key's bytes to its digest: 64 bits computed once and used everywhere.
#ifndef TROMMEL_DIGEST_H_
#define TROMMEL_DIGEST_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "trommel/keys.h"

namespace trommel {

enum class DigestKind : uint8_t {
  kXxh64 = 0,   // XXH64: with seed 0, Parquet's rule
  kXxh3 = 1,    // XXH3, 64 bits: faster on strings
  kCaller = 2,  // only the caller's own digests are accepted (Keys::Digests)
};

// "xxh64", "xxh3", "caller"; "unknown" for anything else.
std::string_view DigestKindName(DigestKind kind) noexcept;

// How keys become digests. Part of a filter's identity: stored in files, compared in merges. A
// secret seed keeps others from choosing keys that collide; it is stored in snapshots in the clear.
struct DigestPolicy {
  DigestKind kind = DigestKind::kXxh64;
  uint64_t seed = 0;

  // The digest of one key. Keys::Digests and Key::Digest pass through unchanged. Giving bytes to a
  // kCaller policy is a programmer's mistake: message and abort.
  uint64_t operator()(Key key) const noexcept;

  // The digests of a batch, in order. digests.size() must equal keys.size(), and the digests must
  // not overlap the keys (nor replace them in place); else message and abort. Integers
  // under kXxh64 go through the vector kernel. Any thread may call it.
  void Digests(Keys keys, std::span<uint64_t> digests) const noexcept;

  friend bool operator==(const DigestPolicy&, const DigestPolicy&) = default;
};

}  // namespace trommel

#endif  // TROMMEL_DIGEST_H_
