#include "bench/trials/family_trial.h"

#include <array>
#include <memory>
#include <utility>

#include "bench/trials/arena.h"

namespace trommel::bench {
namespace {

constexpr std::array<const char*, kNumFamilySides> kSideNames = {"counting", "concurrent",
                                                                 "scalable", "window"};
constexpr double kMostOfWindowQuery = 1.5;

}  // namespace

std::vector<std::string> FamilyColumns() { return {kSideNames.begin(), kSideNames.end()}; }

std::vector<RatioColumn> FamilyRatios() {
  std::vector<RatioColumn> ratios;
  for (size_t side = kCountingSide + 1; side < kNumFamilySides; ++side) {
    ratios.push_back({std::string(kSideNames[side]) + " / counting", side, kCountingSide});
  }
  return ratios;
}

FamilyOutcome RunFamilyTrial(const FamilyRequest& request, uint64_t rounds) {
  FamilyOutcome outcome;
  outcome.request = request;
  Arena arena(request.num_keys, MakeFamily(request));
  if (outcome.wrong = arena.Prove(); !outcome.wrong.empty()) return outcome;
  std::vector<RowPlan> plans;
  for (const Op op : kAllOps) {
    plans.push_back({std::string(OpName(op)), op, {}});
    for (size_t side = 0; side < kNumFamilySides; ++side) plans.back().sides.push_back(side);
    outcome.rows.push_back({plans.back().label, std::vector<Figures>(kNumFamilySides)});
  }
  outcome.wrong = MeasureRows(arena, plans, rounds, {}, outcome.rows);
  for (size_t side = 0; side < kNumFamilySides; ++side) {
    const auto num_keys = static_cast<double>(request.num_keys);
    outcome.memory.push_back(
        {.side = kSideNames[side],
         .bits_per_key = 8 * static_cast<double>(arena.side(side).num_bytes()) / num_keys,
         .measured_fpr = arena.measured_fpr(side),
         .predicted_fpr = arena.predicted_fpr(side)});
  }
  return outcome;
}

std::string FormatFamilyMemory(const FamilyOutcome& outcome) {
  std::string text;
  for (const FamilyMemory& memory : outcome.memory) {
    text +=
        Printed("%-12s %6.2f bits per key   FPR %.4f %%, predicted %.4f %%\n", memory.side.c_str(),
                memory.bits_per_key, 100 * memory.measured_fpr, 100 * memory.predicted_fpr);
  }
  return text;
}

std::string JudgeFamily(const FamilyOutcome& outcome) {
  std::string text;
  const std::string buckets = std::to_string(outcome.request.num_buckets) + " buckets";
  for (const TrialRow& row : outcome.rows) {
    if (row.label != OpName(Op::kQueryHit) && row.label != OpName(Op::kQueryMiss)) continue;
    const double found = PairedRatio(row.sides[kWindowSide], row.sides[kCountingSide]).median;
    text += Printed("target  %s of %s / counting <= %.2f: %.2f  %s\n", row.label.c_str(),
                    buckets.c_str(), kMostOfWindowQuery, found,
                    found <= kMostOfWindowQuery ? "met" : "NOT MET");
  }
  return text;
}

}  // namespace trommel::bench
