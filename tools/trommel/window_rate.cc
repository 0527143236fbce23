// The rate of a window as its buckets fill, by the model.
#include "tools/trommel/window_rate.h"

#include <algorithm>

#include "tools/trommel/window_keys.h"
#include "trommel/sizing.h"

namespace trommel::tool {

WindowRate::WindowRate(const WindowFilter& filter) {
  for (const WindowBucket& bucket : filter.GetStats().buckets) {
    const uint64_t num_keys = bucket.stats.num_keys;
    buckets_.push_back({BucketOf(filter, bucket.first_tick), num_keys, bucket.stats.predicted_fpr});
    most_keys_ = std::max(most_keys_, num_keys);
  }
}

void WindowRate::Add(const WindowFilter& filter, uint64_t num_keys) {
  const uint64_t present = BucketOf(filter, filter.now());
  while (!buckets_.empty() && present - buckets_.front().bucket > filter.num_buckets()) {
    buckets_.pop_front();
  }
  if (buckets_.empty() || buckets_.back().bucket != present) buckets_.push_back({present, 0, 0});
  Bucket& into = buckets_.back();
  double absent_elsewhere = 1;  // the chance that no other bucket shows an absent key
  for (const Bucket& bucket : buckets_) {
    if (&bucket != &into) absent_elsewhere *= 1 - bucket.fpr;
  }
  const auto fpr_with = [&](uint64_t keys_here) {
    return 1 - absent_elsewhere * (1 - PredictedFpr(filter.geometry(), keys_here));
  };

  // The midpoint rule over the added keys.
  constexpr uint64_t kMaxSteps = 16;
  const uint64_t num_steps = std::min(num_keys, kMaxSteps);
  for (uint64_t step = 0; step < num_steps; ++step) {
    const double width = static_cast<double>(num_keys) / static_cast<double>(num_steps);
    const double middle = (static_cast<double>(step) + 0.5) * width;
    const double fpr = fpr_with(into.num_keys + static_cast<uint64_t>(middle));
    // A filter that takes all for present ends the sum: nothing is found absent any more.
    if (fpr < 1) expected_wrongly_present_ += width * fpr / (1 - fpr);
  }

  into.num_keys += num_keys;
  into.fpr = PredictedFpr(filter.geometry(), into.num_keys);
  most_keys_ = std::max(most_keys_, into.num_keys);
  highest_fpr_ = std::max(highest_fpr_, 1 - absent_elsewhere * (1 - into.fpr));
}

}  // namespace trommel::tool
