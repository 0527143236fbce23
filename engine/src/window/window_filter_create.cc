// Creation of window filters: what numbers are legal.
#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "engine/src/base/out_of_range.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_sizing.h"

namespace trommel {

Status ValidateWindow(const WindowSettings& settings) {
  const auto& [times, policy, executor, capacity, target_fpr, memory_limit_bytes] = settings;
  constexpr uint32_t kMaxBuckets = WindowFilter::kMaxBuckets;
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
  if (!(target_fpr >= WindowFilter::kMinTargetFpr && target_fpr <= kMaxTargetFpr)) {
    return OutOfRange("target_fpr", target_fpr, WindowFilter::kMinTargetFpr, kMaxTargetFpr);
  }
  return Ok();
}

Result<WindowFilter> WindowFilter::Create(const WindowConfig& config) try {
  WindowSettings settings{.times = {config.window, config.num_buckets},
                          .policy = config.digest,
                          .executor = config.executor,
                          .capacity = config.capacity,
                          .target_fpr = config.target_fpr,
                          .memory_limit_bytes = config.memory_limit_bytes};
  if (Status valid = ValidateWindow(settings); !valid) return valid.error();
  if (const Status digest = CheckPolicy(config.digest); !digest) return digest.error();
  const std::optional<Geometry> geometry =
      WindowGeometry(config.num_buckets, config.capacity, config.target_fpr);
  if (!geometry) {
    return Error{ErrorCode::kInvalidArgument,
                 "capacity is " + std::to_string(config.capacity) + "; at target_fpr " +
                     TextOf(config.target_fpr) + " that takes more blocks than the " +
                     std::to_string(kMaxBlocks) +
                     " there can be: lower the capacity or raise the rate"};
  }
  Result<StampedStore> store =
      StampedStore::Create(*geometry, config.is_erasable, config.memory_limit_bytes);
  if (!store) return store.error();
  auto impl = std::make_unique<Impl>(std::move(settings), *std::move(store));
  if (config.side_memory_limit_bytes != 0) {
    const Status limited = impl->LimitSideMemory(config.side_memory_limit_bytes);
    if (!limited) return limited.error();
  }
  return WindowFilter(std::move(impl));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the window's stores"};
}

}  // namespace trommel
