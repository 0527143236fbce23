// WindowRate: the false-positive rates that a filter whose keys expire had while keys went in.
#ifndef TROMMEL_TOOLS_WINDOW_RATE_H_
#define TROMMEL_TOOLS_WINDOW_RATE_H_

#include <cstdint>
#include <deque>
#include <string>

#include "tools/trommel/output/report.h"
#include "trommel/any_filter.h"

namespace trommel::tool {

// The buckets of a window, as window_filter.h numbers them.
class WindowBuckets {
 public:
  explicit WindowBuckets(const Figures& figures);

  uint64_t Of(uint64_t tick) const;
  uint64_t num_buckets() const { return num_buckets_; }

 private:
  uint64_t window_;
  uint64_t num_buckets_;
};

// The rates while keys were inserted: a burst may be over, and its bucket expired, before the
// filter is examined.
//
// They are rates for distinct keys, of which the insertions are an upper bound. Where this bound
// leads beyond the requested rate, the filter is measured, and the bound is what was measured and
// what came since: at most once for as many insertions as the filter has blocks, a twentieth of its
// keys.
class WindowRate {
 public:
  // Begins with what the filter holds now. Requires that its keys expire. Cost: its figures.
  explicit WindowRate(const AnyFilter& filter);

  const WindowBuckets& buckets() const { return span_; }

  // Adds `num_keys` that were inserted into this bucket, by default the filter's current one.
  void Add(uint64_t num_keys, uint64_t bucket);
  void Add(uint64_t num_keys) { Add(num_keys, span_.Of(filter_.now())); }

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

  WindowRate(const AnyFilter& filter, const Figures& figures);
  Bucket& At(uint64_t bucket);
  // With keys_more in addition to what is in.
  double FprWith(uint64_t keys_more) const;

  const AnyFilter& filter_;
  WindowBuckets span_;
  double target_fpr_;
  uint64_t num_blocks_;
  std::deque<Bucket> buckets_;       // oldest first; those without keys left out
  uint64_t most_distinct_ = kNone;   // in all buckets, as measured and what came since
  uint64_t since_measured_ = kNone;  // insertions
  double highest_fpr_ = 0;
  double expected_wrongly_present_ = 0;
};

// The rate after keys were inserted, beside the requested one.

// Here and below, `figures` are the filter's now, measured, and `rate` is KeyUpdates::window_rate.

// Adds the rate now, and of a window the highest one and the insertions beyond its size.
void DescribeRate(const Figures& figures, const WindowRate* rate, Report& report);

// Adds the highest rate of a window while keys were inserted; nothing for other types.
void DescribeHighestRate(const Figures& figures, const WindowRate* rate, Report& report);

// Says that the filter holds more distinct keys than it was sized for, without a full stop: what to
// do about it follows. Empty if it does not.
std::string CapacityWarning(const Figures& figures);

// Says how a window's rate came to exceed what it was sized for while keys were inserted, and what
// keeps it; empty if it did not.
std::string WindowRateWarning(const Figures& figures, const WindowRate* rate);

// Prints the warning, if there is one, as a line of standard error.
void WarnOfWindowRate(const Figures& figures, const WindowRate* rate);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_WINDOW_RATE_H_
