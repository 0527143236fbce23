// Shards of filters that grow and fold: as many as those of a filter that is created at that size.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/src/sizing/geometry_checks.h"
#include "support/catch.h"
#include "support/sanitized.h"
#include "trommel/counting_filter.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

SizingRequest RequestFor(Encoding encoding, uint64_t capacity) {
  return {.capacity = capacity,
          .target_fpr = encoding == Encoding::kDense ? 0.003 : 0.001,
          .encoding = encoding};
}

uint64_t BlocksFor(Encoding encoding, uint64_t capacity) {
  return SizeFor(RequestFor(encoding, capacity)).value().geometry.num_blocks;
}

// The least capacity that takes at least so many blocks: sizing rounds up for it.
uint64_t LeastCapacityOf(Encoding encoding, uint64_t num_blocks) {
  uint64_t too_few = 0;
  uint64_t enough = 64 * num_blocks;
  while (enough - too_few > 1) {
    const uint64_t middle = too_few + (enough - too_few) / 2;
    (BlocksFor(encoding, middle) >= num_blocks ? enough : too_few) = middle;
  }
  return enough;
}

// Where sizing begins to use more shards, and any others.
std::vector<uint64_t> Capacities(Encoding encoding) {
  std::vector<uint64_t> capacities = {1, 1000, 344'305};
  const uint64_t first = encoding == Encoding::kFingerprints16 ? 8192 : 2048;
  for (uint64_t num_blocks = first; num_blocks <= 32'768; num_blocks *= 2) {
    const uint64_t least = LeastCapacityOf(encoding, num_blocks);
    capacities.insert(capacities.end(), {least - 1, least});
    if (!TROMMEL_TESTS_SANITIZED) capacities.push_back(least + 1);
  }
  std::mt19937_64 random(Catch::rngSeed());
  for (int i = 0; i < (TROMMEL_TESTS_SANITIZED ? 2 : 10); ++i) {
    const double exponent = static_cast<double>(random() % 1000) / 1000;
    capacities.push_back(static_cast<uint64_t>(1000 * std::pow(1000, exponent)));
  }
  return capacities;
}

std::vector<uint64_t> SomeDigests() {
  std::mt19937_64 random(31);
  std::vector<uint64_t> digests(3000);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

TEST_CASE("a filter that is folded is the one that is created with half of the blocks",
          "[engine][counting][fingerprints][long]") {
  const auto encoding =
      GENERATE(Encoding::kFingerprints16, Encoding::kDense, Encoding::kRuns, Encoding::kPlanes);
  const std::vector<uint64_t> digests = SomeDigests();
  for (const uint64_t capacity : Capacities(encoding)) {
    const auto sizing = SizeFor(RequestFor(encoding, capacity));
    REQUIRE(sizing.ok());
    const Geometry& half = sizing->geometry;
    CAPTURE(EncodingName(encoding), capacity, half.num_blocks, half.shard_bits);
    // What is sized depends on the number of blocks alone.
    CHECK(half.shard_bits == ShardBitsOf(encoding, half.num_blocks));
    CHECK(RoundUpToShards(encoding, half.num_blocks) == half.num_blocks);
    Geometry twice = half;
    twice.num_blocks *= 2;
    twice.shard_bits = ShardBitsOf(encoding, twice.num_blocks);
    const auto filled = [&](const Geometry& geometry) {
      CountingFilter filter =
          CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
      filter.Insert(Keys::Digests(digests));
      return filter;
    };
    CountingFilter folded = filled(twice);
    REQUIRE(folded.Fold().ok());
    CHECK(folded.geometry() == half);
    CountingFilter created = filled(half);
    const std::vector<std::byte> bytes = created.Serialize();
    CHECK((folded.Serialize() == bytes));
    if (!HasFingerprints(encoding)) continue;
    REQUIRE(created.Grow().ok());
    REQUIRE(created.Fold().ok());
    CHECK(created.geometry() == half);
    CHECK((created.Serialize() == bytes));
  }
}

}  // namespace
}  // namespace trommel
