// Filters that expire and grow, one thread: a WindowFilter beside a CountingFilter that holds as
// many keys at the same rate, and a ScalableFilter from empty to full beside one that has room for
// all from the start. How to read it: README.md.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/contenders.h"
#include "bench/sides/demand.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/arena.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::bench {
namespace {

constexpr double kRate = 0.01;
constexpr double kMost = 1.5;  // of the other side's time: the target of queries and of growth

std::string TargetLine(const std::string& what, double measured) {
  return Printed("target  %s <= %.1f: %.2f  %s\n", what.c_str(), kMost, measured,
                 measured <= kMost ? "met" : "NOT MET");
}

// Prints a WindowFilter beside a CountingFilter: every operation.
void RunWindowTrial(uint64_t num_keys, uint64_t rounds) {
  enum : uint8_t { kCounting, kWindow };
  std::vector<std::unique_ptr<Contender>> sides;
  sides.push_back(MakeOurs("counting", CreateOrExit({.capacity = num_keys, .target_fpr = kRate})));
  sides.push_back(MakeWindow(num_keys, kRate));
  Arena arena(num_keys, std::move(sides));
  DemandNone(arena.Prove());
  std::vector<RowPlan> plans;
  for (const Op op : kAllOps) plans.push_back({std::string(OpName(op)), op, {kCounting, kWindow}});
  std::vector<TrialRow> rows;
  DemandNone(MeasureRows(arena, plans, rounds, {}, rows));
  DemandNone(arena.Prove());
  std::string text =
      FormatTrial(Printed("\n%s keys; ns per key", CountName(num_keys).c_str()),
                  {"counting", "window"}, {{"window / counting", kWindow, kCounting}}, rows);
  for (const size_t side : {kCounting, kWindow}) {
    const auto num_bytes = static_cast<double>(arena.side(side).num_bytes());
    text += Printed("%-12s %8.1f MB %6.2f bits per key   FPR %.4f %%, predicted %.4f %%\n",
                    std::string(arena.side(side).name()).c_str(), num_bytes / 1e6,
                    8 * num_bytes / static_cast<double>(num_keys), 100 * arena.measured_fpr(side),
                    100 * arena.predicted_fpr(side));
  }
  for (const TrialRow& row : rows) {
    if (row.label != OpName(Op::kQueryHit) && row.label != OpName(Op::kQueryMiss)) continue;
    text += TargetLine(row.label + " of a window / counting",
                       PairedRatio(row.sides[kWindow], row.sides[kCounting]).median);
  }
  std::fputs(text.c_str(), stdout);
}

enum GrowthSide : uint8_t {
  kSizedSide,    // a CountingFilter of fingerprints of 16 bits
  kGrowingSide,  // a ScalableFilter, from its least size
  kNumGrowthSides
};
constexpr std::array<const char*, kNumGrowthSides> kSides = {"sized", "growing"};
enum Row : uint8_t { kFillRow, kHitRow, kMissRow, kEraseRow, kNumRows };
constexpr std::array<const char*, kNumRows> kRows = {"fill from empty", "query hit", "query miss",
                                                     "erase"};

AnyFilterPtr MakeSide(size_t side, uint64_t num_keys) {
  if (side == kGrowingSide) return AnyFilter::Of(ValueOrExit(ScalableFilter::Create({})));
  return AnyFilter::Of(ValueOrExit(
      CountingFilter::Create({.capacity = num_keys, .encoding = Encoding::kFingerprints16})));
}

// Times a side from empty to full, its queries there, and the erasure of a part.
void MeasureSide(size_t side, uint64_t num_keys, bool counts, std::vector<TrialRow>& rows) {
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
    Demand(row == kMissRow || num_shown == num_asked, "a member is absent");
    Demand(row == kHitRow || num_shown <= num_asked / 50, "too many false positives");
  }
  double erase_seconds = 0;
  uint64_t num_erased = 0;
  const uint64_t num_going = std::min<uint64_t>(num_keys / 8, 2'000'000);
  ForEachBatch(kFirstMember, num_going, [&](Batch batch) {
    erase_seconds +=
        timed([&] { num_erased += filter->Erase(Keys::Digests(batch.digests), {})->num_erased; });
  });
  add(kEraseRow, erase_seconds, num_going);
  Demand(num_erased == num_going, "a member could not be erased");
}

// Prints a filter that grows beside one that need not.
void RunGrowthTrial(uint64_t num_keys, uint64_t rounds) {
  std::vector<TrialRow> rows;
  for (const char* row : kRows) rows.push_back({row, std::vector<Figures>(kNumGrowthSides)});
  InRounds(kNumGrowthSides, rounds,
           [&](size_t side, bool counts) { MeasureSide(side, num_keys, counts, rows); });
  std::string text = FormatTrial(
      Printed("\n%s keys, growth; ns per key", CountName(num_keys).c_str()),
      {kSides.begin(), kSides.end()}, {{"growing / sized", kGrowingSide, kSizedSide}}, rows);
  for (const Row row : {kHitRow, kMissRow, kFillRow}) {
    text +=
        TargetLine(std::string(kRows[row]) + " of a filter that grows / sized",
                   PairedRatio(rows[row].sides[kGrowingSide], rows[row].sides[kSizedSide]).median);
  }
  std::fputs(text.c_str(), stdout);
}

constexpr uint64_t kMinKeys = 100'000;  // with fewer a batch is too short for the clock

constexpr char kUsage[] =
    "usage: family_bench [--keys=1M,30M] [--rounds=9]\n"
    "  --keys      sizes to compare at, in turn (at least 100k)\n"
    "  --rounds    paired measurements of each figure, after one that does not count\n";

int Main(int argc, char** argv) {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  uint64_t rounds = 9;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", keys, kMinKeys), CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  std::fputs(TrialHeading(", all sides at 1 % in all", rounds).c_str(), stdout);
  for (const uint64_t num_keys : keys) {
    RunWindowTrial(num_keys, rounds);
    RunGrowthTrial(num_keys, rounds);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
