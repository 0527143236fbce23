// Keys with times, for a window filter: batches are cut where the bucket changes, for all keys of
// one insertion enter the current bucket, and all of one erasure leave the same one.
#ifndef TROMMEL_TOOLS_WINDOW_KEYS_H_
#define TROMMEL_TOOLS_WINDOW_KEYS_H_

#include <cstdint>
#include <deque>
#include <span>

#include "tools/trommel/filters/applied.h"
#include "trommel/window_filter.h"

namespace trommel::tool {

// Which bucket the tick is in, as window_filter.h numbers them.
uint64_t BucketOf(const WindowFilter& filter, uint64_t tick);

// The false-positive rates that a window filter had while keys were inserted: a burst may be over,
// and its bucket expired, before the filter is examined.
class WindowRate {
 public:
  // Of what the filter holds now. Cost: its GetStats.
  explicit WindowRate(const WindowFilter& filter);

  // Adds `num_keys` that were inserted into the filter's current bucket. All count as distinct:
  // where keys were inserted again, the rate was lower.
  void Add(const WindowFilter& filter, uint64_t num_keys);

  double highest_fpr() const { return highest_fpr_; }       // of the model, after some Add
  uint64_t most_bucket_keys() const { return most_keys_; }  // in one bucket
  // The expected number of absent keys that were taken for present ones, if the added keys are
  // those that were found absent: f / (1 - f) for each, with the rate f of its moment.
  double expected_wrongly_present() const { return expected_wrongly_present_; }

 private:
  struct Bucket {
    uint64_t bucket;
    uint64_t num_keys;
    double fpr;
  };

  std::deque<Bucket> buckets_;  // oldest first, the current one last; those without keys left out
  double highest_fpr_ = 0;
  uint64_t most_keys_ = 0;
  double expected_wrongly_present_ = 0;
};

// As FamilyFilter's. Without times: now, by the wall clock. What was inserted is added to `rate`.
Applied InsertAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                      std::span<const uint64_t> times, WindowRate& rate);
Applied InsertIfAbsentAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                              std::span<const uint64_t> times, std::span<uint64_t> inserted,
                              WindowRate& rate);
// Times there must be.
Applied EraseAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                     std::span<const uint64_t> times);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_WINDOW_KEYS_H_
