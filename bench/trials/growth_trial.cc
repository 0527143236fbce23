#include "bench/trials/growth_trial.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/sides/workload.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::bench {
namespace {

constexpr std::array<const char*, kNumGrowthSides> kSides = {"sized", "concurrent", "doubling"};
enum Row : uint8_t { kFillRow, kHitRow, kMissRow, kEraseRow, kNumRows };
constexpr std::array<const char*, kNumRows> kRows = {"fill from empty", "query hit", "query miss",
                                                     "erase"};

constexpr double kMostQuery = 1.5;
constexpr double kMostInsert = 1.5;
constexpr double kMostBefore = 1.1;
constexpr double kMostAfter = 2.1;
constexpr double kMostMean = 1.5;
constexpr double kMostSmallBytes = 12;
constexpr uint64_t kSmall = 1'000'000;

// A filter of any type, by its batch calls.
struct GrowingSide {
  std::function<void(Keys)> insert;
  std::function<uint64_t(Keys)> erase;  // how many were in
  std::function<size_t(Keys, std::span<uint64_t>)> query;
};

template <class Filter>
GrowingSide SideOf(Filter filter) {
  auto shared = std::make_shared<Filter>(std::move(filter));
  return {[shared](Keys keys) { shared->Insert(keys); },
          [shared](Keys keys) { return shared->Erase(keys).num_erased; },
          [shared](Keys keys, std::span<uint64_t> bits) { return shared->Query(keys, bits); }};
}

CountingConfig SizedFor(uint64_t num_keys) {
  return {.capacity = num_keys, .encoding = Encoding::kFingerprints16};
}

ScalableFilter NewDoubling() { return ValueOrExit(ScalableFilter::Create({})); }

GrowingSide MakeSide(size_t side, uint64_t num_keys) {
  switch (side) {
    case kSizedSide:
      return SideOf(ValueOrExit(CountingFilter::Create(SizedFor(num_keys))));
    case kSharedSide:
      return SideOf(ValueOrExit(ConcurrentFilter::Create(SizedFor(num_keys))));
    default:
      return SideOf(NewDoubling());
  }
}

// Times a side from empty to full, its queries there, and the erasure of a part.
std::string MeasureSide(size_t side, uint64_t num_keys, bool counts, std::vector<TrialRow>& rows) {
  GrowingSide filter = MakeSide(side, num_keys);
  const auto add = [&](Row row, double seconds, uint64_t num_done) {
    if (counts) rows[row].sides[side].push_back(seconds * 1e9 / static_cast<double>(num_done));
  };
  const auto timed = [](const auto& work) {
    const double start = CpuSeconds();
    work();
    return CpuSeconds() - start;
  };
  double fill_seconds = 0;
  ForEachBatch(kFirstMember, num_keys, [&](Batch batch) {
    const Keys keys = Keys::Digests(batch.digests);
    fill_seconds += timed([&] { filter.insert(keys); });
  });
  add(kFillRow, fill_seconds, num_keys);

  const uint64_t num_asked = std::min<uint64_t>(num_keys, 4'000'000);
  std::vector<uint64_t> bits(BitmapWords(1'000'000));
  std::string wrong;
  for (const auto& [row, first] :
       {std::pair(kHitRow, kFirstMember), std::pair(kMissRow, kFirstNonMember)}) {
    double seconds = 0;
    uint64_t num_shown = 0;
    ForEachBatch(first, num_asked, [&](Batch batch) {
      seconds += timed([&] {
        num_shown += filter.query(Keys::Digests(batch.digests),
                                  std::span(bits).first(BitmapWords(batch.size())));
      });
    });
    add(row, seconds, num_asked);
    if (row == kHitRow && num_shown != num_asked) wrong = "missed a member";
    if (row == kMissRow && num_shown > num_asked / 50) wrong = "too many false positives";
  }
  double erase_seconds = 0;
  uint64_t num_erased = 0;
  const uint64_t num_going = std::min<uint64_t>(num_keys / 8, 2'000'000);
  ForEachBatch(kFirstMember, num_going, [&](Batch batch) {
    erase_seconds += timed([&] { num_erased += filter.erase(Keys::Digests(batch.digests)); });
  });
  add(kEraseRow, erase_seconds, num_going);
  if (num_erased != num_going) wrong = "refused to erase a member";
  return wrong.empty() ? "" : std::string(kSides[side]) + " " + wrong;
}

uint64_t SizedBytes(uint64_t num_keys) {
  return ValueOrExit(SizeFor({.capacity = num_keys, .encoding = Encoding::kFingerprints16}))
      .geometry.num_bytes();
}

// Fills a filter, with a look at sizes 2^(1/16) apart.
GrowthMemory MeasureMemory(uint64_t num_keys) {
  constexpr double kStep = 1.0442737824274138;  // 2^(1/16)
  ScalableFilter filter = NewDoubling();
  GrowthMemory memory{.least_ratio = 1e9};
  uint64_t num_in = 0;
  uint64_t num_looks = 0;
  for (double size = 1000; size <= static_cast<double>(num_keys); size *= kStep) {
    const auto wanted = static_cast<uint64_t>(size);
    ForEachBatch(kFirstMember + num_in, wanted - num_in,
                 [&](Batch batch) { filter.Insert(Keys::Digests(batch.digests)); });
    num_in = wanted;
    const auto num_bytes = static_cast<double>(filter.GetStats().num_bytes);
    if (num_in < kSmall) {
      memory.most_small_bytes =
          std::max(memory.most_small_bytes, num_bytes / static_cast<double>(num_in));
      continue;
    }
    const double ratio = num_bytes / static_cast<double>(SizedBytes(num_in));
    memory.least_ratio = std::min(memory.least_ratio, ratio);
    memory.largest_ratio = std::max(memory.largest_ratio, ratio);
    memory.mean_ratio += ratio;
    ++num_looks;
  }
  memory.mean_ratio /= static_cast<double>(std::max<uint64_t>(num_looks, 1));
  return memory;
}

std::string TargetLine(const std::string& what, double most, double measured) {
  return Printed("target  %s <= %.1f: %.2f  %s\n", what.c_str(), most, measured,
                 measured <= most ? "met" : "NOT MET");
}

}  // namespace

std::vector<std::string> GrowthColumns() { return {kSides.begin(), kSides.end()}; }

std::vector<RatioColumn> GrowthRatios() {
  return {{"concurrent / sized", kSharedSide, kSizedSide},
          {"doubling / sized", kDoublingSide, kSizedSide},
          {"doubling / concurrent", kDoublingSide, kSharedSide}};
}

GrowthOutcome RunGrowthTrial(uint64_t num_keys, uint64_t rounds) {
  GrowthOutcome outcome{.num_keys = num_keys, .wrong = {}, .rows = {}, .memory = {}};
  for (const char* row : kRows) {
    outcome.rows.push_back({row, std::vector<Figures>(kNumGrowthSides)});
  }
  InRounds(kNumGrowthSides, rounds, [&](size_t side, bool counts) {
    if (!outcome.wrong.empty()) return;
    outcome.wrong = MeasureSide(side, num_keys, counts, outcome.rows);
  });
  if (outcome.wrong.empty()) outcome.memory = MeasureMemory(num_keys);
  return outcome;
}

std::string JudgeGrowth(const GrowthOutcome& outcome) {
  std::string text;
  const auto ratio = [&](Row row) {
    const TrialRow& of = outcome.rows[row];
    return PairedRatio(of.sides[kDoublingSide], of.sides[kSizedSide]).median;
  };
  text += TargetLine("query hit of a filter that doubles, x sized", kMostQuery, ratio(kHitRow));
  text += TargetLine("query miss of a filter that doubles, x sized", kMostQuery, ratio(kMissRow));
  text += TargetLine("insert from empty, growth included, x sized", kMostInsert, ratio(kFillRow));
  const GrowthMemory& memory = outcome.memory;
  if (memory.mean_ratio > 0) {
    text += TargetLine("memory when its blocks are full, x sized", kMostBefore, memory.least_ratio);
    text +=
        TargetLine("memory just after they have grown, x sized", kMostAfter, memory.largest_ratio);
    text += TargetLine("memory on average, x sized", kMostMean, memory.mean_ratio);
  }
  text += TargetLine("bytes per key up to 1M keys", kMostSmallBytes, memory.most_small_bytes);
  return text;
}

}  // namespace trommel::bench
