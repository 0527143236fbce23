// The reports of `trommel stress`.
#ifndef TROMMEL_TOOLS_STRESS_PRINT_H_
#define TROMMEL_TOOLS_STRESS_PRINT_H_

#include <string>
#include <string_view>

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

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_STRESS_PRINT_H_
