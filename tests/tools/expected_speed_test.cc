// The table of expected speeds: complete, and chosen from by size.
#include "tools/trommel/expected_speed.h"

#include <cstdint>

#include "support/catch.h"

namespace trommel::tool {
namespace {

TEST_CASE("every shape has a speed, in cache and beyond", "[tools][expected_speed]") {
  for (const Encoding encoding : {Encoding::kPlanes, Encoding::kRuns}) {
    for (uint32_t num_slices = 1; num_slices <= 16; ++num_slices) {
      Geometry geometry{.num_slices = num_slices, .encoding = encoding, .num_blocks = 1};
      if (!Validate(geometry).ok()) continue;
      CAPTURE(EncodingName(encoding), num_slices);
      const ExpectedSpeed near = ExpectedSpeedOf(geometry);
      geometry.num_blocks = 100'000'000;
      const ExpectedSpeed far = ExpectedSpeedOf(geometry);
      CHECK(near.query_ns > 0);
      CHECK(near.insert_ns > 0);
      CHECK(near.erase_ns > 0);
      CHECK(near.query_ns < far.query_ns);
      CHECK(near.insert_ns < far.insert_ns);
      CHECK(near.erase_ns < far.erase_ns);
    }
  }
}

TEST_CASE("a filter of a block more than the cache is beyond it", "[tools][expected_speed]") {
  Geometry geometry{.num_slices = 8, .num_blocks = kMaxBytesInCache / 128};
  CHECK(IsInCache(geometry));
  ++geometry.num_blocks;
  CHECK_FALSE(IsInCache(geometry));
}

}  // namespace
}  // namespace trommel::tool
