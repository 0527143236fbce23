// InlineVector: no allocation while it is short.
#include "engine/src/base/inline_vector.h"

#include <cstdint>
#include <utility>

#include "support/allocation_peak.h"
#include "support/catch.h"

namespace trommel {
namespace {

using Short = InlineVector<uint32_t, 8>;

TEST_CASE("an inline vector allocates only what is not inside", "[engine]") {
  const uint64_t before = tests::NumAllocations();
  Short inside;
  inside.Append(8, 7);
  Short copy = inside;
  const Short moved = std::move(copy);
  const uint64_t after_inside = tests::NumAllocations();
  inside.push_back(8);
  const uint64_t after_outside = tests::NumAllocations();
  CHECK(after_inside == before);
  CHECK(after_outside == before + (tests::AllocationPeak::IsCounted() ? 1 : 0));
  CHECK(moved.size() == 8);
  CHECK(inside.back() == 8);
}

}  // namespace
}  // namespace trommel
