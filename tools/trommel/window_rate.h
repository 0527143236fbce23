// What false-positive rate a window filter has come to while keys were inserted: a burst may be
// over, and its bucket gone, when the filter is looked at.
#ifndef TROMMEL_TOOLS_WINDOW_RATE_H_
#define TROMMEL_TOOLS_WINDOW_RATE_H_

#include <cstdint>
#include <deque>

#include "trommel/window_filter.h"

namespace trommel::tool {

class WindowRate {
 public:
  // Of what the filter holds now. Cost: its GetStats.
  explicit WindowRate(const WindowFilter& filter);

  // After `num_keys` were inserted into the filter's present bucket. All are taken for distinct:
  // where keys were inserted again, the rate was lower.
  void Add(const WindowFilter& filter, uint64_t num_keys);

  double highest_fpr() const { return highest_fpr_; }       // of the model, after some Add
  uint64_t most_bucket_keys() const { return most_keys_; }  // in one bucket
  // How many absent keys were taken for present ones, on average, if the added keys are those that
  // were found absent: f / (1 - f) for each, with the rate f of its moment.
  double expected_wrongly_present() const { return expected_wrongly_present_; }

 private:
  struct Bucket {
    uint64_t bucket;
    uint64_t num_keys;
    double fpr;
  };

  std::deque<Bucket> buckets_;  // oldest first, the present one last; those without keys left out
  double highest_fpr_ = 0;
  uint64_t most_keys_ = 0;
  double expected_wrongly_present_ = 0;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_WINDOW_RATE_H_
