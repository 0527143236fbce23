// The demo's trial: a filter against an exact set of the same keys, one law after the other.
#ifndef TROMMEL_TOOLS_DEMO_TRIAL_H_
#define TROMMEL_TOOLS_DEMO_TRIAL_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/demo_keys.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {

inline constexpr double kDemoTargetFpr = 0.01;
inline constexpr size_t kDemoBatch = size_t{1} << 16;

// Keys that were asked for, and what came back.
struct Answers {
  uint64_t num_asked = 0;
  uint64_t num_maybe_present = 0;
  double expected_rate = 0;  // of "maybe present": 1 for members

  double rate() const;
  double sigma() const;       // of rate(), from the binomial
  double deviations() const;  // how many sigma rate() is from expected_rate
  bool all_present() const { return num_maybe_present == num_asked; }
  // Within 6 sigma and a few keys: the few are for tails of small samples, which are not normal.
  bool as_expected() const;
};

struct Trial {
  Geometry geometry;
  uint64_t num_keys = 0;
  uint64_t num_bytes = 0;  // side table included
  double predicted_fpr = 0;
  double current_fpr = 0;

  Answers members;
  Answers strangers;
  uint64_t num_strangers_skipped = 0;  // they turned out to be members
  DemoPart part;
  EraseOutcome erased;
  Answers left;
  Answers gone;
  bool is_restored = false;  // erased keys inserted back: the same bytes
  bool is_emptied = false;   // everything erased: the bytes of a new filter

  // Every law held.
  bool ok() const;
};

// Asks for keys in batches of kDemoBatch.
Answers Ask(const CountingFilter& filter, std::span<const std::string_view> keys,
            double expected_rate);

// Keys that are not among `members`: each member with a suffix. `bytes` keeps them.
std::vector<std::string_view> MakeStrangers(std::span<const std::string_view> members,
                                            std::vector<char>& bytes, uint64_t& num_skipped);

// Fails as CountingFilter::Create does.
Result<Trial> RunTrial(const DemoKeys& keys, std::span<const std::string_view> strangers,
                       Encoding encoding = CountingConfig{}.encoding);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DEMO_TRIAL_H_
