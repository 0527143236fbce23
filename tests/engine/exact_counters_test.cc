// Exact counters of any size.
#include "engine/src/blocks/exact_counters.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("counters widen at each limit without losing their neighbours",
          "[engine][exact_counters]") {
  const uint64_t limit = GENERATE(uint64_t{0xff}, uint64_t{0xffff}, uint64_t{0xffffffff});
  std::vector<uint64_t> want(256);
  for (size_t i = 0; i < want.size(); ++i) want[i] = i;
  want[17] = limit;
  ExactCounters counters(want);
  const uint64_t narrow_bytes = counters.num_bytes();
  counters.Increment(17);
  want[17] += 1;
  CHECK(counters.num_bytes() == 2 * narrow_bytes);
  std::vector<uint64_t> got(want.size());
  counters.CopyTo(got);
  CHECK(got == want);
  for (size_t i = 0; i < want.size(); ++i) REQUIRE(counters.At(i) == want[i]);
  CHECK(counters.Decrement(17) == limit);
  CHECK(counters.At(17) == limit);
  CHECK(counters.At(16) == 16);
  CHECK(counters.At(18) == 18);
}

TEST_CASE("counters begin as narrow as the largest of them allows", "[engine][exact_counters]") {
  const std::vector<uint64_t> narrow(256, 255);
  CHECK(ExactCounters(narrow).num_bytes() == 256);
  std::vector<uint64_t> wide = narrow;
  wide[0] = 256;
  CHECK(ExactCounters(wide).num_bytes() == 512);
  wide[0] = uint64_t{1} << 16;
  CHECK(ExactCounters(wide).num_bytes() == 1024);
  wide[0] = std::numeric_limits<uint64_t>::max();
  CHECK(ExactCounters(wide).num_bytes() == 2048);
  CHECK(ExactCounters(wide).At(0) == std::numeric_limits<uint64_t>::max());
}

TEST_CASE("a counter counts to a million and back to zero", "[engine][exact_counters]") {
  ExactCounters counters(std::vector<uint64_t>(4, 1));
  for (uint64_t i = 2; i <= 1'000'000; ++i) {
    counters.Increment(2);
    if (counters.At(2) != i) FAIL("lost count at " << i);
  }
  for (uint64_t i = 1'000'000; i > 0; --i) {
    if (counters.Decrement(2) != i - 1) FAIL("lost count at " << i);
  }
  CHECK(counters.At(1) == 1);
  CHECK(counters.At(3) == 1);
}

}  // namespace
}  // namespace trommel
