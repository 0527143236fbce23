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

TEST_CASE("two arrays may be touched in one operation", "[bench][roofline]") {
  const std::array<Touch, 2> planes = {Touch{kInCache, 1}, Touch{3 * kInCache, 2}};
  CHECK(RandomUpdateNs(planes, kSeconds) > 0);
  CHECK(RandomReadNs(planes, kSeconds) > 0);
}

TEST_CASE("a shape that cannot be measured gives NaN", "[bench][roofline]") {
  CHECK(std::isnan(RandomReadNs({}, kSeconds)));
  CHECK(std::isnan(RandomReadNs(63, 1, kSeconds)));
  CHECK(std::isnan(RandomReadNs(128, 3, kSeconds)));
  CHECK(std::isnan(RandomUpdateNs(kInCache, 0, kSeconds)));
  CHECK(std::isnan(RandomUpdateNs(kInCache, kMaxLines + 1, kSeconds)));
  const std::array<Touch, 3> three = {Touch{kInCache, 1}, Touch{kInCache, 1}, Touch{kInCache, 1}};
  CHECK(std::isnan(RandomUpdateNs(three, kSeconds)));
}

TEST_CASE("threads share the arrays they read and part those they change", "[bench][roofline]") {
  CHECK(RandomReadNs(std::array{Touch{128, 2}}, kSeconds, 3) > 0);
  CHECK(RandomUpdateNs(std::array{Touch{3 * 128, 2}}, kSeconds, 3) > 0);
  CHECK(std::isnan(RandomUpdateNs(std::array{Touch{3 * 128 - 64, 2}}, kSeconds, 3)));
  CHECK(std::isnan(RandomReadNs(std::array{Touch{kInCache, 1}}, kSeconds, 0)));
  CHECK(StreamGbPerS(kInCache, kSeconds, 3) > 0);
  CHECK(std::isnan(StreamGbPerS(kInCache, kSeconds, 0)));
}

TEST_CASE("an array may have just the lines of one operation", "[bench][roofline]") {
  CHECK(RandomUpdateNs(128, 2, kSeconds) > 0);
  CHECK(StreamGbPerS(1, kSeconds) > 0);
}

TEST_CASE("the CPU clock advances while the thread works", "[bench][cpu_clock]") {
  const double start = CpuSeconds();
  volatile double work = 0;
  while (CpuSeconds() - start < 0.001) work = work + 1;
  CHECK(CpuSeconds() > start);
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
