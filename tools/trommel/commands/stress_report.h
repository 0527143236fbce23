// A stress run as one HTML file: what was done, how fast over time, and what broke.
#ifndef TROMMEL_TOOLS_STRESS_REPORT_H_
#define TROMMEL_TOOLS_STRESS_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "tools/stress/campaign.h"

namespace trommel::tool {

// How many keys all rounds had handled after so many seconds.
struct StressSample {
  double seconds = 0;
  uint64_t num_keys = 0;
};

struct StressRun {
  double seconds = 0;
  std::string outcome = {};  // in one sentence
  std::string command = {};  // that began it
  std::string again = {};    // that repeats the round that broke; empty: nothing broke
  std::vector<StressSample> samples = {};
};

std::string StressHtml(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                       const StressRun& run, const bench::MachineCard& card);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_STRESS_REPORT_H_
