// The addressing against what others published: Parquet's salts, hashes, blocks and bits.
#include "kernels/layout.h"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/kernel_filter.h"
#include "support/targets.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel::kernels {
namespace {

// apache/parquet-testing data/bloom_filter.xxhash.bin: four strings in a filter of 32 blocks.
struct ParquetVector {
  std::string_view key;
  uint64_t digest;
  uint64_t block_idx;
  std::array<uint32_t, 8> positions;
};

constexpr uint64_t kParquetBlocks = 32;
constexpr std::array<ParquetVector, 4> kParquetVectors = {{
    {"hello", 0x26c7827d889f6da3ULL, 4, {20, 9, 10, 7, 9, 31, 28, 27}},
    {"parquet", 0x3c9d29275c52e429ULL, 7, {2, 22, 22, 19, 26, 13, 4, 1}},
    {"bloom", 0x50c8fb9e62dbc53cULL, 10, {21, 11, 8, 29, 23, 27, 8, 12}},
    {"filter", 0x2a5736cdfcd7a9a1ULL, 5, {23, 28, 0, 28, 5, 21, 30, 19}},
}};

// The published bitset: 256 words, all zero but for 32 bits.
std::vector<uint32_t> ParquetWords() {
  std::vector<uint32_t> words(kParquetBlocks * 8, 0);
  for (const ParquetVector& vector : kParquetVectors) {
    for (size_t s = 0; s < 8; ++s) words[vector.block_idx * 8 + s] |= 1U << vector.positions[s];
  }
  return words;
}

TEST_CASE("the first eight salts are Parquet's and all sixteen are odd and distinct",
          "[kernels][layout]") {
  const std::array<uint32_t, 8> published = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                             0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
  for (size_t s = 0; s < 8; ++s) CHECK(kSalts[s] == published[s]);
  for (size_t s = 0; s < kMaxSlices; ++s) {
    CHECK(kSalts[s] % 2 == 1);
    for (size_t t = 0; t < s; ++t) CHECK(kSalts[s] != kSalts[t]);
  }
}

TEST_CASE("salts 8 to 15 are the low halves of XXH64 of 8 to 15 made odd", "[kernels][layout]") {
  for (uint64_t s = 8; s < kMaxSlices; ++s) {
    const uint64_t hash = XXH64(&s, sizeof(s), 0);
    CHECK(kSalts[s] == (static_cast<uint32_t>(hash) | 1U));
  }
}

TEST_CASE("blocks and positions are those of the official Parquet vectors", "[kernels][layout]") {
  for (const ParquetVector& vector : kParquetVectors) {
    INFO(vector.key);
    REQUIRE(XXH64(vector.key.data(), vector.key.size(), 0) == vector.digest);
    CHECK(BlockIndex(vector.digest, kParquetBlocks) == vector.block_idx);
    for (size_t s = 0; s < 8; ++s) CHECK(Position(vector.digest, s, 8) == vector.positions[s]);
  }
}

TEST_CASE("the official Parquet bitset comes out on every target", "[kernels][layout]") {
  std::vector<uint64_t> digests;
  for (const ParquetVector& vector : kParquetVectors) digests.push_back(vector.digest);
  int num_bits = 0;
  for (const uint32_t word : ParquetWords()) num_bits += std::popcount(word);
  REQUIRE(num_bits == 32);
  ReferenceFilter reference(kParquetBlocks, 8);
  for (const uint64_t digest : digests) reference.Insert(digest);
  CHECK(tests::FirstDifference(reference.PresenceWords(), ParquetWords()).empty());
  tests::ForEachRunnableTarget([&] {
    tests::KernelFilter filter(kParquetBlocks, 8);
    filter.Insert(digests, 0, digests.size());
    CHECK(tests::FirstDifference(filter.PresenceWords(), ParquetWords()) == "");
  });
}

TEST_CASE("block indices follow the digest's order and reach the last block", "[kernels][layout]") {
  for (const uint64_t num_blocks :
       {uint64_t{1}, uint64_t{3}, uint64_t{1000}, uint64_t{0x7fffffff}}) {
    CHECK(BlockIndex(0, num_blocks) == 0);
    CHECK(BlockIndex(~uint64_t{0}, num_blocks) == num_blocks - 1);
    uint64_t last = 0;
    for (uint64_t high = 0; high < (uint64_t{1} << 32); high += 0x123457) {
      const uint64_t block_idx = BlockIndex(high << 32, num_blocks);
      REQUIRE(block_idx >= last);
      last = block_idx;
    }
  }
}

TEST_CASE("halving the number of blocks halves the block index", "[kernels][layout]") {
  for (uint64_t high = 0; high < (uint64_t{1} << 32); high += 0x12345) {
    REQUIRE(BlockIndex(high << 32, 500) == BlockIndex(high << 32, 1000) / 2);
  }
}

}  // namespace
}  // namespace trommel::kernels
