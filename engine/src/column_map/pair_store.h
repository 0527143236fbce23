// PairStore: the pairs of a map. It depends on digests, not on which columns are open.
//
// A pair is a place (block and fingerprint, of a digest) and a column. Pairs are in the slots of
// their block (kernels/map_layout.h), or elsewhere: in an entry of their group's table
// (group_table.h), which holds all columns of one place (column_sets.h).
//
//   in slots     while the place has at most as many columns as half of the block's slots
//   elsewhere    with more; one slot is then a mark. Where a block is full, the place with most
//   slots
//                goes elsewhere; if each slot is another place's, a new place has its entry only
//                (it is hidden), and the block's flag is set
//   back         to slots with at most as many columns as a quarter of the block's slots, if they
//   are
//                free; hidden places as soon as a slot is free
//
// So slots are used as long as there are any: a pair in a slot takes less memory than in a short
// list, and queries find it in the line that they read.
//
// A pair that is inserted again, of another key with the same place, too, is counted as a *copy*.
// Copies are in a side table that only writers read. So what is in slots and entries is the set of
// pairs with at least one copy, whatever the history, and erasing is exact.
//
// *Memory.* The system may refuse it to an insertion, which has changed no pair then. Erasures, and
// the closing of columns, need none: lists and bitmaps are shortened where they are, and a group's
// table that cannot be made smaller stays as large as it is.
//
// Queries beside writers. Groups of 64 blocks have versions (kernels/group_versions.h), odd while
// the group is changed; one thread at a time changes a group, under the lock of its stripe. A query
// that has read everything between two loads of the same even version has read the group as it was
// at one moment. It follows references into the stripe's arena, whose memory is not freed
// (record_arena.h). A record may be freed by a change of its group, and become one of another group
// of the stripe: if a query has read a word of that later change, the release fence before that
// word's store, and the query's acquire fence behind its load, make the earlier change of its own
// version visible to the second load of the version. So it is another one than the first, or the
// first load saw the change, and then the query did not find the record. After kAttempts attempts a
// query answers "maybe present" for all columns: it never waits.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_PAIR_STORE_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_PAIR_STORE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "engine/src/column_map/column_sets.h"
#include "engine/src/column_map/group_table.h"
#include "engine/src/column_map/map_geometry.h"
#include "engine/src/column_map/pair_copies.h"
#include "engine/src/sync/running_figure.h"
#include "kernels/map_block.h"
#include "kernels/map_layout.h"
#include "trommel/result.h"

namespace trommel {

// Where the pairs of a digest are.
struct PairPlace {
  uint64_t block_idx;
  uint32_t fingerprint;
};

class PairStore {
 public:
  // Without pairs. Requires a valid geometry. Fails with kOutOfMemory if the system refuses memory.
  static Result<PairStore> Create(const MapGeometry& geometry);

  PairPlace PlaceOf(uint64_t digest) const {
    const kernels::FingerprintPlace place =
        kernels::FingerprintPlaceOf(digest, geometry_.num_blocks);
    return {place.block_idx, kernels::MapFingerprint(place.rest, geometry_.fingerprint_bits)};
  }

  // --- Updates. Thread safety: any thread at any time. At most kMaxChunkKeys digests.

  // Returns how many keys the system refused memory. Sets their bits in `refused`, unless it is
  // null.
  uint64_t Insert(std::span<const uint64_t> digests, uint32_t column, uint64_t* refused);
  // Returns how many were erased: the column had a pair of the place.
  uint64_t Erase(std::span<const uint64_t> digests, uint32_t column) noexcept;
  // Inserts a pair that is not in the store, so many times. Returns false if it was refused.
  [[nodiscard]] bool InsertCopies(PairPlace place, uint32_t column, uint64_t num_copies);
  // Erases all pairs of the columns whose bit is set.
  void EraseColumns(std::span<const uint64_t> columns) noexcept;

  // --- Queries. Thread safety: any thread at any time.

  // Writes num_words words per digest.
  void Query(std::span<const uint64_t> digests, size_t num_words, uint64_t* columns) const;
  void QueryOne(uint64_t digest, std::span<uint64_t> columns) const;
  void Prefetch(uint64_t digest) const {  // the block, and what tells that it is being changed
    const uint64_t block_idx = PlaceOf(digest).block_idx;
    __builtin_prefetch(kernels::FingerprintBlockAt(blocks_.lines, block_idx));
    __builtin_prefetch(blocks_.lines.versions + block_idx / kernels::kGroupBlocks);
  }

  // Calls visit(place, column, number of copies) for all pairs of each group in turn, under its
  // lock; the order within a group is not determined.
  template <class Visit>
  void ForEachPair(const Visit& visit) const;

  const MapGeometry& geometry() const { return geometry_; }
  MapStats GetStats() const;  // num_bytes without what is kept per column

 private:
  // The groups that one lock covers: those whose index is that of the stripe, modulo the number of
  // stripes; and what they keep outside of their blocks.
  struct alignas(64) Stripe {
    explicit Stripe(uint32_t num_columns) : sets(num_columns) {}

    mutable std::mutex mutex;
    ColumnSets sets;
    PairCopies copies;
    RunningFigure num_slots_in_use, num_marks, num_hidden, num_pairs_elsewhere, num_refused;
  };

  // A block, with what its group has elsewhere, under the lock of its stripe.
  class HeldBlock;

  PairStore(const MapGeometry& geometry, BlockMemory blocks, BlockMemory groups);

  Stripe& StripeOf(uint64_t block_idx) const {
    return *stripes_[block_idx / kernels::kGroupBlocks & (stripes_.size() - 1)];
  }
  uint64_t* TableOf(uint64_t block_idx) const {
    return tables_ + block_idx / kernels::kGroupBlocks;
  }
  // Calls apply(place, stripe, index of the digest) for each digest, those of one stripe after the
  // other, under its lock, in input order within a stripe.
  template <class Apply>
  void ForEachHeld(std::span<const uint64_t> digests, const Apply& apply) const;
  // Adds the columns of what was found of the place. Returns false if in doubt.
  bool Collect(PairPlace place, uint32_t match, std::span<uint64_t> columns) const;
  bool HasVersion(uint64_t block_idx, uint64_t version) const;
  // Calls visit(place, column) for the pairs of one group. Requires its lock.
  template <class Visit>
  void ForEachPairOf(uint64_t group_idx, const Visit& visit) const;
  static uint64_t CopiesOf(const Stripe& stripe, const PairKey& key) {
    return 1 + stripe.copies.NumOf(key);
  }

  MapGeometry geometry_;
  BlockMemory blocks_memory_;
  BlockMemory groups_memory_;
  kernels::MapBlocks blocks_{};
  uint64_t* tables_ = nullptr;  // roots, by group
  std::vector<std::unique_ptr<Stripe>> stripes_;
  std::unique_ptr<std::atomic<uint64_t>> num_interrupted_;
};

template <class Visit>
void PairStore::ForEachPairOf(uint64_t group_idx, const Visit& visit) const {
  Stripe& stripe = StripeOf(group_idx * kernels::kGroupBlocks);
  const uint64_t first = group_idx * kernels::kGroupBlocks;
  for (uint64_t b = first; b < first + kernels::kGroupBlocks; ++b) {
    const uint32_t* const block = kernels::FingerprintBlockAt(blocks_.lines, b);
    for (uint32_t i = 0; i < blocks_.num_slots(); ++i) {
      const uint32_t slot = kernels::MapSlot(block, blocks_, i);
      const uint32_t column = slot & blocks_.mark();
      if (slot != 0 && column != blocks_.mark()) {
        visit(PairPlace{b, slot >> blocks_.column_bits()}, column);
      }
    }
  }
  GroupTable(stripe.sets.arena(), tables_ + group_idx).ForEach([&](const uint64_t* word) {
    const MapEntry entry(LoadWord(word));
    const PairPlace place{first + entry.home(), entry.fingerprint()};
    stripe.sets.ForEach(entry, [&](uint16_t column) { visit(place, uint32_t{column}); });
  });
}

template <class Visit>
void PairStore::ForEachPair(const Visit& visit) const {
  const uint64_t num_groups = geometry_.num_blocks / kernels::kGroupBlocks;
  for (uint64_t group = 0; group < num_groups; ++group) {
    const Stripe& stripe = StripeOf(group * kernels::kGroupBlocks);
    const std::lock_guard lock(stripe.mutex);
    ForEachPairOf(group, [&](PairPlace place, uint32_t column) {
      visit(place, column, CopiesOf(stripe, {place.block_idx, place.fingerprint, column}));
    });
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_PAIR_STORE_H_
