// The memory of records of counts. What they hold: fingerprint_filter_test.cc.
#include "engine/src/fingerprints/dense_counts.h"

#include <cstdint>

#include "support/allocation_peak.h"
#include "support/catch.h"

namespace trommel {
namespace {

constexpr uint64_t kBlocks = 150;
constexpr uint32_t kSlots = 48;

TEST_CASE("numbers of records fall without memory, and what they leave is used later",
          "[fingerprints][dense][refused_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  DenseCounts counts(kBlocks, 26);
  constexpr uint64_t kCount = uint64_t{1} << 40;
  for (uint64_t b = 0; b < kBlocks; ++b) {
    for (uint32_t slot = 0; slot < kSlots; ++slot) REQUIRE(counts.SetSlot(b, slot, kCount));
  }
  const uint64_t num_bytes = counts.num_bytes();
  {
    const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
    for (uint64_t b = 0; b < kBlocks; ++b) {
      for (uint32_t slot = 0; slot < kSlots; ++slot) {
        if (!counts.SetSlot(b, slot, 1)) FAIL("a count that falls is refused");
      }
    }
  }
  REQUIRE(counts.SetSlot(0, 0, 2));
  REQUIRE(counts.SetSlot(0, 1, 0));
  CHECK(counts.num_bytes() < num_bytes / 2);
  CHECK(counts.OfSlot(0, 0) == 2);
  CHECK(counts.OfSlot(kBlocks - 1, kSlots - 1) == 1);
}

TEST_CASE("a record is as long as its numbers need, and no record longer than a limit of keys",
          "[fingerprints][dense]") {
  DenseCounts counts(1, 18);
  for (uint32_t slot = 0; slot < 42; ++slot) REQUIRE(counts.SetSlot(0, slot, 4));
  CHECK(counts.num_words() == 4);  // five copies of each key: 42 groups of 4 bits
  for (uint32_t slot = 0; slot < 42; ++slot) REQUIRE(counts.SetSlot(0, slot, 99));
  CHECK(counts.num_words() == 9);  // a hundred copies: three groups
  uint32_t key = 0;
  while (counts.SetKey(0, key, 1)) ++key;
  CHECK(key > 1'000);
  // Slots always find space.
  for (uint32_t slot = 0; slot < 51; ++slot) REQUIRE(counts.SetSlot(0, slot, ~uint64_t{0}));
  CHECK(counts.OfSlot(0, 50) == ~uint64_t{0});
  CHECK(counts.OfKey(0, key - 1) == 1);
}

}  // namespace
}  // namespace trommel
