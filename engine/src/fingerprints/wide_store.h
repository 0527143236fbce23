// WideStore: fingerprints in slots of 16 bits. A full block's further keys go to the *overflow
// line* of its group of 64 blocks, and beyond that to the side table:
//
//   in slots   at most 32 keys, copies included, in any slots
//   line       31 in slots 0 .. 30, the others, at least two, in the line; slot 31 is kLineMark
//   spilled    31 that differ at most in slots 0 .. 30; slot 31 is
//              kSpillMark: the others, with further copies, are in the side table
//              kCopiesMark: there are no others, and further copies are in the side table
//
//   blocks   | 0 | 1 | ... | 63 |     overflow line   key 0 .. 17 | home 0 .. 17 | zeros
//                   marked               of these blocks            (block & 63)
//
// At 21 keys per block 0.9 % of the blocks are marked, and a line has 1.7 entries in the mean. A
// block comes back with the erasure that leaves 32 keys.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/fingerprints/fingerprint_store.h"
#include "engine/src/fingerprints/line_entries.h"
#include "kernels/wide_block.h"

namespace trommel {

// Where a marked block has its mark.
inline constexpr size_t kMarkSlot = kernels::kWideSlots - 1;

class WideStore final : public FingerprintStore {
 public:
  BlockContents ReadContents(uint64_t block_idx) const override;
  CanonicalGroup Canonical(std::span<const BlockContents> contents) const override;
  uint32_t KeyOf(uint64_t rest) const override {
    return kernels::WideKey(rest, geometry_.fingerprint_bits);
  }

 private:
  size_t KeysOf(uint64_t block_idx, std::span<uint32_t, kMaxBlockKeys> keys) const override {
    return kernels::KeysOfWide(BlockAt(block_idx), keys.first<kernels::kWideSlots>());
  }
  bool IsKey(uint32_t key) const override;
  bool IsPromoted(uint64_t block_idx) const override {
    return kernels::IsMarkedWide(BlockAt(block_idx));
  }
  bool IsReadable(uint64_t block_idx) const override;
  bool HasHidden(uint64_t block_idx) const override { return IsSpill(MarkOf(block_idx)); }
  Needs NeedsOf(const BlockContents& contents, size_t num_free_entries,
                const HiddenKeys& hidden) const override;
  size_t NumEntriesOf(uint64_t block_idx) const override;
  size_t NumFreeEntries(uint64_t block_idx) const override;
  void SpillFewest() noexcept override;
  bool StoreContents(uint64_t block_idx, const BlockContents& contents) override;
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
  // Is each hidden key shown? Of a spilled block.
  bool ShowsAll(uint64_t block_idx) const;
  // Shows a hidden key, if there is one that is not shown, in a slot that has become free.
  void FillSlot(uint64_t block_idx, size_t slot_idx);
  // Slot 31 if it is a mark, else 0.
  uint32_t MarkOf(uint64_t block_idx) const;
  OverflowLine& LineOf(uint64_t block_idx) const {
    return reinterpret_cast<OverflowLine*>(lines_.data())[block_idx / kGroupBlocks];
  }
  void FreeEntriesOf(uint64_t block_idx);
  bool EraseFromLine(uint64_t block_idx, uint32_t key);
  bool EraseFromSpilled(uint64_t block_idx, uint32_t key);
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_WIDE_STORE_H_
