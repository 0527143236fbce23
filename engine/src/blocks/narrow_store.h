// NarrowStore: fingerprints in slots of 8 bits, by bins. A full block is *cut*: it shows the keys
// that differ, bin by bin as far as they fit; the side table has the keys of the bins that are cut
// off, and further copies of the others. A query needs the side table for a cut bin only.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_NARROW_STORE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_NARROW_STORE_H_

#include <cstdint>
#include <span>

#include "engine/src/blocks/fingerprint_store.h"
#include "kernels/narrow_block.h"

namespace trommel {

class NarrowStore final : public FingerprintStore {
 public:
  BlockContents ReadContents(uint64_t block_idx) const override;
  CanonicalGroup Canonical(std::span<const BlockContents> contents) const override;

 private:
  uint32_t KeyOf(uint64_t rest) const override {
    return kernels::NarrowKey(rest, geometry_.fingerprint_bits);
  }
  bool IsKey(uint32_t key) const override { return key >> geometry_.fingerprint_bits == 0; }
  bool IsPromoted(uint64_t block_idx) const override {
    return kernels::IsPromotedNarrow(BlockAt(block_idx));
  }
  bool IsReadable(uint64_t block_idx) const override;
  bool HasHidden(uint64_t block_idx) const override { return IsPromoted(block_idx); }
  Needs NeedsOf(const BlockContents& contents, size_t num_free_entries,
                const HiddenKeys& hidden) const override;
  bool StoreContents(uint64_t block_idx, const BlockContents& contents) override;
  void Promote(uint64_t block_idx) override;
  bool InsertPromoted(uint64_t block_idx, uint32_t key) override;
  bool ErasePromoted(uint64_t block_idx, uint32_t key) override;
  bool HoldsElsewhere(uint64_t block_idx, uint32_t key) const override;
  uint64_t CountOf(uint64_t block_idx, uint32_t key) const override;
  const kernels::FingerprintKernels& Kernels() const override {
    return kernels::ActiveKernels().narrow_fingerprints;
  }

  // Writes the block's words for these contents, of a promoted block if `is_promoted` says so or
  // they do not fit; returns what the block does not show.
  BlockContents Encode(const BlockContents& contents, bool is_promoted, uint32_t* block) const;
  uint64_t ShownCount(uint64_t block_idx, uint32_t key) const;
  bool IsCut(uint64_t block_idx, uint32_t key) const;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_NARROW_STORE_H_
