#include "bench/encoding_trial.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "bench/arena.h"

namespace trommel::bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The arena's sides. The split ones work on the same filters as the direct ones.
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

// One measured row: which sides take part, and in which column they stand.
struct RowPlan {
  const char* label;
  Op op;
  std::vector<std::pair<size_t, EncodingColumn>> sides;
};

const std::vector<RowPlan>& RowPlans() {
  const std::vector<std::pair<size_t, EncodingColumn>> direct = {
      {kPlanes, kPlanesColumn},
      {kRuns, kRunsColumn},
      {kTextbookSide, kTextbookColumn},
      {kSplitBlockSide, kSplitBlockColumn}};
  const std::vector<std::pair<size_t, EncodingColumn>> split = {{kPlanesSplit, kPlanesColumn},
                                                                {kRunsSplit, kRunsColumn}};
  static const std::vector<RowPlan> plans = {
      {"insert, direct", Op::kInsert, direct}, {"erase, direct", Op::kErase, direct},
      {"query hit", Op::kQueryHit, direct},    {"query miss", Op::kQueryMiss, direct},
      {"insert, split", Op::kInsert, split},   {"erase, split", Op::kErase, split}};
  return plans;
}

// Negative if an answer was wrong.
double NsAKey(Arena& arena, size_t side, Op op) {
  double seconds = 0;
  for (size_t step = 0; step < arena.steps_per_measurement(); ++step) {
    const double step_seconds = arena.StepSeconds(side, op);
    if (step_seconds < 0) return -1;
    seconds += step_seconds;
  }
  const size_t num_keys = arena.steps_per_measurement() * arena.batch_size();
  return seconds * 1e9 / static_cast<double>(num_keys);
}

// Every side of every row once; what was wrong, if something was.
std::string MeasureRound(Arena& arena, uint64_t round, double seconds_per_ceiling,
                         std::vector<TrialRow>& rows) {
  const SideCeilings ceilings = arena.MeasureSideCeilings({kRuns}, seconds_per_ceiling);
  for (size_t r = 0; r < rows.size(); ++r) {
    const RowPlan& plan = RowPlans()[r];
    for (size_t i = 0; i < plan.sides.size(); ++i) {
      const auto [side, column] = plan.sides[(i + round) % plan.sides.size()];  // by turns first
      if (!arena.side(side).CanDo(plan.op)) continue;
      const double ns = NsAKey(arena, side, plan.op);
      if (ns < 0) return std::string(arena.side(side).name()) + ": wrong answer to " + plan.label;
      rows[r].sides[column].push_back(ns);
    }
    // Splitting is for not touching random lines: their ceiling does not bound it.
    if (plan.sides.front().first != kPlanesSplit) {
      rows[r].sides[kCeilingColumn].push_back(ceilings.For(kRuns, plan.op));
    }
  }
  return "";
}

double MeasuredFpr(const Contender& side, uint64_t num_strangers) {
  uint64_t num_present = 0;
  ForEachBatch(kFirstStranger, num_strangers,
               [&](Batch batch) { num_present += side.Query(batch, false); });
  return static_cast<double>(num_present) / static_cast<double>(num_strangers);
}

// Of a filter like this one, filled with all the keys and nothing else.
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
  memory.measured_fpr = MeasuredFpr(side, request.num_strangers);
  memory.fpr_sigma = side.FprSigma(request.num_keys, request.num_strangers);
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
  std::vector<TrialRow> cold = outcome.rows;  // the first round does not count
  wrong = MeasureRound(arena, 0, request.seconds_per_ceiling, cold);
  for (uint64_t round = 0; round < request.rounds && wrong.empty(); ++round) {
    wrong = MeasureRound(arena, round, request.seconds_per_ceiling, outcome.rows);
  }
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
                "bits a key: churned, fresh, model", "FPR measured, model",
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

}  // namespace trommel::bench
