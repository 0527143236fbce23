// The crew: the threads of a round begin together, are watched, and join.
#ifndef TROMMEL_TOOLS_STRESS_CREW_H_
#define TROMMEL_TOOLS_STRESS_CREW_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "tools/stress/witness.h"
#include "trommel/result.h"

namespace trommel::stress {

// What the caller of a long run is asked and told in the meantime, in its own thread.
struct Watch {
  std::function<bool()> should_stop;                  // may be null: never
  std::function<void(uint64_t num_keys)> on_working;  // may be null; about so many in this round
};

// Each job in a thread of its own; `on_look` (may be null) about every millisecond. Returns when
// all have joined. True: they were told to stop. Fails when the system has no more threads.
Result<bool> RunCrew(RoundState& state, const std::vector<std::function<void()>>& jobs,
                     const Watch& watch, const std::function<void()>& on_look = {});

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_CREW_H_
