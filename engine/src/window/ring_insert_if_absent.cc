// InsertIfAbsent of a ring window: keys are looked up in every other live bucket, under their
// lock, before they are inserted into the current one.
//
// A chunk is split by lock, as other updates are. While one digest range is looked up and inserted,
// the blocks of the next are fetched, of all stores.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "engine/src/blocks/store_list.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/window/ring_window.h"
#include "kernels/layout.h"

namespace trommel {
namespace {

constexpr size_t kChunk = kernels::kMaxChunkKeys;
// Up to so many keys, one lock per key costs less than sorting them.
constexpr size_t kFewKeys = 64;
constexpr size_t kMaxRanges = size_t{1} << RangeLocks::kMaxLockBits;

// Those keys of a digest range that are in no other bucket.
class AbsentKeys {
 public:
  AbsentKeys(std::span<const BlockStore* const> others, std::span<const uint64_t> digests) {
    std::array<uint64_t, BlockStore::kBitmapWords> maybe_present;
    QueryAny(others, digests, maybe_present.data());
    for (size_t i = 0; i < digests.size(); ++i) {
      if ((maybe_present[i / 64] >> (i % 64) & 1) != 0) continue;
      digests_[size_] = digests[i];
      places_[size_++] = static_cast<uint16_t>(i);
    }
  }
  std::span<const uint64_t> digests() const { return std::span(digests_).first(size_); }
  // Where in the digest range key i is.
  size_t PlaceOf(size_t i) const { return places_[i]; }

 private:
  std::array<uint64_t, kChunk> digests_;
  std::array<uint16_t, kChunk> places_;
  size_t size_ = 0;
};

// Inserts into the current bucket of a call's view, from inside the ring.
class Inserter {
 public:
  Inserter(BucketRing& ring, const BucketList& list)
      : ring_(ring), list_(list), into_(*list.Current().bucket_store) {}

  uint64_t num_refused() const { return num_refused_; }  // by a limit

  // Of one lock's keys; bit first_bit + i of `inserted`, zero before, says whether key i was
  // inserted.
  size_t InsertRange(size_t lock_idx, std::span<const uint64_t> digests, size_t first_bit,
                     uint64_t* inserted) {
    RangeLocks::Held held = into_.locks.Hold(lock_idx, ring_.locks().lock_bits());
    const AbsentKeys absent(Others().get(), digests);
    std::array<uint64_t, BlockStore::kBitmapWords> bits{};
    if (!absent.digests().empty()) into_.Touch();
    num_refused_ += into_.store.Apply(Update::kInsertIfAbsent, absent.digests().data(),
                                      {0, absent.digests().size()}, bits.data());
    size_t num_inserted = 0;
    for (size_t i = 0; i < absent.digests().size(); ++i) {
      const uint64_t bit = bits[i / 64] >> (i % 64) & 1;
      const size_t place = first_bit + absent.PlaceOf(i);
      inserted[place / 64] |= bit << (place % 64);
      num_inserted += bit;
    }
    held.AddKeys(num_inserted);
    return num_inserted;
  }

  void FetchAhead(std::span<const uint64_t> digests) const {
    const StoreList stores(list_);
    const uint64_t num_blocks = ring_.geometry().num_blocks;
    for (const uint64_t digest : digests) {
      const uint64_t block_idx = kernels::BlockIndex(digest, num_blocks);
      for (const BlockStore* store : stores.get()) __builtin_prefetch(store->PresenceOf(block_idx));
    }
    into_.store.FetchAhead(digests);
  }

 private:
  // The other buckets that may hold a key of ours, from under its lock: the view's, and the one
  // that was entered since, of which there is at most one, for Advance waits for us.
  StoreList Others() const {
    StoreList others(list_, &into_);
    const BucketList& newest = ring_.List();
    if (&newest != &list_) others.Add(*newest.Current().bucket_store);
    return others;
  }

  BucketRing& ring_;
  const BucketList& list_;
  BucketStore& into_;
  uint64_t num_refused_ = 0;
};

}  // namespace

size_t RingWindow::InsertIfAbsentIn(const BucketRing::View& view, std::span<const uint64_t> digests,
                                    uint64_t* inserted) {
  Inserter inserter(ring_, view.list);
  const uint32_t lock_bits = ring_.locks().lock_bits();
  std::fill_n(inserted, (digests.size() + 63) / 64, 0);
  size_t num_inserted = 0;
  if (digests.size() <= kFewKeys) {
    inserter.FetchAhead(digests);
    for (size_t i = 0; i < digests.size(); ++i) {
      num_inserted +=
          inserter.InsertRange(RangeOf(digests[i], lock_bits), digests.subspan(i, 1), i, inserted);
    }
    num_without_space.fetch_add(inserter.num_refused(), std::memory_order_relaxed);
    return num_inserted;
  }
  std::array<uint64_t, kChunk> split_buffer;
  std::array<uint16_t, kChunk> ranges_buffer;
  std::array<uint32_t, kMaxRanges + 1> starts;
  std::array<uint64_t, BlockStore::kBitmapWords> split_inserted{};
  const std::span<uint64_t> split = std::span(split_buffer).first(digests.size());
  const std::span<uint16_t> ranges = std::span(ranges_buffer).first(digests.size());
  SplitByRange(digests, lock_bits, ranges, split, starts);
  const size_t num_locks = ring_.locks().num_locks();
  const auto run_of = [&](size_t l) {
    return l == num_locks ? std::span<uint64_t>()
                          : split.subspan(starts[l], starts[l + 1] - starts[l]);
  };
  inserter.FetchAhead(run_of(0));
  for (size_t l = 0; l < num_locks; ++l) {
    inserter.FetchAhead(run_of(l + 1));
    if (run_of(l).empty()) continue;
    num_inserted += inserter.InsertRange(l, run_of(l), starts[l], split_inserted.data());
  }
  std::array<uint32_t, kMaxRanges> cursors;
  UnsplitAnswers(ranges, starts, split_inserted, std::span(cursors).first(num_locks), inserted);
  num_without_space.fetch_add(inserter.num_refused(), std::memory_order_relaxed);
  return num_inserted;
}

size_t RingWindow::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                  std::span<uint64_t> times) {
  size_t num_inserted = 0;
  {
    // One grace period for all chunks: what the view shows stays, and the answers are of its time.
    const GracePeriods::Reader reader = ring_.Enter();
    const BucketRing::View view = ring_.Look();
    ForEachChunk(settings.policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
      num_inserted += InsertIfAbsentIn(view, digests, inserted.data() + first / 64);
    });
    std::ranges::fill(times, view.time);
  }
  ring_.ClearShare(num_inserted);
  return num_inserted;
}

bool RingWindow::InsertOneIfAbsent(uint64_t digest, uint64_t* inserted_at) {
  uint64_t inserted = 0;
  {
    const GracePeriods::Reader reader = ring_.Enter();
    const BucketRing::View view = ring_.Look();
    InsertIfAbsentIn(view, std::span(&digest, 1), &inserted);
    if (inserted_at != nullptr) *inserted_at = view.time;
  }
  ring_.ClearShare(inserted);
  return inserted != 0;
}

}  // namespace trommel
