// WideStore: fingerprints in slots of 16 bits. A full block's further keys go to the *overflow
// line* of its group of 64 blocks, and beyond that to the side table:
//
//   in slots   at most 32 keys, copies included, in any slots
//   line       31 in slots 0 .. 30, the others, at least two, in the line; slot 31 is kLineMark
//   copies     each key once, 31 in slots 0 .. 30 and further ones in the line; further copies are
//              in the side table; slot 31 is kCopiesMark
//   spilled    31 keys that differ in slots 0 .. 30, all else in the side table; slot 31 is
//              kSpillMark. Beside writers its queries are undecided: "maybe present"
//
//   blocks   | 0 | 1 | ... | 63 |     overflow line   key 0 .. 17 | home 0 .. 17 | undecided
//                   marked               of these blocks            (block & 63)
//
// *Keys that differ come before copies.* A block is spilled only while it has more of them than
// slots and the line's free entries take. While a block of the group is spilled, copies have no
// entries of the line (unless a limit of side memory leaves no record for them), and whatever frees
// an entry, or takes a key from a spilled block, decides blocks again (Settle): within the same
// GroupChange, for all that is changed belongs to the group. In a snapshot copies may have entries
// while a block is spilled (Canonical); SettleGroup is called for what is loaded.
//
// At 21 keys per block 0.9 % of the blocks are marked, and a line has 1.7 entries in the mean. A
// block comes back with the erasure that leaves 32 keys.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/src/fingerprints/fingerprint_store.h"
#include "engine/src/fingerprints/line_entries.h"
#include "kernels/wide_block.h"

namespace trommel {

// Where a marked block has its mark.
inline constexpr size_t kMarkSlot = kernels::kWideSlots - 1;

// How a block of more than 32 keys is kept.
enum class WideForm : uint8_t {
  kCanonical,      // in the line, if it takes all; else without it, and shows the lowest keys
  kFewestRecords,  // the same, but it shows the keys that leave the fewest entries for its record
  kRoomy,          // in the line, if it takes all; else with copies in the side table, or spilled
  kTight,          // copies in the side table, if there are any and a record is free
};

class WideStore final : public FingerprintStore {
 public:
  BlockContents ReadContents(uint64_t block_idx) const override;
  uint32_t KeyOf(uint64_t rest) const override {
    return kernels::WideKey(rest, geometry_.fingerprint_bits);
  }

 private:
  size_t KeysOf(uint64_t block_idx, std::span<uint32_t, kMaxBlockKeys> keys) const override {
    return kernels::KeysOfWide(BlockAt(block_idx), keys.first<kernels::kWideSlots>());
  }
  size_t AscendingKeysOf(uint64_t block_idx,
                         std::span<uint32_t, kMaxBlockKeys> keys) const override {
    std::array<uint32_t, kernels::kFingerprintBlockWords> words;
    WritePlain(block_idx, words.data());
    return kernels::KeysOfWide(words.data(), keys.first<kernels::kWideSlots>());
  }
  bool IsKey(uint32_t key) const override;
  bool IsPromoted(uint64_t block_idx) const override {
    return kernels::IsMarkedWide(BlockAt(block_idx));
  }
  bool IsReadable(uint64_t block_idx) const override;
  void WritePlain(uint64_t block_idx, uint32_t* words) const override;
  std::optional<size_t> PlainKeys(uint64_t block_idx) const override;
  BlockContents WritePromoted(const BlockContents& contents, uint64_t block_idx, uint32_t* words,
                              uint32_t* line, size_t& num_entries) const override;
  bool HasHidden(uint64_t block_idx) const override { return IsSpill(MarkOf(block_idx)); }
  Needs NeedsOf(const BlockContents& contents, size_t num_free_entries,
                const HiddenKeys& hidden) const override;
  size_t NumEntriesOf(uint64_t block_idx) const override;
  size_t NumFreeEntries(uint64_t block_idx) const override;
  void SpillFewest() noexcept override;
  bool StoreContents(uint64_t block_idx, const BlockContents& contents) override {
    return StoreAs(WideForm::kRoomy, block_idx, contents);
  }
  bool InsertWhole(uint64_t block_idx, uint32_t key) override;
  void Settle(uint64_t block_idx, bool has_spilled) override;
  void SettleGroup(uint64_t first_block) override;
  void Promote(uint64_t block_idx) override;
  bool InsertPromoted(uint64_t block_idx, uint32_t key) override;
  bool ErasePromoted(uint64_t block_idx, uint32_t key) override;
  void FetchElsewhere(uint64_t block_idx) const override { __builtin_prefetch(&LineOf(block_idx)); }
  bool HoldsElsewhere(uint64_t block_idx, uint32_t key) const override;
  bool MayHoldElsewhere(uint64_t block_idx, uint32_t key) const override;
  uint64_t NumUndecided(uint64_t block_idx) const override {
    return MarkOf(block_idx) == kernels::kSpillMark ? 64 : 0;
  }
  uint64_t CountOf(uint64_t block_idx, uint32_t key) const override;
  uint64_t CoveredBy(uint32_t key) const override;

  static bool IsSpill(uint32_t mark) {
    return mark == kernels::kSpillMark || mark == kernels::kCopiesMark;
  }
  static bool HasEntries(uint32_t mark) {
    return mark == kernels::kLineMark || mark == kernels::kCopiesMark;
  }
  bool StoreAs(WideForm form, uint64_t block_idx, const BlockContents& contents);
  // Stores contents without entries of the line for copies while those could decide other blocks.
  bool StoreAnew(uint64_t block_idx, const BlockContents& contents);
  bool OthersAreUndecided(uint64_t block_idx) const {
    return (LineOf(block_idx).undecided & ~BitOf(block_idx)) != 0;
  }
  static uint64_t BitOf(uint64_t block_idx) { return uint64_t{1} << (block_idx % kGroupBlocks); }
  void NoteUndecided(uint64_t block_idx) {
    const uint64_t bit = NumUndecided(block_idx) != 0 ? BitOf(block_idx) : 0;
    LineOf(block_idx).undecided = (LineOf(block_idx).undecided & ~BitOf(block_idx)) | bit;
  }
  // Moves the copies that blocks of the group have in the line to the side table.
  void HideCopies(uint64_t block_idx);
  // Decides a spilled block, if the line has entries for the keys that it does not show.
  void Decide(uint64_t block_idx);
  // Shows a hidden key, if there is one that is not shown, in a slot that has become free.
  void FillSlot(uint64_t block_idx, size_t slot_idx);
  // Slot 31 if it is a mark, else 0.
  uint32_t MarkOf(uint64_t block_idx) const;
  OverflowLine& LineOf(uint64_t block_idx) const {
    return reinterpret_cast<OverflowLine*>(lines_.data())[block_idx / kGroupBlocks];
  }
  void FreeEntriesOf(uint64_t block_idx);
  // An entry of the block in its line, that of the key or any; if there is one.
  std::optional<size_t> EntryOf(uint64_t block_idx, std::optional<uint32_t> key) const;
  bool EraseFromLine(uint64_t block_idx, uint32_t key);
  bool EraseFromSpilled(uint64_t block_idx, uint32_t key);
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_
