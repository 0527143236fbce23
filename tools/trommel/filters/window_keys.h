// Keys with times, for a window filter: batches are cut where the bucket changes, for all keys of
// one insertion or erasure are of one bucket.
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
//
// They are rates for distinct keys, of which the insertions are an upper bound. Where this bound
// leads beyond the requested rate, the filter is measured (key_figures.h), and the bound is what
// was measured and what came since: at most once for as many insertions as the filter has blocks,
// a twentieth of its keys.
class WindowRate {
 public:
  // Begins with what the filter holds now. Cost: its GetStats.
  explicit WindowRate(const WindowFilter& filter);

  // Adds `num_keys` that were inserted into this bucket, by default the filter's current one.
  void Add(const WindowFilter& filter, uint64_t num_keys, uint64_t bucket);
  void Add(const WindowFilter& filter, uint64_t num_keys) {
    Add(filter, num_keys, BucketOf(filter, filter.now()));
  }

  // The highest rate of the model after some Add: an upper bound up to the requested rate, beyond
  // it from what was measured.
  double highest_fpr() const { return highest_fpr_; }
  // The expected number of absent keys that were taken for present ones, if the added keys are
  // those that were found absent: f / (1 - f) for each, with the rate f of its moment.
  double expected_wrongly_present() const { return expected_wrongly_present_; }

 private:
  static constexpr uint64_t kNone = uint64_t{1} << 63;  // nothing was measured

  struct Bucket {
    uint64_t bucket;
    uint64_t num_keys;  // at most, distinct
  };

  Bucket& At(uint64_t bucket);
  // With keys_more in addition to what is in.
  double FprWith(const WindowFilter& filter, uint64_t keys_more) const;

  std::deque<Bucket> buckets_;       // oldest first; those without keys left out
  uint64_t most_distinct_ = kNone;   // in all buckets, as measured and what came since
  uint64_t since_measured_ = kNone;  // insertions
  double highest_fpr_ = 0;
  double expected_wrongly_present_ = 0;
};

// As FamilyFilter's. Without times: now, by the wall clock, or by the filter's where that is later.
// What was inserted is added to `rate`.
Applied InsertAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                      std::span<const uint64_t> times, WindowRate& rate);
Applied InsertIfAbsentAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                              std::span<const uint64_t> times, std::span<uint64_t> inserted,
                              WindowRate& rate);
// Requires a time for each key. Keys of a time past the clock count as refused, where the library
// counts them as expired: they cannot be in, and their times are probably wrong.
Applied EraseAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                     std::span<const uint64_t> times);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_WINDOW_KEYS_H_
