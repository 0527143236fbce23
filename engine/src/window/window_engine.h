// WindowEngine: how a window filter keeps its buckets. SlotWindow has one array of stamped blocks
// for all of them, RingWindow a ring of counting stores; WindowFilter checks arguments and calls
// one of them.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_ENGINE_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_ENGINE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "engine/src/blocks/shortfalls.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/window/time_buckets.h"
#include "kernels/kernels.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/result.h"
#include "trommel/window_filter.h"

namespace trommel {

// The keys of one grace period: Advance waits for them. Spread over threads they take no longer.
inline constexpr size_t kAloneKeys = kernels::kMaxChunkKeys;
inline constexpr size_t kSpreadKeys = size_t{1} << 17;

// What both have.
struct WindowSettings {
  TimeBuckets times;
  DigestPolicy policy;
  std::shared_ptr<Executor> executor;
  uint64_t capacity = 0;
  double target_fpr = 0;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory
};

// Checks all but the policy.
Status ValidateWindow(const WindowSettings& settings);

// Members are as those of WindowFilter, which says what they promise; spans have their sizes.
class WindowEngine {
 public:
  explicit WindowEngine(WindowSettings initial) : settings(std::move(initial)) {}
  WindowEngine(const WindowEngine&) = delete;
  WindowEngine& operator=(const WindowEngine&) = delete;
  virtual ~WindowEngine() = default;

  virtual WindowForm form() const = 0;
  virtual bool is_erasable() const = 0;
  virtual const Geometry& geometry() const = 0;
  virtual uint64_t bucket_capacity() const = 0;
  virtual double PredictedFpr(uint64_t num_keys) const = 0;

  virtual bool Advance(uint64_t now) = 0;
  virtual uint64_t now() = 0;

  virtual uint64_t Insert(Keys keys) = 0;
  virtual WindowInsertOutcome InsertAt(Keys keys, uint64_t time) = 0;
  virtual uint64_t InsertOne(uint64_t digest) = 0;
  // Into the bucket of the time, or the current one. Sets the bits of the keys that are in.
  virtual WindowInsertOutcome InsertNoting(Keys keys, std::optional<uint64_t> time,
                                           std::span<uint64_t> inserted, uint64_t& inserted_at) = 0;
  // `times` may be empty.
  virtual size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                std::span<uint64_t> times) = 0;
  virtual bool InsertOneIfAbsent(uint64_t digest, uint64_t* inserted_at) = 0;
  // `erased` may be empty. Requires an erasable engine.
  virtual WindowEraseOutcome Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased) = 0;

  // Notes which of the ascending digests could not be erased from the bucket of this time if all of
  // them were (blocks/shortfalls.h). Returns false if the bucket is not live. Requires an erasable
  // engine. May throw std::bad_alloc.
  virtual bool FindMissing(std::span<const uint64_t> digests, uint64_t inserted_at,
                           Shortfalls& shortfalls) = 0;

  // At most kMaxChunkKeys digests, at one moment of the clock.
  virtual size_t QueryChunk(std::span<const uint64_t> digests, uint64_t* maybe_present) = 0;
  virtual void CountChunk(std::span<const uint64_t> digests, std::span<uint64_t> counts) = 0;
  virtual bool MayContain(uint64_t digest) = 0;
  virtual void Prefetch(uint64_t digest) = 0;

  // Requires an engine of the same form, erasable or not, with equal times, policy, geometry and
  // current bucket.
  // Fails as WindowFilter::Merge for want of memory.
  virtual Status Merge(WindowEngine& other) = 0;
  virtual void Clear() = 0;
  virtual Status LimitSideMemory(uint64_t limit_bytes) = 0;

  virtual uint64_t num_keys() = 0;
  // All but the refusals, which WindowFilter counts.
  virtual WindowStats GetStats() = 0;
  virtual WindowFill MeasureFill() = 0;
  virtual Status WriteTo(ByteSink& sink) = 0;

  WindowSettings settings;
  uint64_t side_limit_bytes = 0;  // 0: no limit
  // Insertions that a limit refused, since creation, load or clear. Of all buckets, also of those
  // that have gone.
  std::atomic<uint64_t> num_without_space{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_ENGINE_H_
