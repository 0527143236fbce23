// BlockStore: presence bits and exact counts for digests. It knows geometry, kernels and the side
// table, but no keys, policies, files or threads. Filters of planes and of runs are made of block
// stores, those of fingerprints of stores of their own (fingerprints/, growing/, window/).
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_STORE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/src/base/block_memory.h"
#include "engine/src/blocks/encoding.h"
#include "engine/src/blocks/side_table.h"
#include "engine/src/blocks/store.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

class BlockStore final : public Store {
 public:
  // Space for one block's counters.
  using Counters = std::array<uint64_t, kernels::kMaxCounters>;

  // An empty store. Fails as Validate does, or with kOutOfMemory over limit_bytes (0: physical
  // memory).
  static Result<BlockStore> Create(const Geometry& geometry, uint64_t limit_bytes);

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused) override;
  void FetchAhead(std::span<const uint64_t> digests) const override;

  // Apply to a whole span. Requires zeroed bitmaps.
  void Insert(std::span<const uint64_t> digests) {
    Apply(Update::kInsert, digests.data(), {0, digests.size()}, nullptr, nullptr);
  }
  void Erase(std::span<const uint64_t> digests, std::span<uint64_t> erased) {
    Apply(Update::kErase, digests.data(), {0, digests.size()}, erased.data(), nullptr);
  }

  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override;
  size_t Select(std::span<const uint64_t> digests, bool maybe_present, uint32_t first_idx,
                uint32_t* selection) const override;
  bool MayContain(uint64_t digest) const noexcept override {
    return block_kernels().query_one(digest, &view_) == kernels::OneFate::kDone;
  }
  OneKeyCalls CallsOfOneKey() const override { return CallsOf(block_kernels(), &view_); }
  Fate FinishUpdate(Update update, uint64_t digest) override;
  bool FinishQuery(uint64_t digest) const override { return MayContain(digest); }  // never asked
  void FetchForQuery(std::span<const uint64_t> digests) const noexcept override {
    for (const uint64_t digest : digests) {
      const uint32_t* const presence = PresenceOf(BlockOf(digest));
      __builtin_prefetch(presence);
      __builtin_prefetch(presence + presence_words() - 1);  // where a block has two lines of them
    }
  }
  uint64_t CountEstimate(uint64_t digest) const override;
  // The count at the digest's position in a slice.
  uint64_t CountAt(uint64_t digest, size_t slice_idx) const;

  void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const override;

  // A key within the block is the index of a counter.
  BlockContents ReadContents(uint64_t block_idx) const override;
  [[nodiscard]] bool WriteContents(uint64_t block_idx, const BlockContents& contents) override {
    Counters counters = {};
    for (const BlockKey& entry : contents) counters[entry.key] = entry.count;
    return WriteCounters(block_idx, counters);
  }

  // The least limit of a store of this geometry.
  static uint64_t LeastSideBytes(const Geometry& geometry);
  Result<std::unique_ptr<SideLimitChange>> PrepareSideLimit(uint64_t limit_bytes) override;
  [[nodiscard]] bool Merge(const Store& other) noexcept override;
  [[nodiscard]] bool Subtract(const Store& other) noexcept override;
  // Half the blocks. Requires an even num_blocks.
  Result<BlockStore> Folded(uint64_t limit_bytes) const;
  Result<std::unique_ptr<Store>> HalfSize(uint64_t limit_bytes) const override;
  // Fails with kInvalidArgument: positions do not tell which half a key belongs to.
  Result<std::unique_ptr<Store>> DoubleSize(uint64_t limit_bytes) const override;
  void Clear() override;

  void CopyOwnedRange(const Store& from, uint64_t range_idx) override;
  void TouchOwnedRange(uint64_t range_idx) override;

  StoreFigures Figures() const override;
  kernels::Tally TallyOf(uint64_t range_idx) const override;
  const SideTable& side_table() const { return side_table_; }
  uint64_t num_bytes() const override;
  uint64_t huge_page_bytes() const override;
  kernels::Tally Tally() const;

  // --- Single blocks: for promoted ones, and for snapshots.

  // The block's num_counters() counters, from the block or from the side table; counter i is bit i
  // of the presence words.
  void ReadCounters(uint64_t block_idx, std::span<uint64_t> counters) const;
  // Sets them, and the block's presence bits: in the block if they fit, else in the side table.
  // Returns false, and changes nothing, if that has no memory for them; for counters that are no
  // larger than before it needs none.
  [[nodiscard]] bool WriteCounters(uint64_t block_idx, std::span<const uint64_t> counters);
  bool IsPromoted(uint64_t block_idx) const;
  size_t num_counters() const { return size_t{geometry_.num_slices} * geometry_.slice_positions(); }
  size_t presence_words() const { return num_counters() / 32; }  // of a block
  size_t count_words() const { return count_words_; }
  uint32_t* PresenceOf(uint64_t block_idx) const {
    return view_.presence + block_idx * presence_stride_;
  }
  uint32_t* CountsOf(uint64_t block_idx) const { return view_.counts + block_idx * count_stride_; }

  // The raw arrays, for snapshots. With interleaved encodings the first is empty, and the second
  // holds whole blocks.
  const BlockMemory& presence() const { return presence_; }
  const BlockMemory& counts() const { return counts_; }
  const BlockEncoding& encoding() const { return *encoding_; }

  // The active kernels for this shape and encoding, and what they work on. With runs of 5 slices
  // these are KernelTable::runs5: kernels/update-inl.h for the layout Runs<5> (kernels/runs-inl.h).
  const kernels::BlockKernels& block_kernels() const { return kernels::ChosenKernels().*kernels_; }
  const kernels::Blocks& View() const { return view_; }

 private:
  BlockStore() = default;

  class LimitChange;

  // Counts a refusal. Without a limit it ends the program: callers rely on each insertion.
  void Refuse(uint64_t block_idx);
  // Returns blocks that would fit, but have not drained.
  void ReturnWhatFits();
  void TakeBack(const BlockStore& other, uint64_t num_blocks) noexcept;
  // Moves a full block's counters to the side table, with space for one key more; its presence bits
  // stay. Returns false, and changes nothing, if there is no memory.
  bool Promote(uint64_t block_idx);
  // One key of a promoted block, or of a full one. Returns whether it was inserted; else refused.
  bool InsertSpilled(uint64_t digest);
  // One key of a promoted block. Returns whether it was erased.
  bool ErasePromoted(uint64_t digest);
  void ReturnIfDrained(uint64_t block_idx);
  // A cheap test that is false for most blocks that must stay in the side table.
  bool MayHaveDrained(uint64_t block_idx, uint64_t erased) const;
  uint64_t BlockOf(uint64_t digest) const {
    return kernels::BlockIndex(digest, geometry_.num_blocks);
  }

  const BlockEncoding* encoding_ = nullptr;
  BlockKernelsMember kernels_ = nullptr;
  BlockMemory presence_;
  BlockMemory counts_;
  // The first block's words, and the distance from block to block.
  kernels::Blocks view_{};
  size_t presence_stride_ = 0;
  size_t count_stride_ = 0;
  size_t count_words_ = 0;
  SideTable side_table_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_STORE_H_
