#include "bench/trials/encoding_trial.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "bench/trials/arena.h"

namespace trommel::bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The arena's sides. The split ones share the filters of the direct ones.
enum EncodingSide : size_t {
  kPlanes,
  kRuns,
  kTextbookSide,
  kSplitBlockSide,
  kPlanesSplit,
  kRunsSplit
};

struct Filters {
  explicit Filters(const EncodingRequest& request)
      : planes(CreateOrExit({.capacity = request.num_keys,
                             .target_fpr = request.target_fpr,
                             .encoding = Encoding::kPlanes})),
        runs(CreateOrExit({.capacity = request.num_keys,
                           .target_fpr = request.target_fpr,
                           .num_slices = request.run_slices,
                           .encoding = Encoding::kRuns})) {}

  std::vector<std::unique_ptr<Contender>> Sides(const EncodingRequest& request) const {
    std::vector<std::unique_ptr<Contender>> sides;
    sides.push_back(MakeOurs("planes", planes, {.route = Route::kDirect}));
    sides.push_back(MakeOurs("runs", runs, {.route = Route::kDirect}));
    sides.push_back(MakeTextbook(std::make_shared<TextbookFilter>(
                                     TextbookFilter::ForKeys(request.num_keys, request.target_fpr)),
                                 true));
    const Sizing plain = SizeFor({.capacity = request.num_keys,
                                  .target_fpr = request.target_fpr,
                                  .num_slices = SplitBlockFilter::kWordsPerBlock,
                                  .encoding = Encoding::kPlanes})
                             .value();
    sides.push_back(MakeSplitBlock(plain.geometry.num_blocks));
    sides.push_back(MakeOurs("planes, split", planes, {.route = Route::kSplit}));
    sides.push_back(MakeOurs("runs, split", runs, {.route = Route::kSplit}));
    return sides;
  }

  std::shared_ptr<CountingFilter> planes;
  std::shared_ptr<CountingFilter> runs;
};

const std::vector<RowPlan>& RowPlans() {
  const std::vector<std::pair<size_t, size_t>> direct = {{kPlanes, kPlanesColumn},
                                                         {kRuns, kRunsColumn},
                                                         {kTextbookSide, kTextbookColumn},
                                                         {kSplitBlockSide, kSplitBlockColumn}};
  const std::vector<std::pair<size_t, size_t>> split = {{kPlanesSplit, kPlanesColumn},
                                                        {kRunsSplit, kRunsColumn}};
  const std::vector<std::pair<size_t, size_t>> ours = {{kPlanes, kPlanesColumn},
                                                       {kRuns, kRunsColumn}};
  static const std::vector<RowPlan> plans = {
      {"insert, direct", Op::kInsert, direct}, {"erase, direct", Op::kErase, direct},
      {"query hit", Op::kQueryHit, direct},    {"query miss", Op::kQueryMiss, direct},
      {"insert, split", Op::kInsert, split},   {"erase, split", Op::kErase, split},
      {"insert, one", Op::kPointInsert, ours}, {"erase, one", Op::kPointErase, ours},
      {"hit, one", Op::kPointQueryHit, ours},  {"miss, one", Op::kPointQueryMiss, ours}};
  return plans;
}

double MeasuredFpr(const Contender& side, uint64_t num_non_members) {
  uint64_t num_present = 0;
  ForEachBatch(kFirstNonMember, num_non_members,
               [&](Batch batch) { num_present += side.Query(batch, false); });
  return static_cast<double>(num_present) / static_cast<double>(num_non_members);
}

// Of a filter of the same geometry that holds all the keys and never held others.
Stats FreshStats(const CountingFilter& like, uint64_t num_keys) {
  CountingFilter filter =
      CountingFilter::CreateWithGeometry(like.geometry(), like.digest_policy()).value();
  ForEachBatch(kFirstMember, num_keys,
               [&](Batch batch) { filter.Insert(Keys::Digests(batch.digests)); });
  return filter.GetStats();
}

EncodingMemory MemoryOf(const EncodingRequest& request, const Contender& side,
                        const CountingFilter* filter) {
  const auto num_keys = static_cast<double>(request.num_keys);
  EncodingMemory memory;
  memory.side = side.name();
  memory.num_bytes = static_cast<double>(side.num_bytes());
  double fresh_bytes = memory.num_bytes;
  double predicted_bytes = memory.num_bytes;
  memory.promoted_share = memory.fresh_promoted_share = memory.predicted_promoted_share = kNone;
  if (filter != nullptr) {
    const Geometry& geometry = filter->geometry();
    const auto num_blocks = static_cast<double>(geometry.num_blocks);
    const Stats stats = filter->GetStats();
    const Stats fresh = FreshStats(*filter, request.num_keys);
    memory.num_bytes = static_cast<double>(stats.num_bytes);
    memory.side_table_bytes = static_cast<double>(stats.side_table_bytes);
    fresh_bytes = static_cast<double>(fresh.num_bytes);
    predicted_bytes += static_cast<double>(PredictedSideTableBytes(geometry, request.num_keys));
    memory.promoted_share = static_cast<double>(stats.num_promoted) / num_blocks;
    memory.fresh_promoted_share = static_cast<double>(fresh.num_promoted) / num_blocks;
    memory.predicted_promoted_share = PredictedPromotedShare(geometry, request.num_keys);
  }
  memory.bits_per_key = 8 * memory.num_bytes / num_keys;
  memory.fresh_bits_per_key = 8 * fresh_bytes / num_keys;
  memory.predicted_bits_per_key = 8 * predicted_bytes / num_keys;
  memory.measured_fpr = MeasuredFpr(side, request.num_non_members);
  memory.fpr_sigma = side.FprSigma(request.num_keys, request.num_non_members);
  memory.predicted_fpr = side.PredictedFpr(request.num_keys);
  return memory;
}

bool IsEmpty(const CountingFilter& filter) {
  const Stats stats = filter.GetStats();
  return stats.num_keys == 0 && stats.fill_ratio == 0 && stats.num_promoted == 0;
}

}  // namespace

EncodingOutcome RunEncodingTrial(const EncodingRequest& request) {
  EncodingOutcome outcome;
  outcome.request = request;
  const Filters filters(request);
  Arena arena(request.num_keys, filters.Sides(request));
  std::string& wrong = outcome.wrong;
  if (wrong = arena.Prove(); !wrong.empty()) return outcome;
  for (const RowPlan& plan : RowPlans()) {
    outcome.rows.push_back({plan.label, std::vector<Figures>(kEncodingColumns.size())});
  }
  const auto measure_ceilings = [&](bool counts) {
    const SideCeilings ceilings = arena.MeasureSideCeilings({kRuns}, request.seconds_per_ceiling);
    for (size_t r = 0; counts && r < outcome.rows.size(); ++r) {
      // The split route does not touch random lines: their ceiling does not bound it.
      const RowPlan& plan = RowPlans()[r];
      if (plan.sides.front().first == kPlanesSplit) continue;
      outcome.rows[r].sides[kCeilingColumn].push_back(ceilings.For(kRuns, plan.op));
    }
  };
  wrong = MeasureRows(arena, RowPlans(), request.rounds, measure_ceilings, outcome.rows);
  if (!wrong.empty()) return outcome;

  arena.FillUp();
  if (wrong = arena.Prove(); !wrong.empty()) return outcome;
  const CountingFilter* const ours[] = {filters.planes.get(), filters.runs.get(), nullptr, nullptr};
  for (size_t side = kPlanes; side <= kSplitBlockSide; ++side) {
    outcome.memory.push_back(MemoryOf(request, arena.side(side), ours[side]));
  }
  wrong = arena.EraseAll();
  if (wrong.empty() && !(IsEmpty(*filters.planes) && IsEmpty(*filters.runs))) {
    wrong = "counts are left after all keys were erased";
  }
  return outcome;
}

std::string FormatMemory(const EncodingOutcome& outcome) {
  char text[256];
  std::snprintf(text, sizeof(text), "%-12s %8s  %-32s %-30s %s\n", "", "MB",
                "bits per key: churned, fresh, model", "FPR measured, model",
                "promoted: churned, fresh, model");
  std::string table = text;
  for (const EncodingMemory& memory : outcome.memory) {
    std::snprintf(text, sizeof(text), "%-12s %8.1f  %10.2f %10.2f %10.2f  %.4f%% +-%.4f%%, %.4f%%",
                  memory.side.c_str(), memory.num_bytes / 1e6, memory.bits_per_key,
                  memory.fresh_bits_per_key, memory.predicted_bits_per_key,
                  100 * memory.measured_fpr, 100 * memory.fpr_sigma, 100 * memory.predicted_fpr);
    table += text;
    if (!std::isnan(memory.promoted_share)) {
      std::snprintf(text, sizeof(text), "  %.3f%%, %.3f%%, %.3f%%", 100 * memory.promoted_share,
                    100 * memory.fresh_promoted_share, 100 * memory.predicted_promoted_share);
      table += text;
    }
    table += "\n";
  }
  return table;
}

namespace {

constexpr uint64_t kLeastInMemory = 10'000'000;
constexpr uint64_t kMostInCache = 1'000'000;
constexpr double kSigmas = 3;

// Bits per key allowed at a rate.
constexpr std::pair<double, double> kMemoryTargets[] = {{0.004, 22.5}, {0.0061, 20}};

TargetVerdict JudgeSpeed(const TrialRow& row, double limit) {
  const double ratio = PairedRatio(row.sides[kRunsColumn], row.sides[kPlanesColumn]).median;
  char text[128];
  std::snprintf(text, sizeof(text), "%-15s runs / planes %.2f, at most %.1f", row.label.c_str(),
                ratio, limit);
  return {text, ratio <= limit};
}

}  // namespace

std::vector<TargetVerdict> JudgeRuns(const EncodingOutcome& outcome) {
  std::vector<TargetVerdict> verdicts;
  if (outcome.request.run_slices != 5) return verdicts;
  const EncodingMemory& runs = outcome.memory.at(kRunsColumn);
  for (const auto& [target_fpr, limit] : kMemoryTargets) {
    if (outcome.request.target_fpr != target_fpr) continue;
    char text[160];
    std::snprintf(text, sizeof(text),
                  "memory          %.2f bits per key, at most %.1f, at %.4f %%, at most %.2f %%",
                  runs.bits_per_key, limit, 100 * runs.measured_fpr, 100 * target_fpr);
    verdicts.push_back({text, runs.bits_per_key <= limit &&
                                  runs.measured_fpr - kSigmas * runs.fpr_sigma <= target_fpr});
  }
  const uint64_t num_keys = outcome.request.num_keys;
  if (num_keys >= kLeastInMemory || num_keys <= kMostInCache) {
    const double limit = num_keys >= kLeastInMemory ? 1.0 : 2.5;
    verdicts.push_back(JudgeSpeed(outcome.rows.at(kInsertDirectRow), limit));
    verdicts.push_back(JudgeSpeed(outcome.rows.at(kEraseDirectRow), limit));
  }
  verdicts.push_back(JudgeSpeed(outcome.rows.at(kQueryHitRow), 1.2));
  verdicts.push_back(JudgeSpeed(outcome.rows.at(kQueryMissRow), 1.2));
  return verdicts;
}

}  // namespace trommel::bench
