// The reports of `trommel stress`.
#ifndef TROMMEL_TOOLS_STRESS_PRINT_H_
#define TROMMEL_TOOLS_STRESS_PRINT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "tools/stress/round.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {

// All mixes.
void DescribeMixes(Report& report);

// The encoding and ", " behind it; nothing if no type of filter here has one.
std::string EncodingText(const stress::CampaignOptions& options);

// What was done in so many seconds.
void DescribeCampaign(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                      double seconds, Report& report);

// What came out, in one sentence: that every invariant held, and in how many of the mixes if not in
// all.
std::string Outcome(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                    double seconds, bool was_interrupted);

// The machine, as the field "machine", with the names of a bench's context.
void DescribeMachine(const bench::MachineCard& card, Report& report);

// The violation, if there is one: the invariant, the key, the trace, and how to repeat the round.
void DescribeViolation(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                       std::string_view program, Report& report);

// The command that repeats the round.
std::string RepeatCommand(const stress::CampaignOptions& options, const stress::RoundPlan& plan,
                          std::string_view program);

// A run as one HTML file: what was done, how fast over time, and what broke.

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

#endif  // TROMMEL_TOOLS_STRESS_PRINT_H_
