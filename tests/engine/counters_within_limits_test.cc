// Filters of counters with a limit of side memory: how far they count, and folds. What every type
// promises of limits: tests/promises.
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

FilterShape AnyPresenceShape() { return kShapes[GENERATE(range(0, 3))]; }

Geometry GeometryOf(const FilterShape& shape) {
  return {.num_slices = shape.num_slices,
          .encoding = shape.encoding,
          .shard_bits = 1,
          .num_blocks = 64};
}

CountingFilter EmptyOf(const FilterShape& shape) {
  return CountingFilter::CreateWithGeometry(GeometryOf(shape), {.kind = DigestKind::kCaller})
      .value();
}

std::vector<uint64_t> SomeKeys(const FilterShape& shape, std::mt19937_64& random) {
  std::vector<uint64_t> digests(64 * shape.half_load);
  for (uint64_t& digest : digests) digest = random();
  // A hot one, of which more than 255 are in.
  digests.insert(digests.end(), 200, digests.front());
  return digests;
}

TEST_CASE("within a limit a hot key counts exactly as far as there are digits for it",
          "[engine][side_limit]") {
  const FilterShape shape = AnyPresenceShape();
  CountingFilter filter = EmptyOf(shape);
  const std::vector<std::byte> empty = filter.Serialize();
  const bool is_scarce = GENERATE(false, true);
  REQUIRE(filter.LimitSideMemory(is_scarce ? 2 * 750 : 2 * 20'000).ok());
  const std::vector<uint64_t> hot(100'000, 0x123456789abcdef0);
  uint64_t num_in = 0;
  for (int i = 0; i < 3; ++i) num_in += filter.Insert(Keys::Digests(hot)).num_inserted;
  // A space of 750 bytes for each half of the blocks has one or two digits.
  CHECK((num_in == 255 || num_in == 65'535) == is_scarce);
  if (!is_scarce) CHECK(num_in == 3 * hot.size());
  CHECK(filter.num_keys() == num_in);
  CHECK(filter.CountEstimate(Key::Digest(hot[0])) == num_in);
  CHECK(filter.GetStats().num_refused_inserts == 3 * hot.size() - num_in);
  CHECK(filter.Insert(Key::Digest(~hot[0])));  // other keys are not affected
  CHECK(filter.Erase(Key::Digest(~hot[0])));
  for (uint64_t left = num_in; left > 0; left -= std::min<uint64_t>(left, hot.size())) {
    const auto part = std::span(hot).first(std::min<uint64_t>(left, hot.size()));
    CHECK(filter.Erase(Keys::Digests(part)).num_refused == 0);
  }
  CHECK_FALSE(filter.MayContain(Key::Digest(hot[0])));
  CHECK((filter.Serialize() == empty));
}

TEST_CASE("a fold carries the limit, and fails where it leaves no space", "[engine][side_limit]") {
  const FilterShape shape = AnyPresenceShape();
  std::mt19937_64 random(Catch::rngSeed());
  const std::vector<uint64_t> digests = SomeKeys(shape, random);
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
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(kCapacity);
  for (uint64_t& digest : digests) digest = random();
  CHECK(filter.Insert(Keys::Digests(digests)).num_refused == 0);
}

}  // namespace
}  // namespace trommel
