#include "bench/trials/sides_trial.h"

#include <cstdio>
#include <set>
#include <utility>

#include "bench/text/arguments.h"

namespace trommel::bench {

SidesOutcome RunSidesTrial(uint64_t num_keys, std::vector<std::unique_ptr<Contender>> sides,
                           uint64_t rounds, std::optional<CeilingColumn> ceiling) {
  SidesOutcome outcome;
  Arena arena(num_keys, std::move(sides));
  if (outcome.wrong = arena.Prove(); !outcome.wrong.empty()) return outcome;
  std::vector<RowPlan> plans;
  for (const Op op : kAllOps) {
    plans.push_back({std::string(OpName(op)), op, {}});
    for (size_t side = 0; side < arena.num_sides(); ++side) plans.back().sides.push_back(side);
  }
  outcome.wrong = MeasureRows(arena, plans, rounds, ceiling, outcome.rows);
  if (outcome.wrong.empty()) outcome.wrong = arena.Prove();
  std::set<const void*> seen;
  for (size_t s = 0; s < arena.num_sides(); ++s) {
    const Contender& side = arena.side(s);
    outcome.columns.emplace_back(side.name());
    if (!seen.insert(side.filter_id()).second) continue;
    const auto num_bytes = static_cast<double>(side.num_bytes());
    outcome.memory +=
        Printed("%-12s %8.1f MB %6.2f bits per key   FPR %.4f %%, predicted %.4f %%\n",
                std::string(side.name()).c_str(), num_bytes / 1e6,
                8 * num_bytes / static_cast<double>(num_keys), 100 * arena.measured_fpr(s),
                100 * arena.predicted_fpr(s));
  }
  if (ceiling) outcome.columns.emplace_back("ceiling");
  return outcome;
}

bool PrintSidesTrial(const char* program, uint64_t num_keys, const SidesOutcome& outcome,
                     const std::vector<RatioColumn>& ratios) {
  if (!outcome.wrong.empty()) {
    std::fprintf(stderr, "%s: %s\n", program, outcome.wrong.c_str());
    return false;
  }
  const std::string title = "\n" + CountName(num_keys) + " keys; ns per key";
  std::printf("%s\n%s", FormatTrial(title, outcome.columns, ratios, outcome.rows).c_str(),
              outcome.memory.c_str());
  std::fflush(stdout);
  return true;
}

}  // namespace trommel::bench
