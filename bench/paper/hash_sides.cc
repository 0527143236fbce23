#include "bench/paper/hash_sides.h"

#include <array>
#include <cstddef>

#include "trommel/digest.h"
#include "trommel/keys.h"

#ifdef TROMMEL_WITH_FARMHASH
#include <farmhash.h>
#endif
#ifdef TROMMEL_WITH_MURMURHASH
#include <murmurhash.h>
#endif

namespace trommel::paper {
namespace {

void Xxh64(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  DigestPolicy{.kind = DigestKind::kXxh64}.Digests(keys, digests);
}

void Xxh3(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  DigestPolicy{.kind = DigestKind::kXxh3}.Digests(keys, digests);
}

// The key does not matter for time or rates.
void SipHash(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  static constexpr std::array<std::byte, DigestKey::kNumBytes> kKey = {};
  DigestPolicy::Keyed(DigestKey(kKey)).Digests(keys, digests);
}

#ifdef TROMMEL_WITH_FARMHASH
void FarmHash(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  for (size_t i = 0; i < keys.size(); ++i) {
    digests[i] = util::Hash64(keys[i].data(), keys[i].size());
  }
}
#endif

#ifdef TROMMEL_WITH_MURMURHASH
void MurmurHash(std::span<const std::string_view> keys, std::span<uint64_t> digests) {
  for (size_t i = 0; i < keys.size(); ++i) {
    uint64_t both[2];
    lmmh_x64_128(keys[i].data(), static_cast<unsigned>(keys[i].size()), 0, both);
    digests[i] = both[0];
  }
}
#endif

}  // namespace

const std::vector<HashSide>& HashSides() {
  static const std::vector<HashSide> sides = {
      {"XXH64", Xxh64},
      {"XXH3", Xxh3},
      {"SipHash-1-3", SipHash},
#ifdef TROMMEL_WITH_FARMHASH
      {"FarmHash64", FarmHash},
#endif
#ifdef TROMMEL_WITH_MURMURHASH
      {"MurmurHash3", MurmurHash},
#endif
  };
  return sides;
}

std::string MissingHashes() {
  std::string missing;
#ifndef TROMMEL_WITH_FARMHASH
  missing += "FarmHash was not there when this was built (Debian: libfarmhash-dev). ";
#endif
#ifndef TROMMEL_WITH_MURMURHASH
  missing += "MurmurHash was not there when this was built (Debian: libmurmurhash-dev). ";
#endif
  return missing;
}

}  // namespace trommel::paper
