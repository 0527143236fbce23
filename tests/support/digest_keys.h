// Digest keys of known bytes, so that what is recorded can be made again; and keys that only keyed
// digests tell apart.
#ifndef TROMMEL_TESTS_SUPPORT_DIGEST_KEYS_H_
#define TROMMEL_TESTS_SUPPORT_DIGEST_KEYS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "trommel/digest.h"

namespace trommel::tests {

// The bytes first, first + 1, .. first + 15; from 0 the key of the published test vectors.
inline std::array<std::byte, DigestKey::kNumBytes> KeyBytes(uint8_t first = 0) {
  std::array<std::byte, DigestKey::kNumBytes> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

inline DigestKey KeyFrom(uint8_t first = 0) { return DigestKey(KeyBytes(first)); }

inline DigestPolicy KeyedPolicy(uint8_t first = 0) { return DigestPolicy::Keyed(KeyFrom(first)); }

// The same policy as a file knows it.
inline DigestPolicy WithoutKey(const DigestPolicy& policy) {
  return {.kind = policy.kind, .seed = policy.seed};
}

// Keys that collide under XXH64 with every seed: why a secret seed protects nothing.
//
// XXH64 ends with the last n mod 32 bytes of a key, 8 at a time, and what the seed made of
// everything before them is the state h:
//
//   h = rotl(h ^ round(lane), 27) * P1 + P4      round(lane) = rotl(lane * P2, 31) * P1
//
// round() has an inverse and does not know the seed, so lanes can be chosen that flip any bits of
// it. Flip bit 36 of the first lane's round: the rotation takes it to bit 63, where it stays, for
// multiplying by an odd number and adding leave a change of the top bit alone. Flip bit 63 of the
// second lane's round: it meets the first in h ^ round(lane), and both are gone.
inline constexpr uint64_t kXxhPrime1 = 0x9e3779b185ebca87;
inline constexpr uint64_t kXxhPrime2 = 0xc2b2ae3d27d4eb4f;

// Of an odd number, mod 2^64: Newton's iteration doubles the bits that are right, 5 at first.
constexpr uint64_t InverseOf(uint64_t odd) {
  uint64_t inverse = odd * 3 ^ 2;
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(InverseOf(kXxhPrime1) * kXxhPrime1 == 1 && InverseOf(kXxhPrime2) * kXxhPrime2 == 1);

// The lane whose round differs from that of `lane` in these bits.
constexpr uint64_t FlipInRound(uint64_t lane, uint64_t bits) {
  const uint64_t round = std::rotl(lane * kXxhPrime2, 31) * kXxhPrime1 ^ bits;
  return std::rotr(round * InverseOf(kXxhPrime1), 31) * InverseOf(kXxhPrime2);
}

// Requires 16 <= key.size() % 32.
inline std::string TwinOf(std::string key) {
  char* const tail = key.data() + key.size() / 32 * 32;
  const auto flip = [tail](size_t lane_idx, uint64_t bits) {
    uint64_t lane;
    std::memcpy(&lane, tail + 8 * lane_idx, sizeof(lane));
    lane = FlipInRound(lane, bits);
    std::memcpy(tail + 8 * lane_idx, &lane, sizeof(lane));
  };
  flip(0, uint64_t{1} << 36);
  flip(1, uint64_t{1} << 63);
  return key;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DIGEST_KEYS_H_
