// Which bucket a tick is in, and which buckets are live.
#include "engine/src/window/time_buckets.h"

#include <cstdint>
#include <limits>

#include "support/catch.h"

namespace trommel {
namespace {

constexpr uint64_t kEnd = std::numeric_limits<uint64_t>::max();

TEST_CASE("buckets follow each other without gaps and differ by one tick at most",
          "[engine][window]") {
  for (uint64_t window = 1; window <= 100; window += 3) {
    for (uint32_t num_buckets = 1; num_buckets <= window && num_buckets <= 64; ++num_buckets) {
      const TimeBuckets times{window, num_buckets};
      for (const uint64_t first : {uint64_t{0}, times.BucketOf(kEnd) - 2 * num_buckets}) {
        for (uint64_t b = first; b < first + 2 * num_buckets; ++b) {
          const uint64_t length = times.LastTick(b) - times.FirstTick(b) + 1;
          REQUIRE(times.FirstTick(b + 1) == times.LastTick(b) + 1);
          REQUIRE((length == times.LongestTicks() || length + 1 == times.LongestTicks()));
          REQUIRE(times.BucketOf(times.FirstTick(b)) == b);
          REQUIRE(times.BucketOf(times.LastTick(b)) == b);
        }
        // num_buckets of them are the window.
        REQUIRE(times.FirstTick(first + num_buckets) - times.FirstTick(first) == window);
      }
    }
  }
}

TEST_CASE("time ends within a bucket", "[engine][window]") {
  for (const uint64_t window : {uint64_t{1}, uint64_t{7}, uint64_t{1} << 63, kEnd}) {
    const TimeBuckets times{window, static_cast<uint32_t>(window < 64 ? window : 64)};
    const uint64_t last = times.BucketOf(kEnd);
    CHECK(times.FirstTick(last) <= kEnd);
    CHECK(times.LastTick(last) == kEnd);
    CHECK(times.LastTick(0) < window);
    CHECK(times.IsLive(0, times.BucketOf(window - 1)));
  }
}

}  // namespace
}  // namespace trommel
