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
  std::vector<uint32_t> presence = std::vector<uint32_t>(kWordSlices, 0x5a5a5a5a);
  std::vector<uint32_t> planes = std::vector<uint32_t>(kWordSlices * kNumPlanes, 0xc3c3c3c3);
};

TEST_CASE("a block's counters survive encoding and decoding", "[kernels][plane_block]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (int round = 0; round < 50; ++round) {
    std::vector<uint64_t> counters(kWordSlices * kPositions);
    for (uint64_t& count : counters) count = random() % (kMaxPlaneCount + 1);
    counters[0] = 0;  // not the marker
    REQUIRE(FitsPlanes(counters));
    Words words;
    EncodePlanes(counters, words.presence.data(), words.planes.data());
    CHECK_FALSE(IsPromoted(words.planes.data()));
    std::vector<uint64_t> decoded(counters.size(), 99);
    DecodePlanes(words.presence.data(), words.planes.data(), decoded);
    CHECK(tests::FirstDifference(decoded, counters) == "");
    for (size_t i = 0; i < counters.size(); ++i) {
      REQUIRE(PlaneCountAt(words.presence.data(), words.planes.data(), i / kPositions,
                           i % kPositions) == counters[i]);
    }
  }
}

TEST_CASE("encoding a block gives the reference's words", "[kernels][plane_block]") {
  for (size_t size = 0; size < 60; ++size) {
    ReferenceFilter reference(1, kWordSlices);
    for (const uint64_t digest : tests::DrawnDigests(size, size + 1, Catch::rngSeed() + size)) {
      reference.Insert(digest);
    }
    const bool fits = FitsPlanes(reference.counters());
    REQUIRE(fits == reference.PromotedBlocks().empty());
    Words words;
    if (fits) {
      EncodePlanes(reference.counters(), words.presence.data(), words.planes.data());
      REQUIRE(words.presence == reference.PresenceWords());
    } else {
      MarkPromoted(words.planes.data());
    }
    REQUIRE(words.planes == reference.CountWords());
    REQUIRE(IsPromoted(words.planes.data()) == !fits);
  }
}

TEST_CASE("a block fits up to a count of eight but not with slice 0 all full",
          "[kernels][plane_block]") {
  std::vector<uint64_t> counters(kWordSlices * kPositions, 8);
  CHECK_FALSE(FitsPlanes(counters));
  counters[17] = 7;
  CHECK(FitsPlanes(counters));
  for (size_t i = 0; i < counters.size(); ++i) {
    const uint64_t before = counters[i];
    counters[i] = 9;
    REQUIRE_FALSE(FitsPlanes(counters));
    counters[i] = before;
  }
}

TEST_CASE("a promoted block is returned only when no counter is near its limit",
          "[kernels][plane_block]") {
  std::vector<uint64_t> counters(kWordSlices * kPositions, 6);
  CHECK(HasDrainedForPlanes(counters));
  for (size_t i = 0; i < counters.size(); ++i) {
    counters[i] = 7;
    REQUIRE_FALSE(HasDrainedForPlanes(counters));
    counters[i] = 6;
  }
  // What has drained always fits, so that a return never fails.
  CHECK(FitsPlanes(counters));
}

}  // namespace
}  // namespace trommel::kernels
