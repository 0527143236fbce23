#include "bench/trials/encoding_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "bench/trials/arena.h"

namespace trommel::bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr size_t kBatchSize = 65'536;

struct Filters {
  explicit Filters(const EncodingRequest& request)
      : ours{CreateOrExit({.capacity = request.num_keys,
                           .target_fpr = request.target_fpr,
                           .encoding = Encoding::kPlanes}),
             CreateOrExit({.capacity = request.num_keys,
                           .target_fpr = request.target_fpr,
                           .num_slices = request.run_slices,
                           .encoding = Encoding::kRuns}),
             CreateOrExit({.capacity = request.num_keys,
                           .target_fpr = request.target_fpr16,
                           .encoding = Encoding::kFingerprints16}),
             CreateOrExit({.capacity = request.num_keys,
                           .target_fpr = request.target_fpr_of_dense,
                           .encoding = Encoding::kDense})} {}

  std::vector<std::unique_ptr<Contender>> Sides(const EncodingRequest& request) const {
    std::vector<std::unique_ptr<Contender>> sides;
    for (size_t i = 0; i < ours.size(); ++i) {
      sides.push_back(MakeOurs(kEncodingColumns[i], ours[i]));
    }
    sides.push_back(MakeTextbook(std::make_shared<TextbookFilter>(
        TextbookFilter::ForKeys(request.num_keys, request.target_fpr))));
    const Sizing plain = SizeFor({.capacity = request.num_keys,
                                  .target_fpr = request.target_fpr,
                                  .num_slices = SplitBlockFilter::kWordsPerBlock,
                                  .encoding = Encoding::kPlanes})
                             .value();
    sides.push_back(MakeSplitBlock(plain.geometry.num_blocks));
    return sides;
  }

  std::vector<std::shared_ptr<CountingFilter>> ours;  // in the order of their columns
};

// The rows before churn, and after it.
struct Plans {
  std::vector<RowPlan> fresh;
  std::vector<RowPlan> churned;
};

const Plans& RowPlans() {
  using Sides = std::vector<size_t>;
  const Sides all = {kPlanesColumn, kRunsColumn,     kWideColumn,
                     kDenseColumn,  kTextbookColumn, kSplitBlockColumn};
  const Sides one = {kPlanesColumn, kRunsColumn, kWideColumn, kDenseColumn, kSplitBlockColumn};
  const Sides ours = {kPlanesColumn, kRunsColumn, kWideColumn, kDenseColumn};
  static const Plans plans = {{{"insert", Op::kInsert, all},
                               {"erase", Op::kErase, all},
                               {"query hit", Op::kQueryHit, all},
                               {"query miss", Op::kQueryMiss, all},
                               {"insert, one", Op::kPointInsert, one},
                               {"erase, one", Op::kPointErase, one},
                               {"hit, one", Op::kPointQueryHit, one},
                               {"miss, one", Op::kPointQueryMiss, one},
                               {"insert, fetched", Op::kFetchedInsert, ours},
                               {"erase, fetched", Op::kFetchedErase, ours},
                               {"hit, fetched", Op::kFetchedQueryHit, ours},
                               {"miss, fetched", Op::kFetchedQueryMiss, ours}},
                              {{"insert, churned", Op::kInsert, all},
                               {"erase, churned", Op::kErase, all},
                               {"hit, churned", Op::kQueryHit, all},
                               {"miss, churned", Op::kQueryMiss, all}}};
  return plans;
}

double MeasuredFpr(const Contender& side, uint64_t num_non_members) {
  uint64_t num_present = 0;
  ForEachBatch(kFirstNonMember, num_non_members,
               [&](Batch batch) { num_present += side.Query(batch, Form::kBatch); });
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
  return stats.num_keys == 0 && filter.MeasureFill().fill_ratio == 0 && stats.num_promoted == 0;
}

}  // namespace

EncodingOutcome RunEncodingTrial(const EncodingRequest& request) {
  EncodingOutcome outcome;
  outcome.request = request;
  const Filters filters(request);
  Arena arena(request.num_keys, kBatchSize, filters.Sides(request));
  std::string& wrong = outcome.wrong;
  if (wrong = arena.Prove(); !wrong.empty()) return outcome;
  const auto measure = [&](const std::vector<RowPlan>& plans) {
    wrong = MeasureRows(arena, plans, request.rounds,
                        CeilingColumn{kRunsColumn, request.seconds_per_ceiling}, outcome.rows);
  };
  measure(RowPlans().fresh);
  if (!wrong.empty()) return outcome;
  arena.FillUp();
  if (wrong = arena.Churn(); !wrong.empty()) return outcome;
  if (wrong = arena.Prove(); !wrong.empty()) return outcome;
  for (size_t side = 0; side < kCeilingColumn; ++side) {
    const bool is_ours = side < filters.ours.size();
    outcome.memory.push_back(
        MemoryOf(request, arena.side(side), is_ours ? filters.ours[side].get() : nullptr));
  }
  if (wrong = arena.MakeSpace(); !wrong.empty()) return outcome;
  measure(RowPlans().churned);
  if (!wrong.empty()) return outcome;
  arena.FillUp();
  wrong = arena.EraseAll();
  const auto is_empty = [](const auto& filter) { return IsEmpty(*filter); };
  if (wrong.empty() && !std::ranges::all_of(filters.ours, is_empty)) {
    wrong = "counts are left after all keys were erased";
  }
  return outcome;
}

std::string FormatMemory(const EncodingOutcome& outcome) {
  std::string table =
      Printed("%-12s %8s  %-32s %-30s %s\n", "", "MB", "bits per key: churned, fresh, model",
              "FPR measured, model", "promoted: churned, fresh, model");
  for (const EncodingMemory& memory : outcome.memory) {
    table += Printed("%-12s %8.1f  %10.2f %10.2f %10.2f  %.4f%% +-%.4f%%, %.4f%%",
                     memory.side.c_str(), memory.num_bytes / 1e6, memory.bits_per_key,
                     memory.fresh_bits_per_key, memory.predicted_bits_per_key,
                     100 * memory.measured_fpr, 100 * memory.fpr_sigma, 100 * memory.predicted_fpr);
    if (!std::isnan(memory.promoted_share)) {
      table += Printed("  %.3f%%, %.3f%%, %.3f%%", 100 * memory.promoted_share,
                       100 * memory.fresh_promoted_share, 100 * memory.predicted_promoted_share);
    }
    table += "\n";
  }
  return table;
}

namespace {

constexpr uint64_t kLeastInMemory = 10'000'000;
constexpr uint64_t kMostInCache = 1'000'000;
constexpr double kSigmas = 3;

// Bits per key allowed for a column sized for a rate, and the rate to keep.
struct MemoryTarget {
  EncodingColumn column;
  double sized_for;
  double bits_per_key;
  double most_fpr;
};
constexpr MemoryTarget kMemoryTargets[] = {{kRunsColumn, 0.004, 22.5, 0.004},
                                           {kRunsColumn, 0.0061, 20, 0.0061},
                                           {kWideColumn, kTargetFpr16, 25.5, 0.0004},
                                           {kDenseColumn, kTargetFprOfDense, 12.7, 0.003}};

// The most by which `over` may be slower than `under`. 0: no target.
struct SpeedTarget {
  EncodingRow row;
  EncodingColumn over;
  EncodingColumn under;
  double in_cache;
  double between;
  double in_memory;
};
constexpr SpeedTarget kSpeedTargets[] = {{kInsertRow, kRunsColumn, kPlanesColumn, 2.5, 0, 1},
                                         {kEraseRow, kRunsColumn, kPlanesColumn, 2.5, 0, 1},
                                         {kQueryHitRow, kRunsColumn, kPlanesColumn, 1.2, 1.2, 1.2},
                                         {kQueryMissRow, kRunsColumn, kPlanesColumn, 1.2, 1.2, 1.2},
                                         {kInsertRow, kWideColumn, kRunsColumn, 0.4, 0, 0.45},
                                         {kEraseRow, kWideColumn, kRunsColumn, 0.4, 0, 0.45},
                                         {kQueryHitRow, kWideColumn, kRunsColumn, 0.9, 0, 1.1},
                                         {kQueryMissRow, kWideColumn, kRunsColumn, 0.9, 0, 1.1},
                                         {kInsertRow, kDenseColumn, kRunsColumn, 1, 0, 1},
                                         {kEraseRow, kDenseColumn, kRunsColumn, 1, 0, 1},
                                         {kQueryHitRow, kDenseColumn, kRunsColumn, 1, 0, 1},
                                         {kQueryMissRow, kDenseColumn, kRunsColumn, 1, 0, 1}};

// How many times its batched cost one key per call may take, and a key of wide fingerprints the
// cost of split blocks: its insert that of an insert, its erase as well.
constexpr double kMostOfBatched = 1.5;
constexpr double kMostOfSplitUpdate = 1.5;
constexpr double kMostOfSplitQuery = 1.3;

TargetVerdict JudgeRatio(const std::string& what, const Figures& over, const Figures& under,
                         double limit) {
  const double ratio = PairedRatio(over, under).median;
  return {Printed("%-45s %.2f, at most %.2f", what.c_str(), ratio, limit), ratio <= limit};
}

void JudgeMemory(const EncodingOutcome& outcome, std::vector<TargetVerdict>& verdicts) {
  const EncodingRequest& request = outcome.request;
  for (const MemoryTarget& target : kMemoryTargets) {
    const double rates[] = {0, request.target_fpr, request.target_fpr16,
                            request.target_fpr_of_dense};
    if (rates[target.column] != target.sized_for) continue;
    const EncodingMemory& memory = outcome.memory.at(target.column);
    verdicts.push_back(
        {Printed("%s: %.2f bits per key, at most %.1f, at %.4f %%, at most %.2f %%",
                 kEncodingColumns[target.column].c_str(), memory.bits_per_key, target.bits_per_key,
                 100 * memory.measured_fpr, 100 * target.most_fpr),
         memory.bits_per_key <= target.bits_per_key &&
             memory.measured_fpr - kSigmas * memory.fpr_sigma <= target.most_fpr});
  }
}

void JudgeOneKey(const EncodingOutcome& outcome, std::vector<TargetVerdict>& verdicts) {
  constexpr std::pair<EncodingRow, EncodingRow> kOneAndBatch[] = {{kInsertOneRow, kInsertRow},
                                                                  {kEraseOneRow, kEraseRow},
                                                                  {kHitOneRow, kQueryHitRow},
                                                                  {kMissOneRow, kQueryMissRow}};
  for (const auto& [one, batch] : kOneAndBatch) {
    const TrialRow& row = outcome.rows.at(one);
    for (const EncodingColumn column : {kPlanesColumn, kRunsColumn, kDenseColumn}) {
      verdicts.push_back(JudgeRatio(row.label + ": " + kEncodingColumns[column] + " / batched",
                                    row.sides[column], outcome.rows.at(batch).sides[column],
                                    kMostOfBatched));
    }
    const bool is_update = one == kInsertOneRow || one == kEraseOneRow;
    const TrialRow& split = outcome.rows.at(is_update ? kInsertOneRow : one);
    verdicts.push_back(JudgeRatio(row.label + ": fp16 / split-block's " + split.label,
                                  row.sides[kWideColumn], split.sides[kSplitBlockColumn],
                                  is_update ? kMostOfSplitUpdate : kMostOfSplitQuery));
  }
}

}  // namespace

std::vector<TargetVerdict> Judge(const EncodingOutcome& outcome) {
  std::vector<TargetVerdict> verdicts;
  if (outcome.request.run_slices != 5) return verdicts;
  JudgeMemory(outcome, verdicts);
  const uint64_t num_keys = outcome.request.num_keys;
  for (const SpeedTarget& target : kSpeedTargets) {
    const double outside = num_keys >= kLeastInMemory ? target.in_memory : target.between;
    const double limit = num_keys <= kMostInCache ? target.in_cache : outside;
    if (limit == 0) continue;
    const TrialRow& row = outcome.rows.at(target.row);
    verdicts.push_back(JudgeRatio(
        row.label + ": " + kEncodingColumns[target.over] + " / " + kEncodingColumns[target.under],
        row.sides[target.over], row.sides[target.under], limit));
  }
  if (num_keys <= kMostInCache) JudgeOneKey(outcome, verdicts);
  return verdicts;
}

}  // namespace trommel::bench
