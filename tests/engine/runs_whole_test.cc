// Whole filters of runs whose blocks are on every level: in the block, promoted as long runs,
// promoted as exact counters. Merged, subtracted, folded and moved.
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/run_block.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Bytes = std::vector<std::byte>;
using kernels::Shape;

// Loads of a block on the levels: nothing, a key, half, all it holds, long runs, exact counters.
std::vector<uint32_t> Loads(const Shape& shape) {
  const uint32_t capacity = kernels::RunCapacity(shape.num_slices);
  return {0, 1, capacity / 2, capacity, capacity + 1, 63, 64, 300};
}

constexpr uint64_t kSquare = 64;

// 64 blocks: block 8 i + j has load i of `axis` 0, load j of axis 1. Keys of the axes differ,
// except that every third is the same.
std::vector<uint64_t> SquareDigests(const Shape& shape, int axis) {
  const std::vector<uint32_t> loads = Loads(shape);
  std::vector<uint64_t> digests;
  for (uint64_t b = 0; b < kSquare; ++b) {
    const uint32_t load = loads[axis == 0 ? b / 8 : b % 8];
    for (uint32_t i = 0; i < load; ++i) {
      const uint32_t number = i % 3 == 0 ? i / 2 : i + 1000 * static_cast<uint32_t>(axis + 1);
      digests.push_back(tests::DigestInBlock(b, kSquare, number));
    }
  }
  return digests;
}

CountingFilter SquareFilter(const Shape& shape, uint64_t num_blocks,
                            const std::vector<uint64_t>& digests) {
  CountingFilter filter = tests::MakeFilter(tests::GeometryOf(shape, num_blocks));
  filter.Insert(Keys::Digests(digests));
  return filter;
}

std::vector<uint64_t> Both(const Shape& shape) {
  std::vector<uint64_t> both = SquareDigests(shape, 0);
  const std::vector<uint64_t> more = SquareDigests(shape, 1);
  both.insert(both.end(), more.begin(), more.end());
  return both;
}

TEST_CASE("merge and subtract meet every level of a block with every other", "[engine][runs]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  CountingFilter a = SquareFilter(shape, kSquare, SquareDigests(shape, 0));
  const CountingFilter b = SquareFilter(shape, kSquare, SquareDigests(shape, 1));
  const Bytes before = a.Serialize();
  REQUIRE(a.Merge(b).ok());
  CHECK((a.Serialize() == SquareFilter(shape, kSquare, Both(shape)).Serialize()));
  REQUIRE(a.Subtract(b).ok());
  CHECK((a.Serialize() == before));
  REQUIRE(a.Merge(b).ok());
  // The other way round, and to nothing.
  REQUIRE(a.Subtract(SquareFilter(shape, kSquare, SquareDigests(shape, 0))).ok());
  CHECK((a.Serialize() == b.Serialize()));
  REQUIRE(a.Subtract(b).ok());
  CHECK((a.Serialize() == SquareFilter(shape, kSquare, {}).Serialize()));
  CHECK(a.GetStats().side_table_bytes == 0);
}

TEST_CASE("folded down to one block a filter is what it were had it been built there",
          "[engine][runs]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  // One of every level, and one whose blocks meet the edges only on the way down.
  const std::array<std::vector<uint64_t>, 2> all = {
      Both(shape), tests::DrawnDigests(kSquare * 3, kSquare * 2, Catch::rngSeed())};
  for (const std::vector<uint64_t>& digests : all) {
    CountingFilter filter = SquareFilter(shape, kSquare, digests);
    for (uint64_t num_blocks = kSquare; num_blocks > 1;) {
      REQUIRE(filter.Fold().ok());
      num_blocks /= 2;
      REQUIRE((filter.Serialize() == SquareFilter(shape, num_blocks, digests).Serialize()));
    }
    CHECK_FALSE(filter.Fold().ok());
    CHECK(filter.Erase(Keys::Digests(digests)).num_refused == 0);
    CHECK((filter.Serialize() == SquareFilter(shape, 1, {}).Serialize()));
  }
}

}  // namespace
}  // namespace trommel
