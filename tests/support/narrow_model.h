// Fingerprint blocks with slots of 8 bits as a plain model (binned_subject.h).
#ifndef TROMMEL_TESTS_SUPPORT_NARROW_MODEL_H_
#define TROMMEL_TESTS_SUPPORT_NARROW_MODEL_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/narrow_block.h"
#include "kernels/targets.h"
#include "support/binned_subject.h"

namespace trommel::tests {

using kernels::FingerprintPlace;
using kernels::OneFate;

// One block as the multiset of the keys that it shows.
struct NarrowModelBlock {
  bool Shows(uint32_t key) const { return std::ranges::binary_search(keys, key); }
  bool IsCut(uint32_t bin) const { return is_promoted && (shown_bins >> bin & 1) == 0; }

  std::vector<uint32_t> keys;  // ascending
  bool is_promoted = false;
  uint64_t shown_bins = ~uint64_t{0};
};

using NarrowOp = BinnedOp;

class NarrowModel {
 public:
  NarrowModel(uint64_t num_blocks, uint32_t bits) : blocks_(num_blocks), bits_(bits) {}

  // Replaces a block by a promoted one of these keys.
  void Promote(uint64_t block_idx, std::vector<uint32_t> keys) {
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    NarrowModelBlock& block = blocks_[block_idx];
    alignas(64) uint32_t words[kernels::kFingerprintBlockWords];
    block.is_promoted = true;
    block.shown_bins = kernels::EncodePromotedNarrow(keys, bits_, words);
    std::erase_if(keys, [&](uint32_t key) { return block.IsCut(kernels::NarrowBin(key, bits_)); });
    block.keys = keys;
  }

  OneFate Apply(NarrowOp op, uint64_t digest) {
    const FingerprintPlace place = kernels::FingerprintPlaceOf(digest, blocks_.size());
    NarrowModelBlock& block = blocks_[place.block_idx];
    const auto key = static_cast<uint32_t>(place.rest >> (64 - bits_));
    const bool is_cut = block.IsCut(kernels::NarrowBin(key, bits_));
    const bool is_shown = block.Shows(key);
    const auto found = std::ranges::lower_bound(block.keys, key);
    switch (op) {
      case NarrowOp::kQuery:
        if (is_shown) return OneFate::kDone;
        return is_cut ? OneFate::kSpill : OneFate::kUnchanged;
      case NarrowOp::kErase:
        if (block.is_promoted) return is_shown || is_cut ? OneFate::kSpill : OneFate::kUnchanged;
        if (!is_shown) return OneFate::kUnchanged;
        block.keys.erase(found);
        return OneFate::kDone;
      case NarrowOp::kInsertIfAbsent:
        if (is_shown) return OneFate::kUnchanged;
        [[fallthrough]];
      default:
        if (block.is_promoted) return OneFate::kSpill;
        block.keys.insert(found, key);
        if (kernels::FitsNarrow(block.keys, bits_)) return OneFate::kDone;
        block.keys.erase(std::ranges::lower_bound(block.keys, key));
        return OneFate::kStop;
    }
  }

  std::vector<uint32_t> Words() const {
    std::vector<uint32_t> words(blocks_.size() * kernels::kFingerprintBlockWords);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      uint32_t* block = words.data() + i * kernels::kFingerprintBlockWords;
      kernels::EncodeNarrow(blocks_[i].keys, bits_, block);
      if (!blocks_[i].is_promoted) continue;
      // The same keys in the same slots, but cut bins without their 1, and the marks.
      for (uint32_t bin = 0; bin < kernels::kNarrowBins; ++bin) {
        if (!blocks_[i].IsCut(bin)) continue;
        const uint32_t half = bin / kernels::kBinsPerWord;
        uint64_t bins = BinWord(block, half);
        bins ^= uint64_t{1} << (63 - std::countl_zero(bins));  // from the last on
        SetBinWord(bins, half, block);
      }
      for (uint32_t half : {0U, 1U})
        SetBinWord(BinWord(block, half) | kernels::kPromotedBins, half, block);
    }
    return words;
  }

  uint64_t num_blocks() const { return blocks_.size(); }
  uint32_t bits() const { return bits_; }
  static const kernels::FingerprintKernels& Kernels(bool has_versions) {
    const kernels::KernelTable& table = kernels::ActiveKernels();
    return has_versions ? table.versioned_narrow_fingerprints : table.narrow_fingerprints;
  }

 private:
  static uint64_t BinWord(const uint32_t* block, uint32_t half) {
    uint64_t bins = 0;
    std::memcpy(&bins, block + 12 + 2 * half, sizeof(bins));
    return bins ^ kernels::kEmptyBins;
  }
  static void SetBinWord(uint64_t bins, uint32_t half, uint32_t* block) {
    bins ^= kernels::kEmptyBins;
    std::memcpy(block + 12 + 2 * half, &bins, sizeof(bins));
  }

  std::vector<NarrowModelBlock> blocks_;
  uint32_t bits_;
};

using NarrowSubject = BinnedSubject<NarrowModel>;

inline constexpr auto& kNarrowOps = kBinnedOps;

// Of a filter of one block the digest is the rest: the key on top.
inline uint64_t DigestOf(uint32_t key, uint32_t bits) { return uint64_t{key} << (64 - bits); }

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_NARROW_MODEL_H_
