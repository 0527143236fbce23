// The vector hash against xxHash itself. Published vectors: engine/digest_test.cc.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/siphash.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel::kernels {
namespace {

// Keys with every kind of bit pattern: small, large, sign-extended, random.
template <class T>
std::vector<T> HashKeys(size_t size) {
  std::vector<T> keys = {0, 1, 42, static_cast<T>(~T{0}),
                         static_cast<T>(T{1} << (sizeof(T) * 8 - 1))};
  for (const uint64_t random : tests::DrawnDigests(size, size + 1, Catch::rngSeed())) {
    keys.push_back(static_cast<T>(random));
  }
  keys.resize(size);
  return keys;
}

// Every batch size, at offsets that no vector is aligned to, against `want_of` of the same bytes.
template <class T, class Want, class Hash>
void CheckBatches(const Want& want_of, const Hash& hash) {
  for (const size_t size : tests::EdgeSizes()) {
    const std::vector<T> keys = HashKeys<T>(size);
    std::vector<uint64_t> want;
    for (const T& key : keys) want.push_back(want_of(&key, sizeof(key)));
    for (const size_t offset : {size_t{0}, size_t{1}, size_t{3}}) {
      tests::Guarded<T> in(size, 0, offset);
      std::copy(keys.begin(), keys.end(), in.data());
      tests::Guarded<uint64_t> out(size, 0, offset);
      hash(in.data(), size, out.data());
      INFO("size " << size << ", offset " << offset);
      REQUIRE(tests::FirstDifference(out.Copy(), want) == "");
      REQUIRE(out.GuardsIntact());
    }
  }
}

using Xxh = uint64_t (*)(const void*, size_t, uint64_t);

template <class T>
void CheckAgainstXxHash(Xxh want_of,
                        void (*hash)(const T* keys, size_t, uint64_t seed, uint64_t*)) {
  for (const uint64_t seed : {uint64_t{0}, uint64_t{42}, ~uint64_t{0}, uint64_t{0x12345678},
                              uint64_t{0x9E3779B185EBCA87}}) {
    INFO("seed " << seed);
    CheckBatches<T>(
        [&](const void* key, size_t size) { return want_of(key, size, seed); },
        [&](const T* keys, size_t size, uint64_t* out) { hash(keys, size, seed, out); });
  }
}

uint64_t Xxh64(const void* key, size_t size, uint64_t seed) { return XXH64(key, size, seed); }
uint64_t Xxh3(const void* key, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(key, size, seed);
}

TEST_CASE("integers hash as xxHash hashes their bytes, for every tail and seed on every target",
          "[kernels][hash]") {
  tests::ForEachRunnableTarget([] {
    const HashKernels& hash = ActiveKernels().hash;
    CheckAgainstXxHash<uint64_t>(&Xxh64, hash.xxh64_int64);
    CheckAgainstXxHash<uint32_t>(&Xxh64, hash.xxh64_int32);
    CheckAgainstXxHash<uint64_t>(&Xxh3, hash.xxh3_int64);
    CheckAgainstXxHash<uint32_t>(&Xxh3, hash.xxh3_int32);
  });
}

constexpr std::array<uint64_t, 2> kSecret = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

uint64_t Sip(const void* key, size_t size) { return SipHash13(kSecret, key, size); }

TEST_CASE("integers hash as SipHash hashes their bytes, for every tail on every target",
          "[kernels][hash]") {
  tests::ForEachRunnableTarget([] {
    const HashKernels& hash = ActiveKernels().hash;
    CheckBatches<uint64_t>(&Sip, [&](const uint64_t* keys, size_t size, uint64_t* out) {
      hash.siphash_int64(keys, size, kSecret.data(), out);
    });
    CheckBatches<uint32_t>(&Sip, [&](const uint32_t* keys, size_t size, uint64_t* out) {
      hash.siphash_int32(keys, size, kSecret.data(), out);
    });
  });
}

// Strings of these lengths, each in memory of its own: sanitizers see a byte too many.
std::vector<std::vector<unsigned char>> StringsOf(const std::vector<size_t>& lengths) {
  std::vector<std::vector<unsigned char>> strings;
  for (const size_t length : lengths) {
    std::vector<unsigned char> text(length);
    for (size_t i = 0; i < length; ++i) {
      text[i] = static_cast<unsigned char>(i * 151 + strings.size());
    }
    strings.push_back(std::move(text));
  }
  return strings;
}

std::vector<ByteView> ViewsOf(const std::vector<std::vector<unsigned char>>& strings) {
  std::vector<ByteView> views;
  for (const std::vector<unsigned char>& text : strings) {
    views.push_back({text.data(), text.size()});
  }
  return views;
}

void CheckSipStrings(const std::vector<size_t>& lengths) {
  const std::vector<std::vector<unsigned char>> strings = StringsOf(lengths);
  const std::vector<ByteView> views = ViewsOf(strings);
  std::vector<uint64_t> want;
  for (const std::vector<unsigned char>& text : strings) {
    want.push_back(Sip(text.data(), text.size()));
  }
  tests::Guarded<uint64_t> out(lengths.size(), 0, 1);
  ActiveKernels().hash.siphash_views(views.data(), views.size(), kSecret.data(), out.data());
  REQUIRE(tests::FirstDifference(out.Copy(), want) == "");
  REQUIRE(out.GuardsIntact());
}

// Strings of these lengths: each is either left to the caller, once, or hashed as xxHash does.
// Returns how many were left.
size_t CheckXxh3Strings(const std::vector<size_t>& lengths, uint64_t seed) {
  const std::vector<std::vector<unsigned char>> strings = StringsOf(lengths);
  const std::vector<ByteView> views = ViewsOf(strings);
  constexpr uint64_t kUntouched = 0x5555;
  tests::Guarded<uint64_t> out(lengths.size(), kUntouched, 1);
  tests::Guarded<uint16_t> left(lengths.size());
  const size_t num_left =
      ActiveKernels().hash.xxh3_views(views.data(), views.size(), seed, out.data(), left.data());
  REQUIRE(num_left <= lengths.size());
  std::vector<uint64_t> want;
  for (const std::vector<unsigned char>& text : strings) {
    want.push_back(Xxh3(text.data(), text.size(), seed));
  }
  for (size_t i = 0; i < num_left; ++i) {
    const uint16_t idx = left.data()[i];
    REQUIRE(idx < lengths.size());
    REQUIRE(want[idx] != kUntouched);  // the first time
    want[idx] = kUntouched;
  }
  REQUIRE(tests::FirstDifference(out.Copy(), want) == "");
  REQUIRE(out.GuardsIntact());
  REQUIRE(left.GuardsIntact());
  return num_left;
}

TEST_CASE(
    "a batch of strings of any lengths hashes as SipHash and xxHash hash each on every target",
    "[kernels][hash]") {
  tests::ForEachRunnableTarget([] {
    for (const size_t size :
         {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 511, 512, 513, 1025, 2047, 2048}) {
      for (const uint64_t longest : {1, 9, 40, 140, 300}) {  // words: one, few, several, too many
        std::vector<size_t> lengths;
        for (const uint64_t random : tests::DrawnDigests(size, size + 1, Catch::rngSeed())) {
          lengths.push_back(random % longest);
        }
        INFO("size " << size << ", longest " << longest - 1);
        CheckSipStrings(lengths);
        if (ActiveKernels().hash.xxh3_views == nullptr) continue;
        CheckXxh3Strings(lengths, size % 2 == 0 ? 0x9E3779B185EBCA87 : 0);
      }
    }
    CheckSipStrings(std::vector<size_t>(100, 45));  // all alike
  });
}

TEST_CASE("strings of 4 to 128 bytes are not left to the caller where there are lanes for them",
          "[kernels][hash]") {
  tests::ForEachRunnableTarget([] {
    if (ActiveKernels().hash.xxh3_views == nullptr) return;
    for (size_t length = 0; length <= 140; ++length) {
      INFO("length " << length);
      const bool is_hashed = length >= 4 && length <= 128;
      CHECK(CheckXxh3Strings(std::vector<size_t>(20, length), length) == (is_hashed ? 0U : 20U));
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
