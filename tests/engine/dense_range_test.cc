// Ranges of dense blocks: of the size that engine/docs/FINGERPRINTS.md says, and within limits.
// That they are exact: fingerprint_filter_test.cc.
#include "engine/src/fingerprints/dense_range.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/dense_layout.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/dense_filter.h"

namespace trommel {
namespace {

using kernels::kDenseShapes;
using tests::DenseFilter;
using tests::OwnedDenseRange;

TEST_CASE("copies take 0.8 times the memory of their keys, a hundred of each 1.5 times",
          "[fingerprints][dense]") {
  const uint64_t num_keys = 44 * DenseFilter::kBlocks;
  const auto bits_with = [&](uint64_t copies) {
    DenseFilter filter({kDenseShapes[1], 8}, 1, DenseFilter::kBlocks, 66);
    filter.Insert(num_keys, copies);
    CHECK(filter.UndecidedShare() < 0.0005);
    return filter.BitsPerKey();
  };
  const double once = bits_with(1);
  CHECK(bits_with(5) < 1.8 * once);
  CHECK(bits_with(100) < 2.5 * once);
}

TEST_CASE("a billion copies of a key are one number", "[fingerprints][dense]") {
  OwnedDenseRange owned({kDenseShapes[1], 8}, 4, 1);
  for (uint32_t key = 0; key < 200; ++key) REQUIRE(owned.range.Insert(0, 100 * key));
  const uint64_t num_bytes = owned.num_bytes();
  for (int i = 0; i < 1'000'000; ++i) REQUIRE(owned.range.Insert(0, 300));
  CHECK(owned.range.CountOf(0, 300) == 1'000'001);
  CHECK(owned.num_bytes() < num_bytes + 200);
}

TEST_CASE("lines grow and shrink with what is in them, and queries stay decided",
          "[fingerprints][dense]") {
  struct Row {
    uint64_t keys_per_block;  // 1, 1.25, 1.5 and 1.9 times 44.4
    double bits;
    double undecided;
  };
  const Row rows[] = {{44, 12.8, 0.0002}, {55, 14.8, 0.001}, {66, 16.5, 0.001}, {84, 18.4, 0.001}};
  for (const Row& row : rows) {
    DenseFilter filter({kDenseShapes[1], 8}, 2, DenseFilter::kBlocks, 68);
    filter.Insert(row.keys_per_block * 2 * DenseFilter::kBlocks);
    filter.Replace(row.keys_per_block * 2 * DenseFilter::kBlocks);
    CAPTURE(row.keys_per_block);
    CHECK(filter.BitsPerKey() < row.bits);
    CHECK(filter.UndecidedShare() < row.undecided);
  }
}

TEST_CASE("insertions bring hidden keys into lines that have become more",
          "[fingerprints][dense]") {
  DenseFilter filter({kDenseShapes[1], 8}, 2, DenseFilter::kBlocks, 68);
  filter.Insert(142 * 2 * DenseFilter::kBlocks);  // 3.2 times 44.4
  CHECK(filter.UndecidedShare() < 0.1);           // 0.28, if they stay hidden
}

TEST_CASE("lines that should become fewer stay while there is no memory, and nothing is missed",
          "[fingerprints][dense][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  OwnedDenseRange owned({kDenseShapes[1], 8}, 64, 8);
  std::vector<uint32_t> keys(64 * 90);  // distinct in their blocks
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<uint32_t>(i * 7919 % owned.layout.num_keys());
    REQUIRE(owned.range.Insert(i % 64, keys[i]));
  }
  const uint64_t num_lines = owned.range.lines().num_lines();
  size_t num_erased = 0;
  {
    const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
    for (; num_erased < keys.size() / 3; ++num_erased) {
      if (!owned.range.Erase(num_erased % 64, keys[num_erased])) FAIL("a key is missed");
    }
  }
  CHECK(owned.range.lines().num_lines() == num_lines);
  for (; num_erased < keys.size(); ++num_erased) {
    REQUIRE(owned.range.Erase(num_erased % 64, keys[num_erased]));
  }
  CHECK(owned.range.lines().num_lines() < num_lines);
  CHECK(owned.IsZero());
}

TEST_CASE(
    "a limit refuses copies and not distinct keys that find a place, and changes nothing then",
    "[fingerprints][dense]") {
  // No record may be.
  const DenseLimit limit = {.num_lines = 8, .max_count_words = 0};
  OwnedDenseRange owned({kDenseShapes[1], 8}, 64, 8, limit);
  std::mt19937_64 random(1);
  uint64_t num_refused = 0;
  for (uint64_t i = 0; i < 64 * 43; ++i) {
    const auto key = static_cast<uint32_t>(random() % owned.layout.num_keys());
    num_refused += owned.range.Insert(random() % 64, key) ? 0 : 1;
  }
  CHECK(num_refused < 20);  // blocks with three copies, or with a copy in the last bin
  const std::vector<std::byte> bytes(owned.blocks.bytes().begin(), owned.blocks.bytes().end());
  num_refused = 0;
  for (uint64_t b = 0; b < 64; ++b) {
    const BlockContents contents = owned.range.ReadContents(b);
    if (contents.size() < 49) continue;
    // A further copy of a key in a line has no other place.
    const uint32_t key = (contents.end() - 1)->key;
    CHECK(!owned.range.Insert(b, key));
    num_refused += 1;
  }
  CHECK(num_refused > 0);
  CHECK(std::ranges::equal(owned.blocks.bytes(), bytes));
}

}  // namespace
}  // namespace trommel
