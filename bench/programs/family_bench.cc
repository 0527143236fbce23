// Our filter types in one run, one thread: the cost of growth and buckets beside one
// CountingFilter that holds as many keys at the same rate. How to read it: README.md.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/contenders.h"
#include "bench/sides/demand.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/sides_trial.h"
#include "trommel/any_filter.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

enum GrowthSide : uint8_t {
  kSizedSide,    // a CountingFilter of fingerprints of 16 bits
  kSharedSide,   // a ConcurrentFilter of the same shape
  kGrowingSide,  // a ScalableFilter, from its least size
  kNumGrowthSides
};

// A filter that grows, beside the blocks of a CountingFilter of fingerprints sized for its keys.
struct GrowthMemory {
  double least_ratio = 0;       // where its blocks are fullest
  double largest_ratio = 0;     // just after they have become more
  double mean_ratio = 0;        // over sizes 2^(1/16) apart, from 10^6 keys on
  double most_small_bytes = 0;  // bytes per key from 11,000 to 10^6 keys, at most
};

struct GrowthOutcome {
  uint64_t num_keys = 0;
  std::string wrong;           // the first wrong answer; empty: there was none
  std::vector<TrialRow> rows;  // ns per key: fill, query hit, query miss, erase
  GrowthMemory memory;
};

constexpr std::array<const char*, kNumGrowthSides> kSides = {"sized", "concurrent", "growing"};
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
constexpr double kFewest = 11'000;  // with fewer, a filter's first bytes decide

CountingConfig SizedFor(uint64_t num_keys) {
  return {.capacity = num_keys, .encoding = Encoding::kFingerprints16};
}

ScalableFilter NewGrowing() { return ValueOrExit(ScalableFilter::Create({})); }

AnyFilterPtr MakeSide(size_t side, uint64_t num_keys) {
  switch (side) {
    case kSizedSide:
      return AnyFilter::Of(ValueOrExit(CountingFilter::Create(SizedFor(num_keys))));
    case kSharedSide:
      return AnyFilter::Of(ValueOrExit(ConcurrentFilter::Create(SizedFor(num_keys))));
    default:
      return AnyFilter::Of(NewGrowing());
  }
}

// Times a side from empty to full, its queries there, and the erasure of a part.
std::string MeasureSide(size_t side, uint64_t num_keys, bool counts, std::vector<TrialRow>& rows) {
  const AnyFilterPtr filter = MakeSide(side, num_keys);
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
    fill_seconds += timed([&] { (void)filter->Insert(keys, {}, nullptr); });
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
        num_shown += filter->Query(Keys::Digests(batch.digests),
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
    erase_seconds +=
        timed([&] { num_erased += filter->Erase(Keys::Digests(batch.digests), {})->num_erased; });
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
  ScalableFilter filter = NewGrowing();
  GrowthMemory memory{.least_ratio = 1e9};
  uint64_t num_in = 0;
  uint64_t num_looks = 0;
  for (double size = kFewest; size <= static_cast<double>(num_keys); size *= kStep) {
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

// The targets of a filter that grows: one line each, met or not.
std::string JudgeGrowth(const GrowthOutcome& outcome) {
  std::string text;
  const auto ratio = [&](Row row) {
    const TrialRow& of = outcome.rows[row];
    return PairedRatio(of.sides[kGrowingSide], of.sides[kSizedSide]).median;
  };
  text += TargetLine("query hit of a filter that grows, x sized", kMostQuery, ratio(kHitRow));
  text += TargetLine("query miss of a filter that grows, x sized", kMostQuery, ratio(kMissRow));
  text += TargetLine("insert from empty, growth included, x sized", kMostInsert, ratio(kFillRow));
  const GrowthMemory& memory = outcome.memory;
  if (memory.mean_ratio > 0) {
    text += TargetLine("memory when its blocks are full, x sized", kMostBefore, memory.least_ratio);
    text +=
        TargetLine("memory just after they have grown, x sized", kMostAfter, memory.largest_ratio);
    text += TargetLine("memory on average, x sized", kMostMean, memory.mean_ratio);
  }
  text += TargetLine("bytes per key from 11k to 1M keys", kMostSmallBytes, memory.most_small_bytes);
  return text;
}

constexpr uint64_t kMinKeys = 100'000;  // with fewer a batch is too short for the clock
constexpr double kMostOfWindowQuery = 1.5;

constexpr char kUsage[] =
    "usage: family_bench [--keys=1M,30M] [--encoding=runs|planes] [--rounds=9]\n"
    "  --keys      sizes to compare at, in turn (at least 100k)\n"
    "  --encoding  of the counting and concurrent sides\n"
    "  --rounds    paired measurements of each figure, after one that does not count\n";

// The targets of queries of a window, as multiples of CountingFilter's time.
void JudgeWindow(const SidesOutcome& outcome) {
  for (const TrialRow& row : outcome.rows) {
    if (row.label != OpName(Op::kQueryHit) && row.label != OpName(Op::kQueryMiss)) continue;
    const double found = PairedRatio(row.sides[kWindowSide], row.sides[kCountingSide]).median;
    std::printf("target  %s of a window / counting <= %.2f: %.2f  %s\n", row.label.c_str(),
                kMostOfWindowQuery, found, found <= kMostOfWindowQuery ? "met" : "NOT MET");
  }
}

// False, with a message, if an answer was wrong.
bool RunGrowth(uint64_t num_keys, uint64_t rounds) {
  const GrowthOutcome outcome = RunGrowthTrial(num_keys, rounds);
  if (!outcome.wrong.empty()) {
    std::fprintf(stderr, "family_bench: %s\n", outcome.wrong.c_str());
    return false;
  }
  const std::string title = "\n" + CountName(num_keys) + " keys, growth; ns per key";
  std::printf("%s\n%s",
              FormatTrial(title, {kSides.begin(), kSides.end()},
                          {{"concurrent / sized", kSharedSide, kSizedSide},
                           {"growing / sized", kGrowingSide, kSizedSide},
                           {"growing / concurrent", kGrowingSide, kSharedSide}},
                          outcome.rows)
                  .c_str(),
              JudgeGrowth(outcome).c_str());
  std::fflush(stdout);
  return true;
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  size_t encoding_idx = 0;
  uint64_t rounds = 9;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", keys, kMinKeys),
                      WordArgument("--encoding", {"runs", "planes"}, encoding_idx),
                      CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  const Encoding encoding = encoding_idx == 0 ? Encoding::kRuns : Encoding::kPlanes;
  std::printf(
      "One thread, target %s, %s, all sides at 1 %% in all. Medians of %d paired rounds; ratios "
      "are taken in each round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), std::string(EncodingName(encoding)).c_str(),
      static_cast<int>(rounds));
  for (const uint64_t num_keys : keys) {
    const SidesOutcome outcome =
        RunSidesTrial(num_keys, MakeFamily({.num_keys = num_keys, .encoding = encoding}), rounds);
    std::vector<RatioColumn> ratios;
    for (size_t side = kCountingSide + 1; side < outcome.columns.size(); ++side) {
      ratios.push_back({outcome.columns[side] + " / counting", side, kCountingSide});
    }
    if (!PrintSidesTrial("family_bench", num_keys, outcome, ratios)) return 1;
    JudgeWindow(outcome);
    if (!RunGrowth(num_keys, rounds)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
