// EraseAll of filters of every kind: a batch goes as a whole, or nothing changes. Batches are drawn
// from an exact multiset, with keys that are not in it, keys given too often, and keys that nothing
// tells apart from others.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>

#include "promises/specimen.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/shrink.h"

namespace trommel::tests {
namespace {

constexpr uint64_t kLater = 150;

// Of a kind with time: half of the keys were inserted earlier.
uint64_t TimeOfKey(uint64_t key) { return (key >> 32 & 1) * kLater; }

// Returns those that a limit did not refuse.
KeyList InsertAtTheirTimes(Specimen& filter, const KeyList& keys) {
  KeyList all_taken;
  for (const uint64_t time : {uint64_t{0}, kLater}) {
    KeyList of_time;
    std::ranges::copy_if(keys, std::back_inserter(of_time),
                         [time](uint64_t key) { return TimeOfKey(key) == time; });
    KeyList bits = SetBits(of_time.size());
    filter.Insert(of_time, bits, time);
    const KeyList taken = ChosenKeys(of_time, bits);
    all_taken.insert(all_taken.end(), taken.begin(), taken.end());
  }
  return all_taken;
}

Done EraseAllOf(Specimen& filter, const KeyList& keys, BitSpan missing) {
  KeyList times;
  for (const uint64_t key : keys) times.push_back(TimeOfKey(key));
  return filter.EraseAll(keys, missing, times).value();
}

// What every batch promises. Returns whether it was erased.
bool CheckErasure(const FilterKind& kind, Specimen& filter, const KeyList& batch) {
  const ByteList before = filter.Serialize();
  const auto plain = filter.Clone().value();
  uint64_t num_refused_by_erase = 0;
  for (const uint64_t key : batch) {
    num_refused_by_erase += uint64_t{!plain->EraseOne(key, TimeOfKey(key))};
  }
  KeyList missing = SetBits(batch.size());
  const Done outcome = EraseAllOf(filter, batch, missing);
  uint64_t num_marked = 0;
  for (const uint64_t word : missing) num_marked += static_cast<uint64_t>(std::popcount(word));
  CHECK(num_marked == outcome.num_refused);
  if (num_refused_by_erase > 0) CHECK(outcome.num_refused > 0);
  if (outcome.num_refused == 0) {
    CHECK(outcome.num_done == batch.size());
    CHECK((filter.Serialize() == plain->Serialize()));
    return true;
  }
  CHECK(outcome.num_done == 0);
  CHECK((filter.Serialize() == before));
  CHECK(filter.Figures().num_refused_erases >= outcome.num_refused);
  if (kind.Keeps(Promise::kExactEraseAll)) CHECK(num_refused_by_erase > 0);
  // Without those that are missing it goes, and it goes with none of them.
  KeyList present;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (!BitAt(missing, i)) present.push_back(batch[i]);
  }
  CHECK(EraseAllOf(*filter.Clone().value(), present, missing).num_refused == 0);
  return false;
}

// The members, of which each has a place for each copy.
KeyList CopiesOf(const std::map<uint64_t, uint64_t>& members) {
  KeyList keys;
  for (const auto& [key, count] : members) keys.insert(keys.end(), count, key);
  return keys;
}

TEST_CASE("a batch is erased as a whole, or nothing changes and what is missing is told",
          "[engine][erase_all][side_limit][scalable][window][attribute_filter][long]") {
  const FilterKind kind = GENERATE(from_range(KindsThatKeep({Promise::kErase})));
  const bool is_limited = GENERATE(false, true);
  if (is_limited && !kind.Keeps(Promise::kSideLimit)) return;
  const double share = is_limited ? 0.4 : GENERATE(0.03, 1.0);  // of a crowd
  CAPTURE(kind, is_limited, share);
  std::mt19937_64 random(Catch::rngSeed());
  KeyList universe = kind.Crowd(random);
  if (is_limited) {  // no crowd, of which a copy may not find the space that it has here
    for (uint64_t& key : universe) key = random() >> kind.zero_bits;
  }
  universe.resize(static_cast<size_t>(share * static_cast<double>(kind.crowd)));
  const auto filter = kind.make();
  if (is_limited) REQUIRE(filter->LimitSideMemory(uint64_t{1} << 24).ok());
  filter->Advance(kLater);
  const ByteList as_new = filter->Serialize();
  KeyList keys(universe.size() * 3 / 2);
  for (uint64_t& key : keys) key = universe[random() % universe.size()];
  const KeyList taken = InsertAtTheirTimes(*filter, keys);
  CHECK((is_limited || taken.size() == keys.size()));
  std::map<uint64_t, uint64_t> members;
  for (const uint64_t key : taken) members[key] += 1;
  uint64_t num_refused = 0;
  const uint64_t num_batches = Scaled(9);
  for (uint64_t i = 0; i < num_batches; ++i) {
    KeyList batch = CopiesOf(members);
    std::ranges::shuffle(batch, random);
    batch.resize(random() % (batch.size() / 4 + 2));
    if (i % 3 == 0) {
      for (const uint64_t key : batch) {
        if (--members[key] == 0) members.erase(key);
      }
      CHECK(CheckErasure(kind, *filter, batch));
      continue;
    }
    // With others, on a copy.
    for (uint64_t others = 1 + random() % 3; others > 0; --others) {
      const bool is_near = random() % 2 == 0;
      batch.push_back(is_near ? universe[random() % universe.size()] : random() >> kind.zero_bits);
    }
    if (random() % 4 == 0) batch.insert(batch.end(), 20, batch.front());
    std::ranges::shuffle(batch, random);
    num_refused += uint64_t{!CheckErasure(kind, *filter->Clone().value(), batch)};
  }
  CHECK(num_refused > 0);
  // All of it goes, and then none is left.
  const KeyList all = CopiesOf(members);
  CHECK(CheckErasure(kind, *filter, all));
  CHECK(filter->num_keys() == 0);
  KeyList missing = SetBits(all.size());
  CHECK(EraseAllOf(*filter, all, missing) == Done{.num_refused = all.size()});
  CHECK((filter->Serialize() == as_new));
}

}  // namespace
}  // namespace trommel::tests
