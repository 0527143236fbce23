// One round: a new filter, its threads, and what must hold when they have joined.
#ifndef TROMMEL_TOOLS_STRESS_ROUND_H_
#define TROMMEL_TOOLS_STRESS_ROUND_H_

#include <cstdint>
#include <optional>

#include "tools/stress/crew.h"
#include "tools/stress/law.h"
#include "tools/stress/mix.h"
#include "tools/stress/subject.h"
#include "tools/stress/witness.h"
#include "trommel/result.h"

namespace trommel::stress {

// What one who looks every millisecond sees of a filter that grows: so much happened, at least.
struct GrowthSeen {
  uint64_t num_now = 1;
  uint64_t most_generations = 0;  // 0: it does not grow
  uint64_t num_added = 0;
  uint64_t num_dropped = 0;

  void Look(uint64_t num_generations);
  GrowthSeen& operator+=(const GrowthSeen& other);
};

struct RoundResult {
  Totals totals;
  uint64_t num_promoted = 0;  // blocks, when the threads had joined
  GrowthSeen growth;
  bool is_cut_short = false;  // by should_stop
  std::optional<Violation> violation;
};

// Fails when the filter cannot be made.
Result<RoundResult> RunRound(const RoundPlan& plan, const MakeSubject& make, const Watch& watch);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_ROUND_H_
