// Digest keys for tests: of known bytes, so that what is recorded can be made again.
#ifndef TROMMEL_TESTS_SUPPORT_DIGEST_KEYS_H_
#define TROMMEL_TESTS_SUPPORT_DIGEST_KEYS_H_

#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DIGEST_KEYS_H_
