// One round: a new filter, its threads, and what must hold when they have joined.
#ifndef TROMMEL_TOOLS_STRESS_ROUND_H_
#define TROMMEL_TOOLS_STRESS_ROUND_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "tools/stress/caller.h"
#include "tools/stress/law.h"
#include "tools/stress/mix.h"
#include "tools/stress/subject.h"
#include "trommel/result.h"

namespace trommel::stress {

// What the caller of a long run is asked and told in the meantime, in its own thread.
struct Watch {
  std::function<bool()> should_stop;                  // may be null: never
  std::function<void(uint64_t num_keys)> on_working;  // may be null; about so many in this round
};

struct RoundResult {
  Totals totals;
  uint64_t num_promoted = 0;  // blocks, when the threads had joined
  bool is_cut_short = false;  // by should_stop
  std::optional<Violation> violation;
};

// Fails when the filter cannot be made.
Result<RoundResult> RunRound(const RoundPlan& plan, const MakeSubject& make, const Watch& watch);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_ROUND_H_
