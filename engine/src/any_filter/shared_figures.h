// Figures that several types have: how many distinct keys a filter holds, which its count of
// insertions does not tell, the
// rates that they lead to, and what its blocks are.
#ifndef TROMMEL_ENGINE_SRC_ANY_FILTER_SHARED_FIGURES_H_
#define TROMMEL_ENGINE_SRC_ANY_FILTER_SHARED_FIGURES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "trommel/any_filter.h"
#include "trommel/outcomes.h"
#include "trommel/sizing.h"

namespace trommel {

struct DistinctKeys {
  uint64_t value = 0;     // all insertions, where these are within the estimate's error
  uint64_t at_least = 0;  // two standard errors below the estimate
};

// `error`: two standard errors of the estimate `value`.
inline DistinctKeys DistinctWithin(double value, double error, uint64_t num_keys) {
  const auto rounded = [num_keys](double keys) {
    return static_cast<uint64_t>(
        std::llround(std::clamp(keys, 0.0, static_cast<double>(num_keys))));
  };
  const bool may_all_differ = static_cast<double>(num_keys) <= value + error;
  return {.value = may_all_differ ? num_keys : rounded(value), .at_least = rounded(value - error)};
}

// From the rate of a random non-member in blocks of fingerprints: the estimate -N ln(1 - p) of
// linear counting, for a table of all values that fingerprints have, of which the share p is
// present; and V of estimates.h with k = 1.
inline DistinctKeys DistinctFromRate(const Geometry& geometry, double rate, uint64_t num_keys) {
  if (num_keys == 0 || rate <= 0) return {};
  if (rate >= 1) return {.value = num_keys, .at_least = 0};  // any larger number fits as well
  const double num_values =
      static_cast<double>(geometry.num_blocks) * static_cast<double>(geometry.num_values());
  const double load = -std::log1p(-rate);
  // e^load - 1 - load without cancellation.
  const double above = load < 1e-3 ? load * load / 2 * (1 + load / 3) : std::expm1(load) - load;
  return DistinctWithin(num_values * load, 2 * std::sqrt(num_values * above), num_keys);
}

// Adds the measured figures of AnyFilter::GetFigures. rate_at(n) is the model's for n keys.
template <class RateAt>
void AddMeasured(const DistinctKeys& distinct, double current_fpr, const RateAt& rate_at,
                 Figures& figures) {
  figures.insert(figures.end(), {{"num_distinct_keys", distinct.value},
                                 {"least_distinct_keys", distinct.at_least},
                                 {"current_fpr", current_fpr},
                                 {"predicted_fpr", double{rate_at(distinct.value)}},
                                 {"least_fpr", double{rate_at(distinct.at_least)}}});
}

// Adds the figures of one set of blocks.
inline void AddBlocks(const Stats& stats, const Geometry& geometry, Figures& figures) {
  figures.insert(figures.end(), {{"side_table_bytes", stats.side_table_bytes},
                                 {"num_promoted", stats.num_promoted},
                                 {"undecided_share", stats.undecided_share},
                                 {"num_interrupted_queries", stats.num_interrupted_queries},
                                 {"num_blocks", geometry.num_blocks},
                                 {"shard_bits", geometry.shard_bits},
                                 {"fingerprint_bits", geometry.fingerprint_bits}});
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ANY_FILTER_SHARED_FIGURES_H_
