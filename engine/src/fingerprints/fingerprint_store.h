// FingerprintStore: blocks of fingerprints (kernels/fingerprint_layout.h) with an exact place for
// what a block cannot keep. What both shapes share is here; what a promoted block shows, and where
// its other keys are, is theirs (wide_store.h, narrow_store.h).
//
//   update   kernel --> done
//                  \--> spilled: the block is promoted      --> InsertPromoted, ErasePromoted
//                  \--> stopped: the block is full          --> Promote, then as spilled
//   query    kernel --> shown, absent
//                  \--> unsure                              --> HoldsElsewhere
//
// With a limit of side memory each owned range has so many records for promoted blocks
// (hidden_keys.h), and an insertion that finds no space is refused: it changes nothing but the
// count of refusals. All that decides it, slots, the group's line, the block's record, the number
// of records, belongs to one owned range, whose keys are applied in input order. So refusals do not
// depend on how a batch is split.
//
// A block comes back as soon as all its keys fit (without hysteresis: two keys of it raised the
// rate after churn by a fifth). Blocks are divided into groups of 64, which share an overflow line
// and are then never cut by an owned range or a lock range.
//
// *Queries beside updates* need versions of groups (ServeQueries): why they are right stands in
// kernels/group_versions.h. Then every update of a block is within a GroupChange, by the kernel or
// by FinishUpdate, under the lock of its blocks; other changes are exclusive. Queries read blocks
// and lines, never the side table: what only that could decide is "maybe present".
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_FINGERPRINT_STORE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_FINGERPRINT_STORE_H_

#include <algorithm>
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
#include "engine/src/sync/running_figure.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"

namespace trommel {

using kernels::kGroupBlocks;
inline constexpr size_t kMaxBlockKeys = std::max(kernels::kWideSlots, kernels::kNarrowSlots);

// A block that keeps keys neither in its slots nor in a line, in a file.
struct HidingBlock {
  uint64_t block_idx;
  std::vector<BlockKey> hidden;
};

class FingerprintStore : public Store {
 public:
  // An empty store. Requires an encoding of fingerprints. Fails as Validate does, or with
  // kOutOfMemory over limit_bytes (0: the machine's memory).
  static Result<std::unique_ptr<FingerprintStore>> Create(const Geometry& geometry,
                                                          uint64_t limit_bytes);

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers) override {
    return ApplyNoting(update, digests, range, answers, nullptr);
  }
  uint64_t ApplyNoting(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                       uint64_t* answers, uint64_t* refused) override;
  void FetchAhead(std::span<const uint64_t> digests) const override;
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override;
  bool MayContain(uint64_t digest) const noexcept override;
  // Does the block show the key, so that no undecided answer is needed? True beside updates may be
  // of several moments.
  bool Shows(uint64_t digest) const noexcept {
    return Kernels().query_one(digest, &view_) == kernels::OneFate::kDone;
  }
  OneKeyCalls CallsOfOneKey() const override { return CallsOf(Kernels(), &view_); }
  bool FinishUpdate(Update update, uint64_t digest, kernels::OneFate fate) override;
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

  // Which key within its block a digest's rest is (kernels/fingerprint_layout.h). Of a block's
  // digests in ascending order the keys ascend, too.
  virtual uint32_t KeyOf(uint64_t rest) const = 0;

  // Cost: 8 bytes per 64 blocks, and no pass over the blocks.
  Status ServeQueries(uint64_t limit_bytes) override;
  void StopServingQueries() override;

  [[nodiscard]] bool WriteContents(uint64_t block_idx, const BlockContents& contents) override;
  // The least limit of a store of this geometry.
  static uint64_t LeastSideBytes(const Geometry& geometry) {
    return HiddenKeys::LeastLimitBytes() << OwnedRangeBits(geometry);
  }
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

  // --- For files. The raw arrays; lines are empty in shapes without overflow lines.
  const BlockMemory& blocks() const { return blocks_; }
  const BlockMemory& lines() const { return lines_; }
  size_t num_groups() const { return (geometry_.num_blocks + kGroupBlocks - 1) / kGroupBlocks; }
  // Writes the words of a group's blocks, and of its line unless `line` is null, that are the same
  // for equal contents, whatever led there; and adds what blocks hide. The line's words are zero
  // before.
  void WriteGroup(uint64_t first_block, uint32_t* words, uint32_t* line,
                  std::vector<HidingBlock>& hiding) const;
  // Takes the hidden keys of a block, whose words a file has; false if it hides none.
  [[nodiscard]] bool PutHidden(uint64_t block_idx, const BlockContents& hidden);
  // Takes the arrays of a file as they are, whose hidden keys were put before; false if they are
  // not what WriteGroup makes of some contents, and `bad_block` is where. Counts promoted blocks
  // and keys.
  bool Adopt(uint64_t& num_keys, uint64_t& bad_block);
  // Insertions less erasures. Cost: one pass over the blocks.
  uint64_t CountKeys() const;

 protected:
  struct alignas(64) OwnedRange {  // no two ranges write to one cache line
    HiddenKeys hidden;
    // Read beside updates.
    RunningFigure num_promoted;
    RunningFigure num_undecided;        // StoreFigures::num_undecided
    RunningFigure side_table_bytes;     // of `hidden`
    RunningFigure num_refused_inserts;  // since Clear
  };

  FingerprintStore() = default;

  // Writes the keys of a block that is not promoted, copies included, to the front of `keys`;
  // returns how many there are.
  virtual size_t KeysOf(uint64_t block_idx, std::span<uint32_t, kMaxBlockKeys> keys) const = 0;
  // The same, ascending.
  virtual size_t AscendingKeysOf(uint64_t block_idx,
                                 std::span<uint32_t, kMaxBlockKeys> keys) const = 0;
  // Could the key be one of some digest?
  virtual bool IsKey(uint32_t key) const = 0;
  virtual bool IsPromoted(uint64_t block_idx) const = 0;
  // May ReadContents read the block? Blocks of a file may have any words.
  virtual bool IsReadable(uint64_t block_idx) const = 0;
  // What a file has of a block that is not promoted.
  virtual void WritePlain(uint64_t block_idx, uint32_t* words) const = 0;
  // The number of keys of a block with any words that is not promoted, if WritePlain writes these.
  virtual std::optional<size_t> PlainKeys(uint64_t block_idx) const = 0;
  // What a file has of a block with these contents: its words, and its entries of the line behind
  // the first num_entries. Returns what it hides.
  virtual BlockContents WritePromoted(const BlockContents& contents, uint64_t block_idx,
                                      uint32_t* words, uint32_t* line,
                                      size_t& num_entries) const = 0;
  // Is the block one that has hidden keys?
  virtual bool HasHidden(uint64_t block_idx) const = 0;
  // How a block with these contents would be kept, if the group's line had so many free entries.
  struct Needs {
    size_t line_entries = 0;
    bool has_record = false;
    bool fits_record = true;
  };
  virtual Needs NeedsOf(const BlockContents& contents, size_t num_free_entries,
                        const HiddenKeys& hidden) const = 0;
  // Of the block in its line, and free ones there.
  virtual size_t NumEntriesOf(uint64_t /*block_idx*/) const { return 0; }
  virtual size_t NumFreeEntries(uint64_t /*block_idx*/) const { return 0; }
  // Keeps the same contents in the fewest records, none of them longer than it must be. Ends the
  // program if memory runs out. Requires no limit.
  virtual void SpillFewest() noexcept {}
  // WriteContents, without keeping figures, and as NeedsOf says.
  virtual bool StoreContents(uint64_t block_idx, const BlockContents& contents) = 0;
  // Adds a key to the contents, or returns false and changes nothing.
  virtual bool InsertWhole(uint64_t block_idx, uint32_t key) {
    BlockContents contents = ReadContents(block_idx);
    AddTo(contents, key, 1);
    return StoreContents(block_idx, contents);
  }
  // Decides blocks of the group as far as its line has space now, after a change of this block that
  // may have left more space there. `has_spilled`: or that has made the block undecided.
  virtual void Settle(uint64_t /*block_idx*/, bool /*has_spilled*/) {}
  // The same after changes of any of its blocks; of the group that begins with this one.
  virtual void SettleGroup(uint64_t /*first_block*/) {}
  // Calls change(), which changes the block, and keeps the range's figures.
  template <class Change>
  bool Counting(uint64_t block_idx, const Change& change) {
    OwnedRange& range = RangeOf(block_idx);
    // Modulo 2^64: a difference may be below zero.
    const uint64_t num_promoted = range.num_promoted.Get() - uint64_t{IsPromoted(block_idx)};
    const uint64_t num_undecided = range.num_undecided.Get() - NumUndecided(block_idx);
    const bool is_changed = change();
    range.num_promoted.Set(num_promoted + uint64_t{IsPromoted(block_idx)});
    range.num_undecided.Set(num_undecided + NumUndecided(block_idx));
    range.side_table_bytes.Set(range.hidden.num_bytes());
    return is_changed;
  }
  // Moves a full block's keys to their places in a promoted one, or leaves them to InsertPromoted.
  virtual void Promote(uint64_t block_idx) = 0;
  // One key of a promoted block. InsertPromoted returns false, and changes nothing, if a limit
  // leaves no space; ErasePromoted returns whether the key was in.
  virtual bool InsertPromoted(uint64_t block_idx, uint32_t key) = 0;
  virtual bool ErasePromoted(uint64_t block_idx, uint32_t key) = 0;
  // Prefetch what finds a promoted block's other places, and then them. Requires the lock.
  virtual void FetchIndex(uint64_t /*block_idx*/) const {}
  virtual void FetchElsewhere(uint64_t block_idx) const = 0;
  // Does a promoted block hold the key, which it does not show, in its other places?
  virtual bool HoldsElsewhere(uint64_t block_idx, uint32_t key) const = 0;
  // Might it, as far as the block and its line tell? Thread safety: beside updates; what is read
  // may be of different moments.
  virtual bool MayHoldElsewhere(uint64_t block_idx, uint32_t key) const = 0;
  // The 64ths of a block for which MayHoldElsewhere is true whatever the key.
  virtual uint64_t NumUndecided(uint64_t block_idx) const = 0;
  virtual uint64_t CountOf(uint64_t block_idx, uint32_t key) const = 0;
  // Keys that some non-member's key equals with twice the chance of others count twice.
  virtual uint64_t CoveredBy(uint32_t /*key*/) const { return 1; }

  uint32_t* BlockAt(uint64_t block_idx) const {
    return blocks_.data() + block_idx * kernels::kFingerprintBlockWords;
  }
  OwnedRange& RangeOf(uint64_t block_idx) { return ranges_[block_idx / blocks_per_owned_range()]; }
  const OwnedRange& RangeOf(uint64_t block_idx) const {
    return ranges_[block_idx / blocks_per_owned_range()];
  }

  BlockMemory blocks_;
  BlockMemory lines_;
  std::vector<OwnedRange> ranges_;

 private:
  class LimitChange;
  using KernelsMember = const kernels::FingerprintKernels kernels::KernelTable::*;

  const kernels::FingerprintKernels& Kernels() const { return kernels::ChosenKernels().*kernels_; }
  bool has_versions() const { return view_.versions != nullptr; }
  void ChooseKernels();
  // Does a limit leave space for the other's keys? By a pass over all blocks.
  bool CanMerge(const Store& other) const;
  kernels::FingerprintPlace PlaceOf(uint64_t digest) const {
    return kernels::FingerprintPlaceOf(digest, geometry_.num_blocks);
  }
  bool HoldsDigestBesideUpdates(uint64_t digest) const;
  bool UpdatePromoted(Update update, uint64_t block_idx, uint32_t key);
  // Promotes the full block and adds the key, or returns false and changes nothing.
  bool InsertFull(uint64_t block_idx, uint32_t key);
  void CountRefusal(uint64_t block_idx);
  // Prefetches the block's overflow line, if there are any.
  void FetchLine(uint64_t block_idx) const {
    if (lines_.num_bytes() == 0) return;
    __builtin_prefetch(lines_.data() + block_idx / kGroupBlocks * kernels::kFingerprintBlockWords);
  }
  // Sets the figures by a pass over the range's blocks.
  void CountFigures(size_t range_idx);
  // Applies an insertion or erasure to all keys of another store, of as many blocks, half or twice
  // as many. Requires that keys to be erased are in, and of insertions that there is no limit.
  void ApplyKeysOf(const FingerprintStore& other, Update update);
  void ChangeCount(Update update, uint64_t digest, uint64_t by);
  // Half or twice the blocks with these keys.
  Result<std::unique_ptr<Store>> Resized(Geometry geometry, uint64_t limit_bytes) const;

  // So often a query reads a group that is changed meanwhile, before it answers "maybe present".
  static constexpr int kMaxReads = 4;

  std::vector<uint64_t> versions_;  // of groups; empty unless queries run beside updates
  mutable std::atomic<uint64_t> num_interrupted_queries_{0};
  KernelsMember kernels_ = nullptr;
  KernelsMember unversioned_kernels_ = nullptr;
  // What kernels work on. Kept, because to write it anew costs as much as half a key's update.
  kernels::FingerprintBlocks view_{};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_FINGERPRINT_STORE_H_
