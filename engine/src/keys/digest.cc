// Digests of keys. (The other files that use xxHash are checksum.cc and projection.cc.)
#include "trommel/digest.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "engine/src/base/check.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/siphash.h"
#include "kernels/targets.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

uint64_t HashBytes(const DigestPolicy& policy, const void* bytes, size_t num_bytes) {
  if (policy.kind == DigestKind::kXxh64) return XXH64(bytes, num_bytes, policy.seed);
  if (policy.kind == DigestKind::kXxh3) return XXH3_64bits_withSeed(bytes, num_bytes, policy.seed);
  TROMMEL_CHECK(policy.kind != DigestKind::kCaller,
                "this filter takes only the caller's digests (Keys::Digests)");
  TROMMEL_CHECK(policy.digest_key.is_given(),
                "this filter hashes under a key, and was loaded without it (can_hash tells)");
  return SipHash13(policy.digest_key.words(), bytes, num_bytes);
}

template <class T>
void HashStrings(const DigestPolicy& policy, const T* keys, std::span<uint64_t> digests) {
  for (size_t i = 0; i < digests.size(); ++i) {
    digests[i] = HashBytes(policy, keys[i].data(), keys[i].size());
  }
}

template <class T>
void HashIntegers(const DigestPolicy& policy, const T* keys, std::span<uint64_t> digests) {
  for (size_t i = 0; i < digests.size(); ++i) {
    digests[i] = HashBytes(policy, &keys[i], sizeof(T));
  }
}

}  // namespace

std::string_view DigestKindName(DigestKind kind) noexcept {
  switch (kind) {
    case DigestKind::kXxh64:
      return "xxh64";
    case DigestKind::kXxh3:
      return "xxh3";
    case DigestKind::kCaller:
      return "caller";
    case DigestKind::kSipHash:
      return "siphash";
  }
  return "unknown";
}

DigestKey::DigestKey(std::span<const std::byte, kNumBytes> bytes) noexcept : is_given_(true) {
  std::memcpy(words_.data(), bytes.data(), kNumBytes);
}

// volatile: compilers drop plain stores to an object that is about to be destroyed.
DigestKey::~DigestKey() {
  for (volatile uint64_t& word : words_) word = 0;
}

DigestPolicy DigestPolicy::Keyed(const DigestKey& key) noexcept {
  TROMMEL_CHECK(key.is_given(), "a keyed policy needs a key");
  constexpr std::string_view kLabel = "trommel digest key check";
  return {.kind = DigestKind::kSipHash,
          .seed = SipHash13(key.words(), kLabel.data(), kLabel.size()),
          .digest_key = key};
}

bool DigestPolicy::can_hash() const noexcept {
  return kind != DigestKind::kCaller && (kind != DigestKind::kSipHash || digest_key.is_given());
}

uint64_t DigestPolicy::operator()(Key key) const noexcept {
  switch (key.kind()) {
    case KeyKind::kDigests:
      return key.integer();
    case KeyKind::kInt64: {
      const uint64_t integer = key.integer();
      return HashBytes(*this, &integer, sizeof(integer));
    }
    case KeyKind::kInt32: {
      const auto integer = static_cast<uint32_t>(key.integer());
      return HashBytes(*this, &integer, sizeof(integer));
    }
    case KeyKind::kViews:
    case KeyKind::kStrings:
      break;
  }
  return HashBytes(*this, key.bytes().data(), key.bytes().size());
}

void DigestPolicy::Digests(Keys keys, std::span<uint64_t> digests) const noexcept {
  TROMMEL_CHECK(digests.size() == keys.size(), "digests of another size than the keys");
  TROMMEL_CHECK(!ShareBytes(ArrayOf(keys), std::as_bytes(digests)), "the digests overlap the keys");
  const bool is_xxh64 = kind == DigestKind::kXxh64;
  switch (keys.kind()) {
    case KeyKind::kDigests: {
      const auto* given = static_cast<const uint64_t*>(keys.data());
      std::copy(given, given + keys.size(), digests.begin());
      return;
    }
    case KeyKind::kInt64: {
      const auto* integers = static_cast<const uint64_t*>(keys.data());
      if (is_xxh64) {
        kernels::ActiveKernels().hash.xxh64_int64(integers, keys.size(), seed, digests.data());
      } else {
        HashIntegers(*this, integers, digests);
      }
      return;
    }
    case KeyKind::kInt32: {
      const auto* integers = static_cast<const uint32_t*>(keys.data());
      if (is_xxh64) {
        kernels::ActiveKernels().hash.xxh64_int32(integers, keys.size(), seed, digests.data());
      } else {
        HashIntegers(*this, integers, digests);
      }
      return;
    }
    case KeyKind::kViews:
      return HashStrings(*this, static_cast<const std::string_view*>(keys.data()), digests);
    case KeyKind::kStrings:
      return HashStrings(*this, static_cast<const std::string*>(keys.data()), digests);
  }
}

}  // namespace trommel
