// Batches around words of bitmaps and around the chunks that they are cut into.
#include <cstdint>
#include <random>
#include <vector>

#include "promises/specimen.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/targets.h"

namespace trommel::tests {
namespace {

constexpr size_t kBatchSizes[] = {0, 1, 63, 64, 65, 2047, 2048, 2049, 5000};

bool AllAreSet(KeySpan bits, size_t size) {
  for (size_t i = 0; i < 64 * bits.size(); ++i) {
    if (BitAt(bits, i) != (i < size)) return false;  // those beyond are clear
  }
  return true;
}

TEST_CASE("batches of every size are answered key by key, and bits beyond them are clear",
          "[engine][filter][scalable][window][attribute_filter][long]") {
  const FilterKind kind = GENERATE(from_range(AllKinds()));
  const bool is_crowded = GENERATE(false, true);
  const bool has_executor = is_crowded;
  CAPTURE(kind, is_crowded);
  std::mt19937_64 random(Catch::rngSeed());
  const KeyList crowd = DrawnOften(is_crowded ? kind.crowd : 0, kind.Crowd(random), random);
  const auto check = [&](size_t size) {
    CAPTURE(size);
    const auto filter = kind.make();
    if (has_executor) filter->UseExecutor(Executor::Create(2).value());
    KeyList bits = SetBits(crowd.size());
    REQUIRE(filter->Insert(crowd, bits).num_done == crowd.size());
    KeyList keys(size);
    for (uint64_t& key : keys) key = random() >> kind.zero_bits;
    bits = SetBits(size);
    REQUIRE(filter->Insert(keys, bits).num_done == size);
    REQUIRE(AllAreSet(bits, size));
    REQUIRE(filter->num_keys() == crowd.size() + size);
    bits = SetBits(size);
    REQUIRE(filter->Query(keys, bits) == size);
    REQUIRE(AllAreSet(bits, size));

    KeyList mixed = keys;
    for (size_t i = 0; i < size; i += 2) mixed[i] = random() >> kind.zero_bits;
    const uint64_t num_present = filter->Query(mixed, bits);
    const KeyList counts = filter->Counts(mixed);
    std::vector<uint32_t> present;
    std::vector<uint32_t> absent;
    for (size_t i = 0; i < size; ++i) {
      const bool is_present = BitAt(bits, i);
      (is_present ? present : absent).push_back(static_cast<uint32_t>(i));
      REQUIRE(filter->MayContain(mixed[i]) == is_present);
      REQUIRE(filter->Count(mixed[i]) == counts[i]);
      // Of tuples other questions are asked, too.
      REQUIRE((is_present || counts[i] == 0 || !kind.Keeps(Promise::kSelect)));
    }
    REQUIRE(present.size() == num_present);
    if (kind.Keeps(Promise::kSelect)) {
      REQUIRE(filter->Select(mixed, Answer::kMaybePresent) == present);
      REQUIRE(filter->Select(mixed, Answer::kAbsent) == absent);
    }
    if (kind.Keeps(Promise::kInsertIfAbsent)) {
      // Of equal keys the first is new, across the borders of chunks, too.
      KeyList twice = mixed;
      twice.insert(twice.end(), mixed.begin(), mixed.end());
      KeyList twice_bits = SetBits(twice.size());
      const Done done = filter->InsertIfAbsent(twice, twice_bits);
      for (size_t i = 0; i < twice.size(); ++i) {
        const bool may_be_new = i < size && i % 2 == 0;
        REQUIRE((may_be_new || !BitAt(twice_bits, i)));
      }
      REQUIRE(filter->num_keys() == crowd.size() + size + done.num_done);
      if (kind.Keeps(Promise::kErase)) {
        const KeyList inserted = ChosenKeys(twice, twice_bits);
        REQUIRE(filter->Erase(inserted, twice_bits).num_done == inserted.size());
      }
    }
    if (!kind.Keeps(Promise::kErase)) return;
    bits = SetBits(size);
    REQUIRE(filter->Erase(keys, bits).num_done == size);
    REQUIRE(AllAreSet(bits, size));
    REQUIRE(filter->num_keys() == crowd.size());
    if (is_crowded) return;
    REQUIRE(filter->Erase(keys, bits).num_refused == size);
    REQUIRE(filter->Figures().num_refused_erases == size);
    REQUIRE((filter->Serialize() == kind.make()->Serialize()));
  };
  for (const size_t size : kBatchSizes) check(size);
  if (is_crowded) return;
  ForEachRunnableTarget([&] {
    for (const size_t size : {65, 2049}) check(size);
  });
}

}  // namespace
}  // namespace trommel::tests
