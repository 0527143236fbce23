// HeldBlock: one block of a PairStore, with what its group has elsewhere, under the lock of its
// stripe. Its functions change pairs; each change of slots or entries is one change of the group.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_HELD_BLOCK_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_HELD_BLOCK_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/base/inline_vector.h"
#include "engine/src/column_map/pair_store.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/map_block.h"
#include "kernels/map_layout.h"
#include "kernels/targets.h"

namespace trommel {

class PairStore::HeldBlock {
 public:
  // Requires the stripe's lock, for the lifetime of this object.
  HeldBlock(const PairStore& store, Stripe& stripe, uint64_t block_idx)
      : blocks_(store.blocks_),
        stripe_(stripe),
        table_(stripe.sets.arena(), store.TableOf(block_idx)),
        block_idx_(block_idx),
        home_(static_cast<uint32_t>(block_idx % kernels::kGroupBlocks) << 16),
        block_(kernels::FingerprintBlockAt(store.blocks_.lines, block_idx)) {}

  // Adds the pair, or counts copies of it. Returns false, and changes nothing, if the system
  // refuses memory.
  [[nodiscard]] bool Insert(uint32_t fingerprint, uint32_t column, uint64_t num_copies);
  // Erasures need no memory.

  // Takes one copy away. Returns false if there is no such pair.
  bool Erase(uint32_t fingerprint, uint32_t column);
  // Takes all copies away. Requires the pair.
  void EraseWhole(uint32_t fingerprint, uint32_t column);

 private:
  using Change = kernels::GroupChange;

  // Where a pair is, or its place.
  struct Found {
    uint32_t slots = 0;         // of the fingerprint
    uint32_t slot_of_pair = 0;  // bit, or 0
    bool is_marked = false;
    uint64_t* entry = nullptr;  // of a place that is marked or hidden
    bool has_pair = false;
  };
  Found Find(uint32_t fingerprint, uint32_t column) const;

  // Columns that a place may have in slots; and with which it returns to them.
  size_t max_in_slots() const { return blocks_.num_slots() / 2; }
  size_t back_in_slots() const { return blocks_.num_slots() / 4; }
  uint64_t version_idx() const { return block_idx_ / kernels::kGroupBlocks; }
  uint32_t SlotsOf(uint32_t fingerprint) const {
    return kernels::ActiveKernels().map.equal_slots(block_, blocks_, blocks_.lane_of(fingerprint),
                                                    blocks_.fingerprint_mask());
  }
  uint32_t FreeSlots() const {
    return kernels::ActiveKernels().map.equal_slots(block_, blocks_, 0, 0xffff) &
           ~kernels::kMapFlagsBit;
  }
  bool has_hidden() const {
    return (kernels::LoadPresenceWord(block_ + kernels::kMapBlockWords - 1) &
            blocks_.flags_mask()) != 0;
  }
  uint32_t SlotAt(uint32_t i) const { return kernels::MapSlot(block_, blocks_, i); }
  // Fills a free slot, or frees one (0).
  void SetSlot(uint32_t i, uint32_t slot);
  uint32_t SlotFor(uint32_t fingerprint, uint32_t column) const {
    return fingerprint << blocks_.column_bits() | column;
  }
  MapEntry EntryAt(const uint64_t* word) const { return MapEntry(LoadWord(word)); }
  void Count(RunningFigure& figure, int64_t difference) {
    figure.Set(figure.Get() + static_cast<uint64_t>(difference));
  }

  // --- Within a change of the group.

  // These return false, and change no pair, if there is no memory.

  // Adds the pair of a place that has not got it.
  [[nodiscard]] bool AddPair(const Found& found, uint32_t fingerprint, uint32_t column);
  // Moves the place's pairs, and one more unless it is kNone, from these slots to an entry.
  [[nodiscard]] bool Promote(uint32_t fingerprint, uint32_t slots, uint32_t column);
  [[nodiscard]] bool Hide(uint32_t fingerprint, uint32_t column);
  [[nodiscard]] bool AddToEntry(uint64_t* entry, uint32_t column);
  // Adds an entry of these columns, which ascend.
  [[nodiscard]] bool AddEntry(uint32_t fingerprint, bool is_hidden,
                              std::span<const uint16_t> columns);

  // The fingerprint that has most slots, if one has two; else kNone.
  uint32_t LargestInSlots() const;
  void RemovePair(const Found& found, uint32_t fingerprint, uint32_t column);
  void RemoveFromEntry(const Found& found, uint32_t fingerprint, uint32_t column);
  // Moves the columns of an entry to slots. Requires as many free ones.
  void MoveToSlots(uint64_t* entry);
  // Gives free slots to hidden places, and clears the flag if slots are left. A full block keeps
  // its flag, even if its last hidden place was erased: to know that would need a search of the
  // table.
  void ShowHidden();

  static constexpr uint32_t kNone = ~0U;
  // Columns of a place that are, or are to be, in slots: one more at most.
  using SomeColumns = InlineVector<uint16_t, 32>;

  const kernels::MapBlocks& blocks_;
  Stripe& stripe_;
  GroupTable table_;
  const uint64_t block_idx_;
  const uint32_t home_;  // as part of a key
  uint32_t* const block_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_HELD_BLOCK_H_
