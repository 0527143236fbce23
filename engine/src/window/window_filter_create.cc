// Creation of window filters: what numbers are legal, and which form is made.
#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "engine/src/base/out_of_range.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/window/ring_window.h"
#include "engine/src/window/slot_sizing.h"
#include "engine/src/window/slot_window.h"
#include "engine/src/window/window_filter_impl.h"

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
  const double least = kMinTargetFpr * (times.num_buckets + 1);
  if (!(target_fpr >= least && target_fpr <= kMaxTargetFpr)) {
    return Error{ErrorCode::kInvalidArgument, "target_fpr is " + TextOf(target_fpr) + "; for " +
                                                  std::to_string(times.num_buckets) +
                                                  " buckets it must be between " + TextOf(least) +
                                                  " and " + TextOf(kMaxTargetFpr)};
  }
  return Ok();
}

namespace {

Error NoSlots(const WindowConfig& config) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = "target_fpr is " + TextOf(config.target_fpr) +
                     "; with these slots a block would hold less than one key: choose another form "
                     "of window"};
}

// The geometry of a form, if it can keep the rate.
std::optional<Geometry> SlotsOf(const WindowConfig& config, WindowForm form) {
  if (form == WindowForm::kSlots16 && config.num_buckets > WindowFilter::kMaxSlots16Buckets) {
    return std::nullopt;
  }
  return SlotsFor(form, config.capacity, config.target_fpr);
}

// The ring is considered where slots would hold few keys per block.
bool IsRingSmaller(const WindowConfig& config, const Geometry& slots) {
  constexpr uint64_t kFewKeysPerBlock = 8;
  if (!config.is_erasable || config.capacity / slots.num_blocks >= kFewKeysPerBlock) return false;
  const Result<Geometry> ring = RingWindow::GeometryFor(config);
  return ring && ring->num_bytes() * (uint64_t{config.num_buckets} + 2) < slots.num_bytes();
}

struct ChosenForm {
  WindowForm form;
  Geometry geometry;
};

Result<ChosenForm> ChooseForm(const WindowConfig& config) {
  const auto ring = [&config]() -> Result<ChosenForm> {
    if (!config.is_erasable) {
      return Error{ErrorCode::kInvalidArgument,
                   "is_erasable is false; a ring of counting filters is always erasable"};
    }
    const Result<Geometry> geometry = RingWindow::GeometryFor(config);
    if (!geometry) return geometry.error();
    return ChosenForm{WindowForm::kBucketRing, *geometry};
  };
  if (config.form == WindowForm::kBucketRing) return ring();
  if (config.form == WindowForm::kSlots16 &&
      config.num_buckets > WindowFilter::kMaxSlots16Buckets) {
    return OutOfRange(
        "num_buckets", config.num_buckets,
        "at most " + std::to_string(WindowFilter::kMaxSlots16Buckets) + " with slots of 16 bits");
  }
  std::optional<ChosenForm> smallest;
  for (const WindowForm form : {WindowForm::kSlots16, WindowForm::kSlots24}) {
    if (config.form != WindowForm::kAutomatic && config.form != form) continue;
    const std::optional<Geometry> geometry = SlotsOf(config, form);
    if (!geometry) continue;
    if (smallest && smallest->geometry.num_blocks <= geometry->num_blocks) continue;
    smallest = {form, *geometry};
  }
  if (config.form != WindowForm::kAutomatic) {
    if (!smallest) return NoSlots(config);
    return *smallest;
  }
  if (smallest && !IsRingSmaller(config, smallest->geometry)) return *smallest;
  if (!smallest && !config.is_erasable) return NoSlots(config);
  return ring();
}

}  // namespace

Result<WindowFilter> WindowFilter::Create(const WindowConfig& config) try {
  WindowSettings settings{.times = {config.window, config.num_buckets},
                          .policy = config.digest,
                          .executor = config.executor,
                          .capacity = config.capacity,
                          .target_fpr = config.target_fpr,
                          .memory_limit_bytes = config.memory_limit_bytes};
  if (Status valid = ValidateWindow(settings); !valid) return valid.error();
  if (const Status digest = CheckPolicy(config.digest); !digest) return digest.error();
  const Result<ChosenForm> chosen = ChooseForm(config);
  if (!chosen) return chosen.error();
  const uint64_t limit_bytes = config.memory_limit_bytes;
  auto impl = std::make_unique<Impl>();
  if (chosen->form == WindowForm::kBucketRing) {
    auto ring = RingWindow::Make(std::move(settings), chosen->geometry, limit_bytes);
    if (!ring) return ring.error();
    impl->engine = *std::move(ring);
  } else {
    auto slots =
        SlotWindow::Make(std::move(settings), chosen->geometry, config.is_erasable, limit_bytes);
    if (!slots) return slots.error();
    impl->engine = *std::move(slots);
  }
  if (config.side_memory_limit_bytes != 0) {
    const Status limited = impl->engine->LimitSideMemory(config.side_memory_limit_bytes);
    if (!limited) return limited.error();
  }
  return WindowFilter(std::move(impl));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the window's stores"};
}

}  // namespace trommel
