// The clock, huge arrays, and ceilings: these are measurements, so what can be tested is their
// order.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bench/machine/clock.h"
#include "bench/machine/huge_array.h"
#include "bench/machine/roofline.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kInCache = uint64_t{1} << 16;
constexpr double kSeconds = 0.01;

TEST_CASE("more lines per operation take longer", "[bench][roofline]") {
  CHECK(RandomUpdateNs(kInCache, kMaxLines, kSeconds) > RandomUpdateNs(kInCache, 1, kSeconds));
}

TEST_CASE("a shape that cannot be measured gives NaN", "[bench][roofline]") {
  CHECK(std::isnan(RandomReadNs({}, kSeconds)));
  CHECK(std::isnan(RandomReadNs(63, 1, kSeconds)));
  CHECK(std::isnan(RandomReadNs(64, 2, kSeconds)));
  CHECK(std::isnan(RandomUpdateNs(kInCache, 0, kSeconds)));
  CHECK(std::isnan(RandomUpdateNs(kInCache, kMaxLines + 1, kSeconds)));
  const std::array<Touch, 3> three = {Touch{kInCache, 1}, Touch{kInCache, 1}, Touch{kInCache, 1}};
  CHECK(std::isnan(RandomUpdateNs(three, kSeconds)));
}

TEST_CASE("a huge array is zero, aligned to a huge page, and movable", "[bench][huge_array]") {
  const size_t size = GENERATE(size_t{1}, size_t{1000}, (size_t{3} << 20) + 1);
  HugeArray<uint32_t> array(size);
  CHECK(array.size() == size);
  CHECK(reinterpret_cast<uintptr_t>(array.data()) % (size_t{1} << 21) == 0);
  CHECK(std::ranges::all_of(std::span(array.data(), size), [](uint32_t x) { return x == 0; }));
  array[size - 1] = 7;
  const HugeArray<uint32_t> moved = std::move(array);
  CHECK(moved[size - 1] == 7);
}

}  // namespace

}  // namespace trommel::bench
