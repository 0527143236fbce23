// One round: a new filter, its threads, and what must hold when they have joined; and a campaign of
// rounds, one after another.
#ifndef TROMMEL_TOOLS_STRESS_ROUND_H_
#define TROMMEL_TOOLS_STRESS_ROUND_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "tools/stress/records/thread_record.h"
#include "tools/stress/subjects/subject.h"
#include "trommel/result.h"

namespace trommel::stress {

// Callbacks of a long run, called in the thread that started it; any may be null.
struct Watch {
  std::function<bool()> should_stop;
  std::function<void(uint64_t num_keys)> on_working;  // about so many keys in this round so far
};

// Runs each job in a thread of its own, all from the same moment, and `on_look` (may be null) about
// every millisecond. With preempt_us it interrupts one of them instead that often, and looks.
// Returns when all have joined: whether they were told to stop. Fails when the system has no more
// threads.
Result<bool> RunThreads(RoundState& state, const std::vector<std::function<void()>>& jobs,
                        const Watch& watch, const std::function<void()>& on_look = {},
                        uint32_t preempt_us = 0);

// The growth of a filter, as looks at it every millisecond show it: at least so much happened.
struct GrowthSeen {
  uint64_t num_now = 1;
  uint64_t most_sizes = 0;  // 0: it does not grow
  uint64_t num_grown = 0;
  uint64_t num_shrunk = 0;

  void Look(uint64_t num_sizes);
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
Result<RoundResult> RunRound(const RoundPlan& plan, const MakeSubject& make,
                             const Watch& watch = {});

// Campaign: rounds, one after another, until time, number or a violation ends them.

// Runs one round of the plan's type. Fails when the filter cannot be made.
using RoundRunner = std::function<Result<RoundResult>(const RoundPlan& plan, const Watch& watch)>;
// RunRound with these filters.
RoundRunner RoundsWith(MakeSubject make);

struct CampaignOptions {
  std::vector<Mix> mixes;  // in turn: round i takes mix i modulo their number
  std::vector<FilterType> types = {FilterType::kConcurrent};  // in turn, each for all mixes
  uint64_t seed = 0;
  std::optional<uint64_t> only_round;  // repeated, with the first mix
  uint64_t num_rounds = 0;             // 0: until should_stop
  uint32_t num_writers = 1;
  uint32_t num_readers = 1;
  Encoding encoding = CountingConfig{}.encoding;
};

struct MixTotals {
  uint64_t num_rounds = 0;
  uint64_t max_promoted = 0;  // blocks, at the end of a round
  GrowthSeen growth;
  Totals totals;
};

struct CampaignResult {
  std::vector<MixTotals> mixes;  // in the order of the options
  uint64_t num_rounds = 0;
  GrowthSeen growth;
  Totals totals;
  std::optional<Violation> violation;
  std::optional<RoundPlan> broken_round;  // the violation's
};

struct CampaignWatch {
  std::function<bool()> should_stop;
  // Called several times per second: the round's plan and the keys of all rounds so far.
  std::function<void(const RoundPlan& plan, uint64_t num_keys)> on_working;
};

// Fails when a filter cannot be made.
Result<CampaignResult> RunCampaign(const CampaignOptions& options, const RoundRunner& run,
                                   const CampaignWatch& watch = {});

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_ROUND_H_
