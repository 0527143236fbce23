// Creation of window filters: what numbers are legal, and what stores they need.
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "engine/src/digest_policy.h"
#include "engine/src/out_of_range.h"
#include "engine/src/window_filter_impl.h"

namespace trommel {
namespace {

uint64_t BucketCapacityFor(uint64_t capacity, uint32_t num_buckets) {
  return (capacity + num_buckets) / (num_buckets + 1);
}

// The rate of one bucket such that num_buckets + 1 of them have `fpr` together.
double BucketFpr(double fpr, uint32_t num_buckets) {
  return -std::expm1(std::log1p(-fpr) / (num_buckets + 1));
}

}  // namespace

Status WindowFilter::Impl::Validate(const TimeBuckets& times, uint64_t capacity,
                                    double target_fpr) {
  if (times.window == 0) return OutOfRange("window", times.window, "at least 1 tick");
  if (times.num_buckets == 0 || times.num_buckets > kMaxBuckets ||
      times.num_buckets > times.window) {
    return OutOfRange("num_buckets", times.num_buckets,
                      "between 1 and " +
                          std::to_string(std::min<uint64_t>(kMaxBuckets, times.window)) +
                          (times.window < kMaxBuckets ? " (the ticks of the window)" : ""));
  }
  if (capacity == 0 || capacity > kMaxCapacity) {
    return OutOfRange("capacity", capacity, "between 1 and " + std::to_string(kMaxCapacity));
  }
  const double least = kMinTargetFpr * (times.num_buckets + 1);
  if (!(target_fpr >= least && target_fpr <= kMaxTargetFpr)) {
    return Error{ErrorCode::kInvalidArgument, "target_fpr is " + TextOf(target_fpr) + "; for " +
                                                  std::to_string(times.num_buckets) +
                                                  " buckets it must be between " + TextOf(least) +
                                                  " and " + TextOf(kMaxTargetFpr)};
  }
  return Ok();
}

Result<std::unique_ptr<WindowFilter::Impl>> WindowFilter::Impl::Make(const TimeBuckets& times,
                                                                     const Geometry& geometry,
                                                                     uint64_t capacity,
                                                                     uint64_t memory_limit_bytes) {
  const uint64_t num_stores = uint64_t{times.num_buckets} + 2;
  const uint64_t num_bytes = num_stores * geometry.num_bytes();
  const uint64_t limit = memory_limit_bytes != 0 ? memory_limit_bytes : PhysicalMemoryBytes();
  if (num_bytes > limit) {
    return Error{ErrorCode::kOutOfMemory,
                 "the filter needs " + std::to_string(num_bytes) + " bytes in " +
                     std::to_string(num_stores) + " stores, more than the limit of " +
                     std::to_string(limit) + " bytes (" +
                     (memory_limit_bytes != 0 ? "memory_limit_bytes" : "this machine's memory") +
                     ")"};
  }
  std::vector<BlockStore> stores;
  for (uint64_t i = 0; i < num_stores; ++i) {
    Result<BlockStore> store = BlockStore::Create(geometry, limit);
    if (!store) return store.error();
    stores.push_back(*std::move(store));
  }
  auto impl = std::make_unique<Impl>(times, std::move(stores),
                                     BucketCapacityFor(capacity, times.num_buckets));
  impl->capacity = capacity;
  return impl;
}

Result<WindowFilter> WindowFilter::Create(const WindowConfig& config) try {
  const TimeBuckets times{config.window, config.num_buckets};
  if (Status valid = Impl::Validate(times, config.capacity, config.target_fpr); !valid) {
    return valid.error();
  }
  if (const Status digest = CheckPolicy(config.digest); !digest) return digest.error();
  const Result<Sizing> sizing =
      SizeFor({.capacity = BucketCapacityFor(config.capacity, config.num_buckets),
               .target_fpr = BucketFpr(config.target_fpr, config.num_buckets),
               .num_slices = config.num_slices,
               .encoding = config.encoding});
  if (!sizing) return sizing.error();
  Result<std::unique_ptr<Impl>> impl =
      Impl::Make(times, sizing->geometry, config.capacity, config.memory_limit_bytes);
  if (!impl) return impl.error();
  (*impl)->policy = config.digest;
  (*impl)->target_fpr = config.target_fpr;
  (*impl)->executor = config.executor;
  return WindowFilter(*std::move(impl));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the window's stores"};
}

}  // namespace trommel
