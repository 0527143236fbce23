// The arithmetic of a sliding window: which bucket a tick belongs to, and which buckets are live.
//
//   bucket of t  =  floor(t n / w)         w ticks of window, n buckets, n <= w
//
// The products need 128 bits; the results are ticks or fewer.
//
// Why n buckets beside the current one are enough, and no more are kept than one:
//   now < t + w       now n / w < t n / w + n, so now's bucket is at most t's + n: live.
//   now >= t + w + d  with d = ceil(w / n), and so d n / w >= 1: now n / w >= t n / w + n + 1, so
//                     now's bucket is at least t's + n + 1: gone.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_TIME_BUCKETS_H_
#define TROMMEL_ENGINE_SRC_WINDOW_TIME_BUCKETS_H_

#include <cstdint>

#include "kernels/kernels.h"

namespace trommel {

struct TimeBuckets {
  uint64_t window = 1;
  uint32_t num_buckets = 1;  // 1 .. window

  uint64_t BucketOf(uint64_t tick) const {
    return static_cast<uint64_t>(Wide{tick} * num_buckets / window);
  }
  // The first tick of a bucket that has one.
  uint64_t FirstTick(uint64_t bucket) const { return static_cast<uint64_t>(CeilOfStart(bucket)); }
  // The last one; the end of time, if that comes before.
  uint64_t LastTick(uint64_t bucket) const {
    const Wide next = CeilOfStart(Wide{bucket} + 1);
    return next > ~uint64_t{0} ? ~uint64_t{0} : static_cast<uint64_t>(next) - 1;
  }
  // Of a bucket no later than the current one.
  bool IsLive(uint64_t bucket, uint64_t current) const { return current - bucket <= num_buckets; }
  uint64_t LongestTicks() const { return window / num_buckets + (window % num_buckets != 0); }

  friend bool operator==(const TimeBuckets&, const TimeBuckets&) = default;

 private:
  using Wide = kernels::Uint128;

  Wide CeilOfStart(Wide bucket) const { return (bucket * window + num_buckets - 1) / num_buckets; }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_TIME_BUCKETS_H_
