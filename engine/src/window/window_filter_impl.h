// What a WindowFilter is made of: one array of stamped blocks, the keys of each bucket, and a
// clock. Why it keeps its promises: the argument in window_filter_impl.cc.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/sync/range_locks.h"
#include "engine/src/window/stamped_store.h"
#include "engine/src/window/time_buckets.h"
#include "engine/src/window/window_clock.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/one_key.h"
#include "trommel/result.h"
#include "trommel/window_filter.h"

namespace trommel {

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

// A window as a file has it: at one moment, in canonical form.
struct WindowImage {
  StampedStore store;
  uint64_t now = 0;
  std::vector<uint64_t> keys_of_buckets;  // from the first live bucket to the current one
};

// Members are as those of WindowFilter, which says what they promise; spans have their sizes.
struct WindowFilter::Impl {
  // An empty window at time 0.
  Impl(WindowSettings initial, StampedStore store);
  // The window of a file. Requires an image whose store is canonical.
  Impl(WindowSettings initial, WindowImage image);

  bool is_erasable() const { return store_.is_erasable(); }
  const Geometry& geometry() const { return store_.geometry(); }

  bool Advance(uint64_t now);
  uint64_t now() { return clock_.now(); }

  uint64_t Insert(Keys keys);
  WindowInsertOutcome InsertAt(Keys keys, uint64_t time);
  uint64_t InsertOne(uint64_t digest);
  // Into the bucket of the time, or the current one. Sets the bits of the keys that are in.
  WindowInsertOutcome InsertNoting(Keys keys, std::optional<uint64_t> time,
                                   std::span<uint64_t> inserted, uint64_t& inserted_at);
  // `times` may be empty.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t> times);
  bool InsertOneIfAbsent(uint64_t digest, uint64_t* inserted_at);
  // `erased` may be empty.
  EraseOutcome Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased);
  EraseOutcome EraseAll(Keys keys, std::span<const uint64_t> inserted_at,
                        std::span<uint64_t> missing);

  // At most kMaxChunkKeys digests, at one moment of the clock.
  size_t QueryChunk(std::span<const uint64_t> digests, uint64_t* maybe_present) {
    return store_.Query(clock_.first_live(), digests, maybe_present);
  }
  void CountChunk(std::span<const uint64_t> digests, std::span<uint64_t> counts);
  bool MayContain(uint64_t digest) { return store_.MayContain(clock_.first_live(), digest); }
  void Prefetch(uint64_t digest) { store_.FetchAhead({&digest, 1}); }

  // Names the first field in which this and `other` differ; empty if they can be merged.
  std::string DifferenceFrom(Impl& other);
  // Requires no difference. Fails as WindowFilter::Merge.
  Status Merge(Impl& other);
  void Clear();
  Status LimitSideMemory(uint64_t limit_bytes);

  uint64_t num_keys();
  WindowStats GetStats();
  BlockFill MeasureFill();

  // As WindowFilter's (files/filter_files.h).
  static Result<std::unique_ptr<Impl>> ReadFrom(FileReader& file, uint64_t limit_bytes,
                                                const DigestKey& digest_key);
  Status WriteTo(FileWriter& file);
  // What a file has. May throw std::bad_alloc.
  WindowImage Image();

  OneKey one;
  WindowSettings settings;
  uint64_t side_limit_bytes = 0;  // 0: no limit
  ExclusiveAccessCheck access_check;

 private:
  // What became of an update: keys changed, and keys for which the bucket was live.
  struct Applied {
    uint64_t num_applied = 0;
    size_t num_reached = 0;
  };

  StampedSpan SpanOf(const WindowClock::Inside& inside, uint64_t bucket) const {
    return {bucket, clock_.FirstLive(inside.moment().bucket), inside.first_kept()};
  }
  RangeLocks& KeysOf(uint64_t bucket) { return keys_of_[bucket % keys_of_.size()]; }
  // Updates the bucket as long as it is live. `answers` as UpdateBatch has them; those of keys not
  // reached are 0.
  Applied UpdateIn(uint64_t bucket, Update update, Keys keys, std::span<uint64_t> answers);
  // Counts what was refused.
  WindowInsertOutcome OutcomeOf(size_t num_keys, const Applied& applied);
  bool UpdateOneInside(const WindowClock::Inside& inside, Update update, uint64_t digest);
  // Erases without counting what was refused. Requires an erasable window.
  EraseOutcome EraseUncounted(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased);
  EraseOutcome EraseAllUncounted(Keys keys, std::span<const uint64_t> inserted_at,
                                 std::span<uint64_t> missing);
  void Count(const EraseOutcome& outcome);
  // Notes which of the ascending digests could not be erased from the bucket of this time if all of
  // them were (blocks/shortfalls.h). Returns false if the bucket is not live. May throw
  // std::bad_alloc.
  bool FindMissing(std::span<const uint64_t> digests, uint64_t inserted_at, Shortfalls& shortfalls);
  // Sweeps the share of num_keys insertions; nothing with a limit of side memory.
  void SweepShare(uint64_t num_keys);
  void SweepShareOfOne(uint64_t digest);
  void SweepGroups(uint64_t num_groups);
  std::vector<uint64_t> KeysOfLive(uint64_t first_live, uint64_t current);

  StampedStore store_;
  RangeLocks locks_;
  // Of each bucket that is kept, the number of its keys; bucket b has b % size.
  std::vector<RangeLocks> keys_of_;
  // Insertions whose share of the sweep is not done, times groups.
  std::atomic<uint64_t> sweep_owed_{0};
  std::atomic<uint64_t> next_swept_{0};  // a group
  // Since creation, load or clear. Insertions that a limit refused are of all buckets, also of
  // those that have gone.
  std::atomic<uint64_t> num_without_space_{0};
  std::atomic<uint64_t> num_untimely_inserts_{0};  // into no live bucket
  std::atomic<uint64_t> num_refused_erases_{0};
  std::atomic<uint64_t> num_expired_erases_{0};
  WindowClock clock_;  // last: it is aligned to a cache line
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_
