#include "bench/huge_array.h"

#include <algorithm>
#include <span>

#include "support/catch.h"

namespace trommel::bench {
namespace {

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
