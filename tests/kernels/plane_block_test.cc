// One block of planes, taken apart and put together, against the reference's words.
#include "kernels/plane_block.h"

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/reference.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

// One block as arrays.
struct Words {
  explicit Words(size_t num_slices)
      : presence(num_slices, 0x5a5a5a5a), planes(num_slices * kNumPlanes, 0xc3c3c3c3) {}

  std::vector<uint32_t> presence;
  std::vector<uint32_t> planes;
};

TEST_CASE("a block's counters survive encoding and decoding", "[kernels][plane_block]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  std::mt19937_64 random(Catch::rngSeed());
  for (int round = 0; round < 50; ++round) {
    std::vector<uint64_t> counters(num_slices * kPositions);
    for (uint64_t& count : counters) count = random() % (kMaxPlaneCount + 1);
    counters[0] = 0;  // not the marker
    REQUIRE(FitsPlanes(counters, num_slices));
    Words words(num_slices);
    EncodePlanes(counters, num_slices, words.presence.data(), words.planes.data());
    CHECK_FALSE(IsPromoted(words.planes.data(), num_slices));
    std::vector<uint64_t> decoded(counters.size(), 99);
    DecodePlanes(words.presence.data(), words.planes.data(), num_slices, decoded);
    CHECK(tests::FirstDifference(decoded, counters) == "");
    for (size_t i = 0; i < counters.size(); ++i) {
      REQUIRE(PlaneCountAt(words.presence.data(), words.planes.data(), num_slices, i / kPositions,
                           i % kPositions) == counters[i]);
    }
  }
}

TEST_CASE("encoding a block gives the reference's words", "[kernels][plane_block]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  for (size_t size = 0; size < 60; ++size) {
    ReferenceFilter reference(1, num_slices);
    for (const uint64_t digest : tests::DrawnDigests(size, size + 1, Catch::rngSeed() + size)) {
      reference.Insert(digest);
    }
    const bool fits = FitsPlanes(reference.counters(), num_slices);
    REQUIRE(fits == reference.PromotedBlocks().empty());
    Words words(num_slices);
    if (fits) {
      EncodePlanes(reference.counters(), num_slices, words.presence.data(), words.planes.data());
      REQUIRE(words.presence == reference.PresenceWords());
    } else {
      MarkPromoted(words.planes.data(), num_slices);
    }
    REQUIRE(words.planes == reference.CountWords());
    REQUIRE(IsPromoted(words.planes.data(), num_slices) == !fits);
  }
}

TEST_CASE("a block fits up to a count of eight but not with slice 0 all full",
          "[kernels][plane_block]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  std::vector<uint64_t> counters(num_slices * kPositions, 8);
  CHECK_FALSE(FitsPlanes(counters, num_slices));
  counters[17] = 7;
  CHECK(FitsPlanes(counters, num_slices));
  for (size_t i = 0; i < counters.size(); ++i) {
    const uint64_t before = counters[i];
    counters[i] = 9;
    REQUIRE_FALSE(FitsPlanes(counters, num_slices));
    counters[i] = before;
  }
}

TEST_CASE("a promoted block is returned only when no counter is near its limit",
          "[kernels][plane_block]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  std::vector<uint64_t> counters(num_slices * kPositions, 6);
  CHECK(HasDrainedForPlanes(counters, num_slices));
  for (size_t i = 0; i < counters.size(); ++i) {
    counters[i] = 7;
    REQUIRE_FALSE(HasDrainedForPlanes(counters, num_slices));
    counters[i] = 6;
  }
  // What has drained always fits, so that a return never fails.
  CHECK(FitsPlanes(counters, num_slices));
}

}  // namespace
}  // namespace trommel::kernels
