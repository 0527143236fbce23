// Batches for which the system refuses all memory on the calling thread: they do without scratch
// and without handing work to threads, and say the same.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/counting/forced_route.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::AllocationPeak;
using tests::Refused;
using tests::RefusedAllocation;

constexpr size_t kManyKeys = 100'000;

// What calls say of a batch: with memory, or without.
struct Said {
  std::vector<uint64_t> bits = std::vector<uint64_t>(BitmapWords(kManyKeys));
  std::vector<uint32_t> selection = std::vector<uint32_t>(kManyKeys);
  std::vector<uint64_t> counts = std::vector<uint64_t>(kManyKeys);
  size_t num_present = 0;
  size_t num_selected = 0;

  friend bool operator==(const Said&, const Said&) = default;
};

template <class Filter>
void Ask(const Filter& filter, Keys keys, Said& said) {
  said.num_present = filter.Query(keys, said.bits);
  said.num_selected = filter.Select(keys, Answer::kMaybePresent, said.selection);
  filter.CountEstimates(keys, said.counts);
  std::ranges::fill(std::span(said.selection).subspan(said.num_selected), 0);  // scratch
}

template <class Filter>
void CheckSaysTheSame(const Filter& filter, Keys keys) {
  Said with;
  Said without;
  Ask(filter, keys, with);
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    Ask(filter, keys, without);
  }
  CHECK((with == without));
}

TEST_CASE("an executor that finds no memory leaves all tasks to the caller", "[engine][executor]") {
  if (!AllocationPeak::IsCounted()) return;
  const auto executor = Executor::Create(3).value();
  constexpr size_t kTasks = 100;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; ++n) {
    CAPTURE(n);
    std::vector<std::atomic<int>> times(kTasks);
    const auto task = [&times](size_t i) { times[i] += 1; };
    {
      const RefusedAllocation refused(n);
      executor->ForEach(kTasks, std::cref(task));
      was_refused = refused.was_refused();
    }
    CHECK(std::ranges::all_of(times, [](const auto& number) { return number == 1; }));
    executor->ForEach(kTasks, std::cref(task));  // and again with memory
    CHECK(std::ranges::all_of(times, [](const auto& number) { return number == 2; }));
  }
}

TEST_CASE("without memory a filter with a limit says of all batches what it says with it",
          "[engine][side_limit][long]") {
  if (!AllocationPeak::IsCounted()) return;
  const auto encoding =
      GENERATE(Encoding::kRuns, Encoding::kPlanes, Encoding::kFingerprints16, Encoding::kDense);
  const auto route = GENERATE(Route::kAutomatic, Route::kDirect, Route::kSplit);
  const auto make = [&] {
    CountingFilter filter = CountingFilter::Create({.capacity = 10'000,
                                                    .target_fpr = 0.002,
                                                    .digest = {.kind = DigestKind::kCaller},
                                                    .encoding = encoding,
                                                    .side_memory_limit_bytes = 60'000,
                                                    .executor = Executor::Create(3).value()})
                                .value();
    ForcedRoute::Use(filter, route);
    return filter;
  };
  const std::vector<uint64_t> digests = tests::MemberKeys(kManyKeys, Catch::rngSeed());
  const Keys keys = Keys::Digests(digests);
  CountingFilter with = make();
  CountingFilter without = make();
  ConcurrentFilter shared(make());
  std::vector<uint64_t> bits(BitmapWords(kManyKeys));
  std::vector<uint64_t> refused(bits.size());
  std::vector<uint64_t> bits_without(bits.size());
  std::vector<uint64_t> refused_without(bits.size());
  InsertOutcome outcome;
  InsertOutcome outcome_shared;
  for (int round = 0; round < 2; ++round) {
    const InsertOutcome wanted = with.Insert(keys);
    {
      const RefusedAllocation none(1, Refused::kAllFrom);
      outcome = without.Insert(keys);
      outcome_shared = shared.Insert(keys);
    }
    CHECK(outcome == wanted);
    CHECK(outcome_shared == wanted);
    CHECK(wanted.num_refused > 0);
  }
  const InsertOutcome wanted = with.InsertIfAbsent(keys, bits, refused);
  const EraseOutcome erased = with.Erase(keys);
  EraseOutcome erased_without;
  EraseOutcome erased_shared;
  {
    const RefusedAllocation none(1, Refused::kAllFrom);
    outcome = without.InsertIfAbsent(keys, bits_without, refused_without);
    outcome_shared = shared.InsertIfAbsent(keys, bits_without, refused_without);
    erased_without = without.Erase(keys);
    erased_shared = shared.Erase(keys);
  }
  CHECK(outcome == wanted);
  CHECK(outcome_shared == wanted);
  CHECK((bits_without == bits));
  CHECK((refused_without == refused));
  CHECK(erased_without == erased);
  CHECK(erased_shared == erased);
  CheckSaysTheSame(without, keys);
  CheckSaysTheSame(shared, keys);
  CHECK((without.Serialize() == with.Serialize()));
  CHECK((shared.Serialize() == with.Serialize()));
}

TEST_CASE("without memory a scalable filter is queried and erased as with it",
          "[engine][scalable][long]") {
  if (!AllocationPeak::IsCounted()) return;
  ScalableFilter filter = ScalableFilter::Create({.side_memory_limit_bytes = 1'000'000,
                                                  .executor = Executor::Create(3).value()})
                              .value();
  const auto keys = tests::MemberKeys(kManyKeys, Catch::rngSeed());
  REQUIRE(filter.Insert(keys).num_refused == 0);
  CheckSaysTheSame(filter, Keys(keys));
  EraseOutcome outcome;
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    outcome = filter.Erase(keys);
  }
  CHECK(outcome.num_erased == kManyKeys);
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("without memory for a plan an attribute filter says that every tuple may be in",
          "[engine][attributes][attribute_filter]") {
  if (!AllocationPeak::IsCounted()) return;
  AttributeFilter filter = AttributeFilter::Create({.sets = *AttributeSets::AtMost(3, 1),
                                                    .capacity = 1000,
                                                    .executor = Executor::Create(3).value()})
                               .value();
  const std::vector<uint64_t> all_different = {0, 0, 0};
  const auto rows = tests::RandomRows(1000, all_different, Catch::rngSeed());
  const auto others =
      tests::RandomRows(1000, all_different, Catch::rngSeed(), tests::KeySpace::kNonMembers);
  const tests::TupleColumns member_columns(rows);
  const tests::TupleColumns other_columns(others);
  REQUIRE(filter.Insert(member_columns.view()).num_refused == 0);
  std::vector<uint64_t> bits(BitmapWords(rows.size()));
  const std::vector<AttributeMask> asked(rows.size(), AttributeMask{0b101});
  size_t num_first = 0;
  size_t num_members = 0;
  size_t num_others = 0;
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    num_first = filter.Query(0b101, other_columns.view(), bits);
  }
  CHECK(num_first == others.size());
  CHECK(filter.PartsOf(0b101).size() == 2);
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    num_members = filter.QueryEach(asked, member_columns.view(), bits);
    num_others = filter.QueryEach(asked, other_columns.view(), bits);
  }
  CHECK(num_members == rows.size());
  CHECK(num_others < others.size() / 10);
  CHECK(num_others == filter.QueryEach(asked, other_columns.view(), bits));
}

}  // namespace
}  // namespace trommel
