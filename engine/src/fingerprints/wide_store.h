// WideStore: blocks of fingerprints in slots of 16 bits (kernels/fingerprint_layout.h), with an
// exact place for what a block cannot keep. A full block's further keys go to the *overflow line*
// of its group of 64 blocks, and beyond that to the side table:
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
//   update   kernel --> done
//                  \--> spilled, or stopped by a full block --> InsertPromoted, EraseFrom..
//   query    kernel --> shown, absent
//                  \--> unsure                              --> HoldsElsewhere
//
// *Keys that differ come before copies.* A block is spilled only while it has more of them than
// slots and the line's free entries take. While a block of the group is spilled, copies have no
// entries of the line (unless a limit of side memory leaves no record for them), and whatever frees
// an entry, or takes a key from a spilled block, decides blocks again (Settle): within the same
// GroupChange, for all that is changed belongs to the group. In a snapshot copies may have entries
// while a block is spilled (Canonical); SettleGroup is called for what is loaded.
//
// At 21 keys per block 0.9 % of the blocks are marked, and a line has 1.7 entries in the mean. A
// block comes back with the erasure that leaves 32 keys (without hysteresis: two keys of it raised
// the rate after churn by a fifth).
//
// With a limit of side memory each owned range has so many records for promoted blocks
// (hidden_keys.h), and an insertion that finds no space is refused: it changes nothing but the
// count of refusals. All that decides it, slots, the group's line, the block's record, the number
// of records, belongs to one owned range, which cuts no group and whose keys are applied in input
// order. So refusals do not depend on how a batch is split.
//
// *Queries beside updates* need versions of groups (ServeQueries): why they are right stands in
// kernels/group_versions.h. Then every update of a block is within a GroupChange, by the kernel or
// by FinishUpdate, under the lock of its blocks; other changes are exclusive. Queries read blocks
// and lines, never the side table: what only that could decide is "maybe present".
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "engine/src/blocks/store.h"
#include "engine/src/fingerprints/hidden_keys.h"
#include "engine/src/fingerprints/line_entries.h"
#include "engine/src/sync/running_figure.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"

namespace trommel {

using kernels::kGroupBlocks;

// Where a marked block has its mark.
inline constexpr size_t kMarkSlot = kernels::kWideSlots - 1;

// How a block of more than 32 keys is kept.
enum class WideForm : uint8_t {
  kCanonical,      // in the line, if it takes all; else without it, and shows the lowest keys
  kFewestRecords,  // the same, but it shows the keys that leave the fewest entries for its record
  kRoomy,          // in the line, if it takes all; else with copies in the side table, or spilled
  kTight,          // copies in the side table, if there are any and a record is free
};

// A block that keeps keys neither in its slots nor in a line, in a file.
struct HidingBlock {
  uint64_t block_idx;
  std::vector<BlockKey> hidden;
};

class WideStore final : public Store {
 public:
  // An empty store. Requires Encoding::kFingerprints16. Fails as Validate does, or with
  // kOutOfMemory over limit_bytes (0: the machine's memory).
  static Result<std::unique_ptr<WideStore>> Create(const Geometry& geometry, uint64_t limit_bytes);
  // The least limit of a store of this geometry.
  static uint64_t LeastSideBytes(const Geometry& geometry) {
    return HiddenKeys::LeastLimitBytes() << OwnedRangeBits(geometry);
  }

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused) override;
  void FetchAhead(std::span<const uint64_t> digests) const override;
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override;
  bool MayContain(uint64_t digest) const noexcept override;
  OneKeyCalls CallsOfOneKey() const override { return CallsOf(Kernels(), &view_); }
  Fate FinishUpdate(Update update, uint64_t digest) override;
  bool FinishQuery(uint64_t digest) const override;
  void FetchForQuery(std::span<const uint64_t> digests) const noexcept override {
    for (const uint64_t digest : digests) {
      const uint64_t block_idx = PlaceOf(digest).block_idx;
      __builtin_prefetch(BlockAt(block_idx));
      if (has_versions()) {
        __builtin_prefetch(view_.versions + kernels::VersionOf(digest, block_idx, view_));
      }
    }
  }
  uint64_t CountEstimate(uint64_t digest) const override;
  void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const override;

  // Cost: 8 bytes per 64 blocks, and no pass over the blocks.
  Status ServeQueries(uint64_t limit_bytes) override;
  void StopServingQueries() override;

  BlockContents ReadContents(uint64_t block_idx) const override;
  [[nodiscard]] bool WriteContents(uint64_t block_idx, const BlockContents& contents) override;
  Result<std::unique_ptr<SideLimitChange>> PrepareSideLimit(uint64_t limit_bytes) override;
  [[nodiscard]] bool Merge(const Store& other) noexcept override;
  [[nodiscard]] bool Subtract(const Store& other) noexcept override;
  Result<std::unique_ptr<Store>> HalfSize(uint64_t limit_bytes) const override;
  Result<std::unique_ptr<Store>> DoubleSize(uint64_t limit_bytes) const override;
  void Clear() override;
  void CopyOwnedRange(const Store& from, uint64_t range_idx) override;
  void TouchOwnedRange(uint64_t range_idx) override;
  StoreFigures Figures() const override;
  kernels::Tally TallyOf(uint64_t range_idx) const override;
  uint64_t num_bytes() const override;
  uint64_t CountSideTableBytes() const;  // by a pass, for tests
  uint64_t huge_page_bytes() const override;

  // --- For files. The raw arrays.
  const BlockMemory& blocks() const { return blocks_; }
  const BlockMemory& lines() const { return lines_; }
  size_t num_groups() const { return (geometry_.num_blocks + kGroupBlocks - 1) / kGroupBlocks; }
  // Writes the words of a group's blocks, and of its line, that are the same for equal contents,
  // whatever led there; and adds what blocks hide. The line's words are zero before.
  void WriteGroup(uint64_t first_block, uint32_t* words, uint32_t* line,
                  std::vector<HidingBlock>& hiding) const;
  // Takes the hidden keys of a block, whose words a file has; false if it hides none.
  [[nodiscard]] bool PutHidden(uint64_t block_idx, const BlockContents& hidden);
  // Takes the arrays of a file as they are, whose hidden keys were put before; false if they are
  // not what WriteGroup makes of some contents, and `bad_block` is where. Counts promoted blocks
  // and keys.
  bool Adopt(uint64_t& num_keys, uint64_t& bad_block);

 private:
  class LimitChange;
  struct alignas(64) OwnedRange {  // no two ranges write to one cache line
    HiddenKeys hidden;
    // Read beside updates.
    RunningFigure num_promoted;
    RunningFigure num_undecided;        // blocks
    RunningFigure side_table_bytes;     // of `hidden`
    RunningFigure num_refused_inserts;  // since Clear
  };
  // Which block a digest belongs to, and which key within it the digest's rest is. Of a block's
  // digests in ascending order the keys ascend, too.
  struct Place {
    uint64_t block_idx;
    uint32_t key;

    friend bool operator==(const Place&, const Place&) = default;
  };
  static constexpr size_t kWords = kernels::kFingerprintBlockWords;
  // So often a query reads a group that is changed meanwhile, before it answers "maybe present".
  static constexpr int kMaxReads = 4;

  WideStore() = default;

  const kernels::FingerprintKernels& Kernels() const {
    const kernels::KernelTable& table = kernels::ChosenKernels();
    return has_versions() ? table.versioned_wide_fingerprints : table.wide_fingerprints;
  }
  bool has_versions() const { return view_.versions != nullptr; }
  Place PlaceOf(uint64_t digest) const {
    const auto place = kernels::FingerprintPlaceOf(digest, geometry_.num_blocks);
    return {place.block_idx, kernels::WideKey(place.rest, geometry_.fingerprint_bits)};
  }
  uint32_t* BlockAt(uint64_t block_idx) const { return blocks_.data() + block_idx * kWords; }
  OverflowLine& LineOf(uint64_t block_idx) const {
    return reinterpret_cast<OverflowLine*>(lines_.data())[block_idx / kGroupBlocks];
  }
  void FetchLine(uint64_t digest) const { __builtin_prefetch(&LineOf(PlaceOf(digest).block_idx)); }
  OwnedRange& RangeOf(uint64_t block_idx) { return ranges_[block_idx / blocks_per_owned_range()]; }
  const OwnedRange& RangeOf(uint64_t block_idx) const {
    return ranges_[block_idx / blocks_per_owned_range()];
  }

  // --- What a block is.
  bool IsPromoted(uint64_t block_idx) const { return kernels::IsMarkedWide(BlockAt(block_idx)); }
  // Slot 31 if it is a mark, else 0.
  uint32_t MarkOf(uint64_t block_idx) const {
    return IsPromoted(block_idx) ? kernels::WideSlot(BlockAt(block_idx), kMarkSlot) : 0;
  }
  static bool IsSpill(uint32_t mark) {
    return mark == kernels::kSpillMark || mark == kernels::kCopiesMark;
  }
  static bool HasEntries(uint32_t mark) {
    return mark == kernels::kLineMark || mark == kernels::kCopiesMark;
  }
  bool HasHidden(uint64_t block_idx) const { return IsSpill(MarkOf(block_idx)); }
  bool IsUndecided(uint64_t block_idx) const { return MarkOf(block_idx) == kernels::kSpillMark; }
  // Of the block in its line, and free ones there.
  size_t NumEntriesOf(uint64_t block_idx) const;
  size_t NumFreeEntries(uint64_t block_idx) const;
  // An entry of the block in its line, that of the key or any; if there is one.
  std::optional<size_t> EntryOf(uint64_t block_idx, std::optional<uint32_t> key) const;
  // Does a promoted block hold the key, which it does not show, in its other places?
  bool HoldsElsewhere(uint64_t block_idx, uint32_t key) const;
  // Might it, as far as the block and its line tell? Thread safety: beside updates; what is read
  // may be of different moments.
  bool MayHoldElsewhere(uint64_t block_idx, uint32_t key) const;
  uint64_t CountOf(uint64_t block_idx, uint32_t key) const;

  // --- Updates of a block. Return false, and change nothing, if a limit leaves no space, if a key
  // to be erased is not in, or if one to be inserted if absent is.

  // Calls change(), which changes the block, and keeps the range's figures.
  template <class Change>
  auto Counting(uint64_t block_idx, const Change& change) {
    OwnedRange& range = RangeOf(block_idx);
    // Modulo 2^64: a difference may be below zero.
    const uint64_t num_promoted = range.num_promoted.Get() - uint64_t{IsPromoted(block_idx)};
    const uint64_t num_undecided = range.num_undecided.Get() - uint64_t{IsUndecided(block_idx)};
    const auto result = change();
    range.num_promoted.Set(num_promoted + uint64_t{IsPromoted(block_idx)});
    range.num_undecided.Set(num_undecided + uint64_t{IsUndecided(block_idx)});
    range.side_table_bytes.Set(range.hidden.num_bytes());
    return result;
  }
  // One key that the kernel leaves, without keeping figures other than refusals.
  Fate UpdatePromoted(Update update, uint64_t block_idx, uint32_t key);
  // Promotes the block if it is not, and then is full.
  bool InsertPromoted(uint64_t block_idx, uint32_t key);
  bool InsertWhole(uint64_t block_idx, uint32_t key);
  bool EraseFromLine(uint64_t block_idx, uint32_t key);
  bool EraseFromSpilled(uint64_t block_idx, uint32_t key);
  // Shows a hidden key, if there is one that is not shown, in a slot that has become free.
  void FillSlot(uint64_t block_idx, size_t slot_idx);
  bool StoreAs(WideForm form, uint64_t block_idx, const BlockContents& contents);
  // Stores contents without entries of the line for copies while those could decide other blocks.
  bool StoreAnew(uint64_t block_idx, const BlockContents& contents);

  // --- Which blocks of a group are undecided.
  static uint64_t BitOf(uint64_t block_idx) { return uint64_t{1} << (block_idx % kGroupBlocks); }
  bool OthersAreUndecided(uint64_t block_idx) const {
    return (LineOf(block_idx).undecided & ~BitOf(block_idx)) != 0;
  }
  void NoteUndecided(uint64_t block_idx) {
    const uint64_t bit = IsUndecided(block_idx) ? BitOf(block_idx) : 0;
    LineOf(block_idx).undecided = (LineOf(block_idx).undecided & ~BitOf(block_idx)) | bit;
  }
  // Decides blocks of the group as far as its line has space now, after a change of this block that
  // may have left more space there. `has_spilled`: or that has made the block undecided.
  void Settle(uint64_t block_idx, bool has_spilled);
  // The same after changes of any of its blocks; of the group that begins with this one.
  void SettleGroup(uint64_t first_block);
  // Moves the copies that blocks of the group have in the line to the side table.
  void HideCopies(uint64_t block_idx);
  // Decides a spilled block, if the line has entries for the keys that it does not show.
  void Decide(uint64_t block_idx);

  // --- Whole stores.

  // Keeps the same contents in the fewest records, none of them longer than it must be. Ends the
  // program if memory runs out. Requires no limit.
  void SpillFewest() noexcept;
  // Does a limit leave space for the other's keys? By a pass over all blocks.
  bool CanMerge(const Store& other) const;
  // Applies an insertion or erasure to all keys of another store, of as many blocks, half or twice
  // as many. Requires that keys to be erased are in, and of insertions that there is no limit.
  void ApplyKeysOf(const WideStore& other, Update update);
  void ChangeCount(Update update, uint64_t digest, uint64_t by);
  // Half or twice the blocks with these keys.
  Result<std::unique_ptr<Store>> Resized(Geometry geometry, uint64_t limit_bytes) const;
  // Sets the figures by a pass over the range's blocks.
  void CountFigures(size_t range_idx);
  // What a file has of a block that is not promoted.
  void WritePlain(uint64_t block_idx, uint32_t* words) const;
  // What a file has of a block with these contents: its words, and its entries of the line behind
  // the first num_entries. Returns what it hides.
  static BlockContents WritePromoted(const BlockContents& contents, uint64_t block_idx,
                                     uint32_t* words, uint32_t* line, size_t& num_entries);

  BlockMemory blocks_;
  BlockMemory lines_;
  std::vector<OwnedRange> ranges_;
  std::vector<uint64_t> versions_;  // of groups; empty unless queries run beside updates
  mutable std::atomic<uint64_t> num_interrupted_queries_{0};
  // What kernels work on. Kept, because to write it anew costs as much as half a key's update.
  kernels::FingerprintBlocks view_{};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_
