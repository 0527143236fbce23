// Campaign: rounds, one after another, until time, number or a violation ends them.
#ifndef TROMMEL_TOOLS_STRESS_CAMPAIGN_H_
#define TROMMEL_TOOLS_STRESS_CAMPAIGN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tools/stress/round.h"

namespace trommel::stress {

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

#endif  // TROMMEL_TOOLS_STRESS_CAMPAIGN_H_
