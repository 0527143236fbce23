// RingWindow: a window filter in a ring of counting stores, one per bucket, and how keys get to
// them. The argument why that is enough stands in ring_window.cc.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_RING_WINDOW_H_
#define TROMMEL_ENGINE_SRC_WINDOW_RING_WINDOW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/window/bucket_ring.h"
#include "engine/src/window/window_engine.h"

namespace trommel {

static_assert(BucketList::kMaxEntries == WindowFilter::kMaxBuckets + 1);

// Stores that are queried together.
class StoreList {
 public:
  // Those of the list that may hold a key, `except` that one.
  explicit StoreList(const BucketList& list, const BucketStore* except = nullptr) {
    for (const BucketList::Entry& entry : list.Entries()) {
      if (entry.bucket_store != except) Add(*entry.bucket_store);
    }
  }
  void Add(const BucketStore& bucket_store) {
    if (bucket_store.is_touched()) stores_[size_++] = &bucket_store.store;
  }
  std::span<const BlockStore* const> get() const { return std::span(stores_).first(size_); }

 private:
  std::array<const BlockStore*, BucketList::kMaxEntries> stores_;
  size_t size_ = 0;
};

class RingWindow final : public WindowEngine {
 public:
  // An empty window at time 0, of a geometry that SizeFor could have found. Fails with kOutOfMemory
  // as WindowFilter::Create.
  static Result<std::unique_ptr<RingWindow>> Make(WindowSettings settings, const Geometry& geometry,
                                                  uint64_t limit_bytes);
  // The geometry for a configuration; fails as SizeFor and for what is no ring's.
  static Result<Geometry> GeometryFor(const WindowConfig& config);
  static Result<std::unique_ptr<RingWindow>> ReadFrom(const OpenedSnapshot& snapshot,
                                                      uint64_t limit_bytes,
                                                      const DigestKey& digest_key);
  RingWindow(WindowSettings initial, std::vector<BlockStore> stores, const BucketKeys& keys)
      : WindowEngine(std::move(initial)),
        ring_(settings.times, std::move(stores), keys),
        bucket_capacity_(keys.most) {}

  WindowForm form() const override { return WindowForm::kBucketRing; }
  bool is_erasable() const override { return true; }
  const Geometry& geometry() const override { return ring_.geometry(); }
  uint64_t bucket_capacity() const override { return bucket_capacity_; }
  double PredictedFpr(uint64_t num_keys) const override;

  bool Advance(uint64_t now) override { return ring_.Advance(now); }
  uint64_t now() override { return ring_.CurrentFromOutside().time; }

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

  size_t QueryChunk(std::span<const uint64_t> digests, uint64_t* maybe_present) override;
  void CountChunk(std::span<const uint64_t> digests, std::span<uint64_t> counts) override;
  bool MayContain(uint64_t digest) override;
  void Prefetch(uint64_t digest) override;

  Status Merge(WindowEngine& other) override;
  void Clear() override { ring_.Clear(); }
  Status LimitSideMemory(uint64_t limit_bytes) override;

  uint64_t num_keys() override;
  WindowStats GetStats() override;
  WindowFill MeasureFill() override;
  Status WriteTo(ByteSink& sink) override;

 private:
  // What became of an update: keys inserted or erased, keys of a bucket that was live, and of these
  // those whose bucket never was current, so that it has no store.
  struct Applied {
    uint64_t num_applied = 0;
    size_t num_reached = 0;
    size_t num_without_store = 0;
  };

  UpdateTarget ForUpdates(BucketStore& bucket_store) const {
    return ForUpdates(bucket_store, bucket_store.store);
  }
  // `store`: the bucket's, or one that passes updates to it.
  UpdateTarget ForUpdates(BucketStore& bucket_store, KeyStore& store) const {
    return {.store = store,
            .policy = settings.policy,
            .executor = settings.executor.get(),
            .locks = &bucket_store.locks};
  }
  // Inserts into, or erases from, the store of a bucket that was live at some moment of the call,
  // as long as it is. `answers` as UpdateBatch has them; those of keys not reached are 0.
  // kInsertIfPresent: as NotingStore has it.
  Applied UpdateIn(uint64_t bucket, Update update, Keys keys, std::span<uint64_t> answers);
  // Counts what a limit refused.
  WindowInsertOutcome OutcomeOf(size_t num_keys, const Applied& applied);
  // Inserts into the view's current bucket what neither its buckets nor a later one seem to hold.
  // From inside the ring since the view was taken; at most kMaxChunkKeys digests.
  size_t InsertIfAbsentIn(const BucketRing::View& view, std::span<const uint64_t> digests,
                          uint64_t* inserted);

  BucketRing ring_;
  const uint64_t bucket_capacity_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_RING_WINDOW_H_
