// Rounds, one after another.
#include "tools/stress/campaign.h"

#include <algorithm>
#include <utility>

namespace trommel::stress {

RoundRunner RoundsWith(MakeSubject make) {
  return [make = std::move(make)](const RoundPlan& plan, const Watch& watch) {
    return RunRound(plan, make, watch);
  };
}

Result<CampaignResult> RunCampaign(const CampaignOptions& options, const RoundRunner& run,
                                   const CampaignWatch& watch) {
  CampaignResult result;
  result.mixes.resize(options.mixes.size());
  for (uint64_t i = 0; options.num_rounds == 0 || i < options.num_rounds; ++i) {
    if (watch.should_stop && watch.should_stop()) break;
    const uint64_t round = options.only_round.value_or(i);
    const size_t mix_idx = options.only_round ? 0 : i % options.mixes.size();
    RoundPlan plan = DrawPlan(options.mixes[mix_idx], options.seed, round, options.num_writers,
                              options.num_readers, options.encoding);
    plan.type = options.types[i / options.mixes.size() % options.types.size()];
    Watch round_watch;
    round_watch.should_stop = watch.should_stop;
    if (watch.on_working) {
      round_watch.on_working = [&](uint64_t num_keys) {
        watch.on_working(plan, result.totals.num_all_keys() + num_keys);
      };
    }
    const Result<RoundResult> one = run(plan, round_watch);
    if (!one.ok()) return one.error();
    MixTotals& mix = result.mixes[mix_idx];
    ++mix.num_rounds;
    mix.max_promoted = std::max(mix.max_promoted, one->num_promoted);
    mix.growth += one->growth;
    mix.totals += one->totals;
    ++result.num_rounds;
    result.growth += one->growth;
    result.totals += one->totals;
    if (one->violation) {
      result.violation = one->violation;
      result.broken_round = plan;
      break;
    }
    if (one->is_cut_short) break;
  }
  return result;
}

}  // namespace trommel::stress
