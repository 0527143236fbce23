// Creation of ring windows: what stores they need.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/sizing/geometry_checks.h"
#include "engine/src/window/ring_window.h"

namespace trommel {
namespace {

// A bucket's keys when they come evenly.
uint64_t EvenKeys(uint64_t capacity, uint32_t num_buckets) {
  return (capacity + num_buckets) / (num_buckets + 1);
}

// The rate that a bucket of `keys` keys may have, so that all together stay at `fpr` however
// `capacity` keys are spread over them.
//
// With g = -log(1 - f(keys)), the rates' logarithms add up: the sum of g over the live buckets may
// be G = -log(1 - fpr). A bucket's rate grows faster than its keys, so g / keys is largest in the
// fullest; if it is at most G / capacity there, the sum is at most G for any spread. No more than
// num_buckets + 1 buckets can be so full.
double BucketFpr(double fpr, uint64_t keys, uint64_t capacity, uint32_t num_buckets) {
  const double num_full = keys <= EvenKeys(capacity, num_buckets)
                              ? num_buckets + 1.0
                              : static_cast<double>(capacity) / static_cast<double>(keys);
  return std::min(fpr, -std::expm1(std::log1p(-fpr) / num_full));
}

// The most keys of one bucket with which the rate is kept. From the geometry alone, so that a
// loaded filter, whose file does not say what was asked for, has the same.
uint64_t BucketCapacityOf(const Geometry& geometry, uint64_t capacity, uint32_t num_buckets,
                          double fpr) {
  const auto keeps_rate = [&](uint64_t keys) {
    return PredictedFpr(geometry, keys) <= BucketFpr(fpr, keys, capacity, num_buckets);
  };
  if (keeps_rate(capacity)) return capacity;
  uint64_t most = 1;  // whose rate is below kMinTargetFpr
  uint64_t too_many = capacity;
  while (too_many - most > 1) {
    const uint64_t middle = most + (too_many - most) / 2;
    (keeps_rate(middle) ? most : too_many) = middle;
  }
  return most;
}

}  // namespace

Result<std::unique_ptr<RingWindow>> RingWindow::Make(WindowSettings settings,
                                                     const Geometry& geometry,
                                                     uint64_t limit_bytes) {
  const TimeBuckets& times = settings.times;
  const uint64_t num_stores = uint64_t{times.num_buckets} + 2;
  const uint64_t num_bytes = num_stores * geometry.num_bytes();
  const std::string needs = "the filter's " + std::to_string(num_stores) + " stores need";
  if (Status fits = CheckMemoryLimit(needs, num_bytes, limit_bytes); !fits) return fits.error();
  std::vector<BlockStore> stores;
  for (uint64_t i = 0; i < num_stores; ++i) {
    Result<BlockStore> store = BlockStore::Create(geometry, limit_bytes);
    if (!store) return store.error();
    stores.push_back(*std::move(store));
  }
  const BucketKeys keys{.expected = EvenKeys(settings.capacity, times.num_buckets),
                        .most = BucketCapacityOf(geometry, settings.capacity, times.num_buckets,
                                                 settings.target_fpr)};
  return std::make_unique<RingWindow>(std::move(settings), std::move(stores), keys);
}

Result<Geometry> RingWindow::GeometryFor(const WindowConfig& config) {
  if (auto error = CheckPresenceEncoding("a WindowFilter", config.encoding)) return *error;
  if (config.bucket_capacity > config.capacity) {
    return OutOfRange("bucket_capacity", config.bucket_capacity,
                      "at most capacity, which is " + std::to_string(config.capacity));
  }
  const uint64_t bucket_keys =
      std::max(config.bucket_capacity, EvenKeys(config.capacity, config.num_buckets));
  const Result<Sizing> sizing = SizeFor(
      {.capacity = bucket_keys,
       .target_fpr = BucketFpr(config.target_fpr, bucket_keys, config.capacity, config.num_buckets),
       .num_slices = config.num_slices,
       .encoding = config.encoding});
  if (!sizing) return sizing.error();
  return sizing->geometry;
}

}  // namespace trommel
