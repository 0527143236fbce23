// Rounds, one after the other.
#include "tools/stress/campaign.h"

#include <algorithm>

namespace trommel::stress {

Result<CampaignResult> RunCampaign(const CampaignOptions& options, const MakeSubject& make,
                                   const CampaignWatch& watch) {
  CampaignResult result;
  result.mixes.resize(options.mixes.size());
  for (uint64_t i = 0; options.num_rounds == 0 || i < options.num_rounds; ++i) {
    if (watch.should_stop && watch.should_stop()) break;
    const uint64_t round = options.only_round.value_or(i);
    const size_t mix_idx = options.only_round ? 0 : i % options.mixes.size();
    const RoundPlan plan = DrawPlan(options.mixes[mix_idx], options.seed, round,
                                    options.num_writers, options.num_readers, options.encoding);
    Watch round_watch;
    round_watch.should_stop = watch.should_stop;
    if (watch.on_working) {
      round_watch.on_working = [&](uint64_t num_keys) {
        watch.on_working(plan, result.totals.num_all_keys() + num_keys);
      };
    }
    const Result<RoundResult> one = RunRound(plan, make, round_watch);
    if (!one.ok()) return one.error();
    MixTotals& mix = result.mixes[mix_idx];
    ++mix.num_rounds;
    mix.max_promoted = std::max(mix.max_promoted, one->num_promoted);
    mix.totals += one->totals;
    ++result.num_rounds;
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
