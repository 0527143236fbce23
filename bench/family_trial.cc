#include "bench/family_trial.h"

#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include "bench/arena.h"

namespace trommel::bench {
namespace {

constexpr std::array<const char*, kNumFamilySides> kSideNames = {"counting", "concurrent",
                                                                 "scalable", "window", "layered"};
constexpr double kMostOfACountingQuery = 4;

// Negative if an answer was wrong.
double NsOfOp(Arena& arena, size_t side, Op op) {
  double seconds = 0;
  for (size_t step = 0; step < arena.steps_per_measurement(); ++step) {
    const double step_seconds = arena.StepSeconds(side, op);
    if (step_seconds < 0) return -1;
    seconds += step_seconds;
  }
  return seconds * 1e9 / static_cast<double>(arena.steps_per_measurement() * arena.batch_size());
}

std::string MeasureFamilyRound(Arena& arena, uint64_t round, std::vector<TrialRow>& rows) {
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < kNumFamilySides; ++i) {
      const size_t side = (i + round) % kNumFamilySides;  // by turns first
      const double ns = NsOfOp(arena, side, kAllOps[r]);
      if (ns < 0) return std::string(kSideNames[side]) + ": wrong answer to " + rows[r].label;
      rows[r].sides[side].push_back(ns);
    }
  }
  return "";
}

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
  for (const Op op : kAllOps) {
    outcome.rows.push_back({std::string(OpName(op)), std::vector<Figures>(kNumFamilySides)});
  }
  std::vector<TrialRow> cold = outcome.rows;  // the first round does not count
  outcome.wrong = MeasureFamilyRound(arena, 0, cold);
  for (uint64_t round = 0; round < rounds && outcome.wrong.empty(); ++round) {
    outcome.wrong = MeasureFamilyRound(arena, round, outcome.rows);
  }
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
    char line[128];
    std::snprintf(line, sizeof(line), "%-12s %6.2f bits a key   FPR %.4f %%, predicted %.4f %%\n",
                  memory.side.c_str(), memory.bits_per_key, 100 * memory.measured_fpr,
                  100 * memory.predicted_fpr);
    text += line;
  }
  return text;
}

std::string JudgeFamily(const FamilyOutcome& outcome) {
  std::string text;
  for (const auto& [side, stores] :
       {std::pair(kScalableSide, std::to_string(outcome.request.num_generations) + " generations"),
        std::pair(kWindowSide, std::to_string(outcome.request.num_buckets) + " buckets")}) {
    for (const TrialRow& row : outcome.rows) {
      if (row.label != OpName(Op::kQueryHit) && row.label != OpName(Op::kQueryMiss)) continue;
      const Ratio ratio = PairedRatio(row.sides[side], row.sides[kCountingSide]);
      char line[160];
      std::snprintf(line, sizeof(line), "target  %s of %s <= %.1f x counting: %.2f  %s\n",
                    row.label.c_str(), stores.c_str(), kMostOfACountingQuery, ratio.median,
                    ratio.median <= kMostOfACountingQuery ? "met" : "NOT MET");
      text += line;
    }
  }
  return text;
}

}  // namespace trommel::bench
