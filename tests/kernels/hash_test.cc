// The vector hash against xxHash itself and against vectors others published.
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/kernels.h"
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

// Every batch size, at offsets that no vector is aligned to, against xxHash on the same bytes.
template <class T, class Hash>
void CheckAgainstXxHash(const Hash& hash) {
  for (const uint64_t seed :
       {uint64_t{0}, uint64_t{42}, ~uint64_t{0}, uint64_t{0x9E3779B185EBCA87}}) {
    for (const size_t size : tests::EdgeSizes()) {
      const std::vector<T> keys = HashKeys<T>(size);
      std::vector<uint64_t> want;
      for (const T& key : keys) want.push_back(XXH64(&key, sizeof(key), seed));
      for (const size_t offset : {size_t{0}, size_t{1}, size_t{3}}) {
        tests::Guarded<T> in(size, 0, offset);
        std::copy(keys.begin(), keys.end(), in.data());
        tests::Guarded<uint64_t> out(size, 0, offset);
        hash(in.data(), size, seed, out.data());
        INFO("size " << size << ", offset " << offset << ", seed " << seed);
        REQUIRE(tests::FirstDifference(out.Copy(), want) == "");
        REQUIRE(out.GuardsIntact());
      }
    }
  }
}

TEST_CASE("the 8-byte hash is xxHash's for every tail and seed on every target",
          "[kernels][hash]") {
  tests::ForEachRunnableTarget(
      [] { CheckAgainstXxHash<uint64_t>(ActiveKernels().hash.xxh64_int64); });
}

TEST_CASE("the 4-byte hash is xxHash's for every tail and seed on every target",
          "[kernels][hash]") {
  tests::ForEachRunnableTarget(
      [] { CheckAgainstXxHash<uint32_t>(ActiveKernels().hash.xxh64_int32); });
}

TEST_CASE("integers hash to the published Parquet vectors on every target", "[kernels][hash]") {
  const std::vector<uint32_t> int32 = {0, 1, 42, static_cast<uint32_t>(-1)};
  const std::vector<uint64_t> want32 = {0x3aefa6fd5cf2deb4, 0xf42f94001fcb5351, 0xd756d7b62fc50bf1,
                                        0x7f78e4bda3addf93};
  const std::vector<uint64_t> int64 = {0, 1, 42, 0};
  const std::vector<uint64_t> want64 = {0x34c96acdcadb1bbb, 0x9f29cb17a2a49995, 0xb556806fb6d14353,
                                        0x34c96acdcadb1bbb};
  tests::ForEachRunnableTarget([&] {
    std::vector<uint64_t> digests(4);
    ActiveKernels().hash.xxh64_int32(int32.data(), 4, 0, digests.data());
    CHECK(digests == want32);
    ActiveKernels().hash.xxh64_int64(int64.data(), 4, 0, digests.data());
    CHECK(digests == want64);
  });
}

// The published vectors for the bytes 0, 1, .., n - 1 hold for 8-byte and 4-byte integers, too.
TEST_CASE("the bytes 0 to 7 and 0 to 3 hash to Arrow's vectors on every target",
          "[kernels][hash]") {
  const std::array<uint8_t, 8> bytes = {0, 1, 2, 3, 4, 5, 6, 7};
  uint64_t eight = 0;
  uint32_t four = 0;
  std::memcpy(&eight, bytes.data(), sizeof(eight));
  std::memcpy(&four, bytes.data(), sizeof(four));
  tests::ForEachRunnableTarget([&] {
    uint64_t digest = 0;
    ActiveKernels().hash.xxh64_int64(&eight, 1, 0, &digest);
    CHECK(digest == 0x884a173614b81b8d);
    ActiveKernels().hash.xxh64_int32(&four, 1, 0, &digest);
    CHECK(digest == 0xffced8604453cc1e);
  });
}

}  // namespace
}  // namespace trommel::kernels
