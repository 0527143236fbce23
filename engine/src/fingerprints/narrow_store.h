// NarrowStore: fingerprints in slots of 8 bits, by bins. A full block is *cut*: it shows the keys
// that differ, bin by bin as far as they fit; the side table has the keys of the bins that are cut
// off, and further copies of the others. A query needs the side table for a cut bin only.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_NARROW_STORE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_NARROW_STORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/src/fingerprints/fingerprint_store.h"
#include "kernels/narrow_block.h"
#include "kernels/narrow_change.h"

namespace trommel {

class NarrowStore final : public FingerprintStore {
 public:
  BlockContents ReadContents(uint64_t block_idx) const override;
  uint32_t KeyOf(uint64_t rest) const override {
    return kernels::NarrowKey(rest, geometry_.fingerprint_bits);
  }

 private:
  size_t KeysOf(uint64_t block_idx, std::span<uint32_t, kMaxBlockKeys> keys) const override {
    return kernels::DecodeNarrow(BlockAt(block_idx), geometry_.fingerprint_bits, keys);
  }
  size_t AscendingKeysOf(uint64_t block_idx,
                         std::span<uint32_t, kMaxBlockKeys> keys) const override {
    return KeysOf(block_idx, keys);
  }
  bool IsKey(uint32_t key) const override { return key >> geometry_.fingerprint_bits == 0; }
  bool IsPromoted(uint64_t block_idx) const override {
    return kernels::IsPromotedNarrow(BlockAt(block_idx));
  }
  bool IsReadable(uint64_t block_idx) const override;
  void WritePlain(uint64_t block_idx, uint32_t* words) const override;
  std::optional<size_t> PlainKeys(uint64_t block_idx) const override;
  BlockContents WritePromoted(const BlockContents& contents, uint64_t block_idx, uint32_t* words,
                              uint32_t* line, size_t& num_entries) const override;
  bool HasHidden(uint64_t block_idx) const override { return IsPromoted(block_idx); }
  Needs NeedsOf(const BlockContents& contents, size_t num_free_entries,
                const HiddenKeys& hidden) const override;
  bool StoreContents(uint64_t block_idx, const BlockContents& contents) override;
  void Promote(uint64_t block_idx) override;
  bool InsertPromoted(uint64_t block_idx, uint32_t key) override;
  bool ErasePromoted(uint64_t block_idx, uint32_t key) override;
  void FetchIndex(uint64_t block_idx) const override {
    RangeOf(block_idx).hidden.PrefetchIndex(block_idx);
  }
  void FetchElsewhere(uint64_t block_idx) const override {
    RangeOf(block_idx).hidden.Prefetch(block_idx);
  }
  bool HoldsElsewhere(uint64_t block_idx, uint32_t key) const override;
  // The kernel has found its bin cut off.
  bool MayHoldElsewhere(uint64_t /*block_idx*/, uint32_t /*key*/) const override { return true; }
  uint64_t NumUndecided(uint64_t block_idx) const override;
  uint64_t CountOf(uint64_t block_idx, uint32_t key) const override;

  // Writes the block's words for these contents, of a promoted block if they do not fit; returns
  // what the block does not show.
  BlockContents Encode(const BlockContents& contents, uint32_t* block) const;
  // Makes space in a promoted block for a key that it cannot show.
  void CutBin(uint64_t block_idx, uint32_t key);
  // Makes the block one that is not promoted.
  void ReturnIfItFits(uint64_t block_idx);
  bool FitsWithoutCopies(uint64_t block_idx) const;
  uint32_t FingerprintBits() const { return geometry_.fingerprint_bits; }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_NARROW_STORE_H_
