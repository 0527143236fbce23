// The addressing against what others published: Parquet's salts, hashes, blocks and bits.
#include "kernels/layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/statistics.h"
#include "support/targets.h"
#include "support/words.h"

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

TEST_CASE("the wide salt is XXH64 of 16 made odd", "[kernels][layout]") {
  const uint64_t number = 16;
  CHECK(kWideSalt == (XXH64(&number, sizeof(number), 0) | 1));
}

TEST_CASE("positions of slices of 64 are fields of six bits, the second five of the product",
          "[kernels][layout]") {
  // By hand: the fields 1, 2, 3, 4, 5 of the low half; the high half does not matter.
  const uint64_t counted = 0xffffffff00000000ULL | 1 | 2 << 6 | 3 << 12 | 4 << 18 | 5 << 24;
  for (const size_t num_slices : {size_t{4}, size_t{5}, size_t{10}}) {
    CHECK(SlicePositions(num_slices) == 64);
    for (size_t s = 0; s < std::min<size_t>(num_slices, 5); ++s) {
      CHECK(Position(counted, s, num_slices) == s + 1);
      CHECK(CounterIndex(counted, s, num_slices) == s * 64 + s + 1);
    }
  }
  // The top 30 bits of the salt itself, which is 1 times it, lowest field first.
  for (size_t s = 5; s < 10; ++s) {
    CHECK(Position(1, s, 10) == (0xe7755b8fc9f1067bULL >> (34 + 6 * (s - 5)) & 63));
  }
  std::mt19937_64 random(Catch::rngSeed());
  for (int round = 0; round < 1000; ++round) {
    const uint64_t digest = random();
    const uint64_t product = (digest & 0xffffffff) * kWideSalt;
    for (size_t s = 0; s < 10; ++s) {
      const uint64_t want = s < 5 ? digest / (uint64_t{1} << 6 * s) % 64
                                  : product / (uint64_t{1} << (34 + 6 * (s - 5))) % 64;
      REQUIRE(Position(digest, s, 10) == want);
    }
  }
  CHECK(SlicePositions(8) == 32);
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
    BlockStore store =
        BlockStore::Create({.num_slices = 8, .num_blocks = kParquetBlocks}, 0).value();
    store.Insert(digests);
    const uint32_t* words = store.PresenceOf(0);
    CHECK(tests::FirstDifference({words, words + kParquetBlocks * 8}, ParquetWords()) == "");
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
