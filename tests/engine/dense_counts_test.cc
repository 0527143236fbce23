// Records of counts against a plain model.
#include "engine/src/fingerprints/dense_counts.h"

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"

namespace trommel {
namespace {

constexpr uint64_t kBlocks = 150;
constexpr uint32_t kSlots = 48;

// Slots as a list, which opens and closes; counts of 0 are none.
struct CountsModel {
  std::vector<std::vector<uint64_t>> slots{kBlocks, std::vector<uint64_t>(kSlots)};
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> keys;

  bool Has(uint64_t block_idx) const {
    for (const uint64_t count : slots[block_idx]) {
      if (count > 0) return true;
    }
    const auto first = keys.lower_bound({block_idx, 0});
    return first != keys.end() && first->first.first == block_idx;
  }
};

TEST_CASE("records of counts hold what a model holds, and take no memory without counts",
          "[fingerprints][dense]") {
  std::mt19937_64 random(Catch::rngSeed());
  const uint64_t max_words = GENERATE(uint64_t{60}, DenseCounts::kNoLimit);
  DenseCounts counts(kBlocks, 26);
  if (max_words != DenseCounts::kNoLimit) counts.LimitTo(max_words);
  const uint64_t reserved_bytes = counts.num_bytes();
  CountsModel model;
  uint64_t num_refused = 0;
  const auto some_count = [&] {
    return random() % 3 == 0 ? 0 : 1 + (random() >> (random() % 64 == 0 ? 1 : 56 + random() % 8));
  };
  for (int step = 0; step < 40'000; ++step) {
    const uint64_t b = random() % (random() % 2 == 0 ? 5 : kBlocks);
    const auto slot = static_cast<uint32_t>(random() % kSlots);
    std::vector<uint64_t>& slots = model.slots[b];
    switch (random() % 5) {
      case 4:
        if (random() % 2 == 0) {
          REQUIRE(counts.Decrement(b, slot) == (slots[slot] > 0));
          slots[slot] -= slots[slot] > 0 ? 1 : 0;
        } else if (counts.Increment(b, slot)) {
          slots[slot] += 1;
        } else {
          num_refused += 1;
        }
        break;
      case 0: {
        const uint64_t count = some_count();
        if (counts.SetSlot(b, slot, count)) {
          slots[slot] = count;
        } else {
          num_refused += 1;
        }
        break;
      }
      case 1: {
        const auto key = static_cast<uint32_t>(random() % 40 * 1'600'000);
        const uint64_t count = some_count();
        if (!counts.SetKey(b, key, count)) {
          num_refused += 1;
        } else if (count > 0) {
          model.keys[{b, key}] = count;
        } else {
          model.keys.erase({b, key});
        }
        break;
      }
      case 2:
        if (slots.back() != 0) break;
        counts.OpenSlot(b, slot);
        slots.pop_back();
        slots.insert(slots.begin() + slot, 0);
        break;
      default:
        if (slots[slot] != 0) break;
        counts.CloseSlot(b, slot);
        slots.erase(slots.begin() + slot);
        slots.push_back(0);
    }
    REQUIRE(counts.Has(b) == model.Has(b));
    REQUIRE(counts.num_words() <= max_words);
    if (max_words == 60) REQUIRE(counts.num_bytes() == reserved_bytes);
    for (const uint32_t s : {slot, static_cast<uint32_t>(random() % kSlots)}) {
      REQUIRE(counts.OfSlot(b, s) == slots[s]);
    }
    const auto key = static_cast<uint32_t>(random() % 40 * 1'600'000);
    const auto found = model.keys.find({b, key});
    REQUIRE(counts.OfKey(b, key) == (found == model.keys.end() ? 0 : found->second));
  }
  CHECK((num_refused > 0) == (max_words == 60));
  for (uint64_t b = 0; b < kBlocks; ++b) {
    for (uint32_t s = 0; s < kSlots; ++s) {
      REQUIRE(counts.OfSlot(b, s) == model.slots[b][s]);
      REQUIRE(counts.SetSlot(b, s, 0));
    }
  }
  for (const auto& [key, count] : model.keys) {
    REQUIRE(counts.OfKey(key.first, key.second) == count);
    REQUIRE(counts.SetKey(key.first, key.second, 0));
  }
  CHECK(counts.num_records() == 0);
  CHECK(counts.num_words() == 0);
  CHECK(counts.num_bytes() == reserved_bytes);
}

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
