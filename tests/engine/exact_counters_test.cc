// Exact counters of any size, against plain integers.
#include "engine/src/blocks/exact_counters.h"

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"

namespace trommel {
namespace {

std::vector<uint64_t> CountersOf(const ExactCounters& exact, ExactCounters::Id id, size_t size) {
  std::vector<uint64_t> counters(size, 99);
  exact.CopyTo(id, counters);
  return counters;
}

TEST_CASE("counters get a digit at each limit without losing their neighbours",
          "[engine][exact_counters]") {
  const size_t num_digits = GENERATE(range(1, 8));
  const uint64_t limit = (uint64_t{1} << 8 * num_digits) - 1;
  std::vector<uint64_t> want(256);
  for (size_t i = 0; i < want.size(); ++i) want[i] = i;
  want[17] = limit;
  ExactCounters exact(want.size());
  const ExactCounters::Id id = exact.Make(want).value();
  CHECK(exact.num_arrays() == num_digits);
  const std::vector<uint16_t> incremented{17, 3};
  REQUIRE(exact.Increment(id, incremented));
  want[17] += 1;
  want[3] += 1;
  CHECK(exact.num_arrays() == num_digits + 1);
  CHECK(CountersOf(exact, id, want.size()) == want);
  for (size_t i = 0; i < want.size(); ++i) REQUIRE(exact.At(id, i) == want[i]);
  CHECK_FALSE(exact.Decrement(id, 17));
  CHECK(exact.At(id, 17) == limit);
  CHECK(exact.At(id, 16) == 16);
  CHECK(exact.At(id, 18) == 18);
  CHECK(exact.ArraysNeeded(id) == num_digits);
}

TEST_CASE("counters begin with as few digits as the largest of them has",
          "[engine][exact_counters]") {
  ExactCounters exact(256);
  std::vector<uint64_t> counters(256, 255);
  const ExactCounters::Id id = exact.Make(counters).value();
  CHECK(exact.num_arrays() == 1);
  for (size_t num_digits = 2; num_digits <= 8; ++num_digits) {
    counters[0] = uint64_t{1} << 8 * (num_digits - 1);
    REQUIRE(exact.Replace(id, counters));
    CHECK(exact.num_arrays() == num_digits);
  }
  counters[0] = std::numeric_limits<uint64_t>::max();
  REQUIRE(exact.Replace(id, counters));
  CHECK(CountersOf(exact, id, 256) == counters);
  counters[0] = 7;
  REQUIRE(exact.Replace(id, counters));
  CHECK(exact.num_arrays() == 1);
  exact.Remove(id);
  CHECK(exact.num_bytes() == 0);
}

// Random programs, with so many arrays (0: no limit).
void CheckAgainstIntegers(size_t max_arrays) {
  constexpr size_t kCounters = 6;
  std::mt19937_64 random(Catch::rngSeed());
  ExactCounters exact(kCounters);
  if (max_arrays != 0) exact.Reserve(max_arrays);
  const uint64_t reserved_bytes = exact.num_bytes();
  std::map<ExactCounters::Id, std::vector<uint64_t>> want;
  uint64_t num_refused = 0;
  const auto some_counters = [&] {
    std::vector<uint64_t> counters(kCounters);
    for (uint64_t& count : counters) count = random() >> (random() % 64);
    return counters;
  };
  for (int step = 0; step < 5000; ++step) {
    const uint64_t choice = random() % 10;
    const auto some = want.empty() ? want.end() : std::next(want.begin(), random() % want.size());
    if (some == want.end() || choice < 2) {
      const std::vector<uint64_t> counters = some_counters();
      const auto id = exact.Make(counters);
      num_refused += uint64_t{!id};
      if (id) REQUIRE(want.emplace(*id, counters).second);
    } else if (choice == 2) {
      exact.Remove(some->first);
      want.erase(some);
    } else if (choice == 3) {
      const std::vector<uint64_t> counters = some_counters();
      if (exact.Replace(some->first, counters)) {
        some->second = counters;
      } else {
        num_refused += 1;
      }
    } else if (choice == 4) {
      const size_t i = random() % kCounters;
      some->second[i] = uint64_t{0xff} >> random() % 2 << random() % 2 * 8;
      if (!exact.Replace(some->first, some->second))
        some->second = CountersOf(exact, some->first, 6);
    } else if (choice < 8) {
      const std::vector<uint16_t> some_idxs{static_cast<uint16_t>(random() % 3),
                                            static_cast<uint16_t>(3 + random() % 3)};
      if (some->second[some_idxs[0]] == ~uint64_t{0}) continue;
      if (some->second[some_idxs[1]] == ~uint64_t{0}) continue;
      if (exact.Increment(some->first, some_idxs)) {
        for (const uint16_t i : some_idxs) some->second[i] += 1;
      } else {
        num_refused += 1;
      }
    } else {
      const size_t i = random() % kCounters;
      if (some->second[i] == 0) continue;
      some->second[i] -= 1;
      REQUIRE(exact.Decrement(some->first, i) == (some->second[i] == 0));
    }
    uint64_t num_needed = 0;
    for (const auto& [id, counters] : want) {
      REQUIRE(CountersOf(exact, id, kCounters) == counters);
      num_needed += exact.ArraysNeeded(id);
    }
    REQUIRE(num_needed <= exact.num_arrays());
    REQUIRE(exact.num_bytes() == exact.CountBytes());
    if (max_arrays != 0) REQUIRE(exact.num_bytes() == reserved_bytes);
    if (max_arrays != 0) REQUIRE(exact.num_arrays() <= max_arrays);
  }
  CHECK((num_refused > 0) == (max_arrays != 0));
  exact.LiftLimit();
  for (const auto& [id, counters] : want) exact.Remove(id);
  CHECK(exact.num_bytes() == 0);
}

TEST_CASE("many blocks' counters agree with integers, and what is refused changes none",
          "[engine][exact_counters][long]") {
  CheckAgainstIntegers(0);
  CheckAgainstIntegers(9);
}

TEST_CASE("exact counters that the system refuses memory stay as they were",
          "[engine][exact_counters]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  std::vector<uint64_t> large(8, uint64_t{1} << 40);
  const std::vector<uint64_t> small(8, 255);
  const std::vector<uint16_t> first{0};
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; ++n) {
    CAPTURE(n);
    ExactCounters exact(8);
    const ExactCounters::Id id = exact.Make(small).value();
    const uint64_t num_bytes = exact.num_bytes();
    bool is_replaced = false;
    {
      const tests::RefusedAllocation refused(n);
      is_replaced = exact.Replace(id, large);
      was_refused = refused.was_refused();
    }
    CHECK(is_replaced != was_refused);
    CHECK(CountersOf(exact, id, 8) == (was_refused ? small : large));
    CHECK(exact.num_bytes() == exact.CountBytes());
    CHECK(exact.num_bytes() >= num_bytes);
    bool is_incremented = false, is_made = true, is_decremented = true;
    {
      // No assertion in here: reporters allocate.
      const tests::RefusedAllocation refused(1, tests::Refused::kAllFrom);
      is_incremented = exact.Increment(id, first);
      is_made = exact.Make(small).has_value();
      is_decremented = exact.Decrement(id, 0);
      exact.Remove(id);
    }
    CHECK(is_incremented == !was_refused);
    CHECK_FALSE(is_made);
    CHECK_FALSE(is_decremented);
    CHECK(exact.num_bytes() == 0);
    CHECK(exact.Make(large).has_value());
  }
}

}  // namespace
}  // namespace trommel
