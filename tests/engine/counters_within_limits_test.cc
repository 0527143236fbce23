// Filters of counters with a limit of side memory: folds, and a limit that suffices. What every
// type promises of limits: tests/promises.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

struct FilterShape {
  Encoding encoding = Encoding::kRuns;
  uint32_t num_slices = 0;
  size_t half_load = 0;  // keys per block at which few are promoted, and of twice as many, many
};

constexpr FilterShape kShapes[] = {
    {Encoding::kRuns, 5, 19}, {Encoding::kRuns, 4, 32}, {Encoding::kPlanes, 8, 28}};

CountingFilter EmptyOf(const FilterShape& shape) {
  const Geometry geometry{.num_slices = shape.num_slices,
                          .encoding = shape.encoding,
                          .shard_bits = 1,
                          .num_blocks = 64};
  return CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
}

std::vector<uint64_t> SomeKeys(size_t size) {
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

TEST_CASE("a fold carries the limit, and fails where it leaves no space", "[engine][side_limit]") {
  const FilterShape shape = kShapes[GENERATE(range(0, 3))];
  std::vector<uint64_t> digests = SomeKeys(64 * shape.half_load);
  digests.insert(digests.end(), 200, digests.front());  // a hot one, of which more than 255 are in
  CountingFilter filter = EmptyOf(shape);
  REQUIRE(filter.LimitSideMemory(100'000).ok());
  REQUIRE(filter.Insert(Keys::Digests(digests)).num_refused == 0);
  CountingFilter unlimited = EmptyOf(shape);
  unlimited.Insert(Keys::Digests(digests));
  REQUIRE(unlimited.Fold().ok());
  const uint64_t side_bytes = filter.GetStats().side_table_bytes;
  CHECK(side_bytes <= 100'000);
  REQUIRE(filter.Fold().ok());
  CHECK((filter.Serialize() == unlimited.Serialize()));
  CHECK(filter.GetStats().side_table_bytes <= 100'000);
  CHECK(filter.LimitSideMemory(0).ok());

  CountingFilter scarce = EmptyOf(shape);
  REQUIRE(scarce.LimitSideMemory(3'000).ok());
  for (int i = 0; i < 3; ++i) scarce.Insert(Keys::Digests(digests));
  const Stats stats = scarce.GetStats();
  const std::vector<std::byte> before = scarce.Serialize();
  const Status folded = scarce.Fold();
  REQUIRE_FALSE(folded.ok());
  CHECK(folded.error().code == ErrorCode::kOutOfMemory);
  CHECK((scarce.Serialize() == before));
  CHECK(scarce.GetStats().num_refused_inserts == stats.num_refused_inserts);
  CHECK(stats.num_refused_inserts > 0);
}

TEST_CASE("three times the predicted side table suffices for keys that differ",
          "[engine][side_limit]") {
  const auto encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes);
  const auto target_fpr = GENERATE(0.03, 0.004, 0.0001);
  constexpr uint64_t kCapacity = 400'000;
  const Sizing sizing =
      SizeFor({.capacity = kCapacity, .target_fpr = target_fpr, .encoding = encoding}).value();
  const uint64_t num_parts = uint64_t{1} << sizing.geometry.shard_bits;
  CountingFilter filter =
      CountingFilter::Create({.capacity = kCapacity,
                              .target_fpr = target_fpr,
                              .digest = {.kind = DigestKind::kCaller},
                              .encoding = encoding,
                              .side_memory_limit_bytes = std::max(
                                  3 * sizing.predicted_side_table_bytes, 2048 * num_parts)})
          .value();
  CHECK(filter.Insert(Keys::Digests(SomeKeys(kCapacity))).num_refused == 0);
}

}  // namespace
}  // namespace trommel
