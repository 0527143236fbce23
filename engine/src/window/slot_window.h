// SlotWindow: a window filter in one array of stamped blocks. Why it keeps its promises: the
// argument in slot_window.cc.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_SLOT_WINDOW_H_
#define TROMMEL_ENGINE_SRC_WINDOW_SLOT_WINDOW_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/sync/range_locks.h"
#include "engine/src/window/slot_sizing.h"
#include "engine/src/window/stamped_store.h"
#include "engine/src/window/stamped_view.h"
#include "engine/src/window/window_clock.h"
#include "engine/src/window/window_engine.h"

namespace trommel {

// A slot window as a file has it: at one moment, in canonical form.
struct SlotWindowImage {
  StampedStore store;
  uint64_t now = 0;
  std::vector<uint64_t> keys_of_buckets;  // from the first live bucket to the current one
};

class SlotWindow final : public WindowEngine {
 public:
  // An empty window at time 0. `geometry` as StampedStore::Create.
  static Result<std::unique_ptr<SlotWindow>> Make(WindowSettings settings, const Geometry& geometry,
                                                  bool is_erasable, uint64_t limit_bytes);
  // The window of a file. Requires an image whose store is canonical.
  static std::unique_ptr<SlotWindow> FromImage(WindowSettings settings, SlotWindowImage image);
  SlotWindow(WindowSettings settings, StampedStore store);

  WindowForm form() const override {
    return store_.shape() == kernels::kStampedShape16 ? WindowForm::kSlots16 : WindowForm::kSlots24;
  }
  bool is_erasable() const override { return store_.is_erasable(); }
  const Geometry& geometry() const override { return store_.geometry(); }
  uint64_t bucket_capacity() const override { return settings.capacity; }
  double PredictedFpr(uint64_t num_keys) const override {
    return SlotsFpr(store_.geometry(), num_keys);
  }

  bool Advance(uint64_t now) override;
  uint64_t now() override { return clock_.now(); }

  uint64_t Insert(Keys keys) override;
  WindowInsertOutcome InsertAt(Keys keys, uint64_t time) override;
  uint64_t InsertOne(uint64_t digest) override;
  WindowInsertOutcome InsertNoting(Keys keys, std::optional<uint64_t> time,
                                   std::span<uint64_t> inserted, uint64_t& inserted_at) override;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        std::span<uint64_t> times) override;
  bool InsertOneIfAbsent(uint64_t digest, uint64_t* inserted_at) override;
  WindowEraseOutcome Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased) override;
  bool FindMissing(std::span<const uint64_t> digests, uint64_t inserted_at,
                   Shortfalls& shortfalls) override;

  size_t QueryChunk(std::span<const uint64_t> digests, uint64_t* maybe_present) override {
    return store_.Query(clock_.first_live(), digests, maybe_present);
  }
  void CountChunk(std::span<const uint64_t> digests, std::span<uint64_t> counts) override;
  bool MayContain(uint64_t digest) override {
    return store_.MayContain(clock_.first_live(), digest);
  }
  void Prefetch(uint64_t digest) override { store_.FetchAhead({&digest, 1}); }

  Status Merge(WindowEngine& other) override;
  void Clear() override;
  Status LimitSideMemory(uint64_t limit_bytes) override;

  uint64_t num_keys() override;
  WindowStats GetStats() override;
  WindowFill MeasureFill() override;
  Status WriteTo(ByteSink& sink) override;

  // What a file has. May throw std::bad_alloc.
  SlotWindowImage Image();

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
  // Counts what a limit refused.
  WindowInsertOutcome OutcomeOf(size_t num_keys, const Applied& applied);
  bool UpdateOneInside(const WindowClock::Inside& inside, Update update, uint64_t digest);
  // Sweeps the share of num_keys insertions.
  void SweepShare(uint64_t num_keys);
  void SweepShareOfOne(uint64_t digest);
  void SweepGroups(uint64_t num_groups);
  std::vector<uint64_t> KeysOfLive(uint64_t first_live, uint64_t current);

  StampedStore store_;
  RangeLocks locks_;
  // Of each bucket that is kept, the number of its keys; bucket b has b % size.
  std::vector<RangeLocks> keys_of_;
  WindowClock clock_;
  // Insertions whose share of the sweep is not done, times groups.
  std::atomic<uint64_t> sweep_owed_{0};
  std::atomic<uint64_t> next_swept_{0};  // a group
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_SLOT_WINDOW_H_
