// Fingerprint blocks with slots of 8 bits as a plain model, and the kernels that must do as it
// does.
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
#include "support/catch.h"
#include "support/kernel_versions.h"
#include "support/words.h"

namespace trommel::tests {

using kernels::DigestRange;
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

enum class NarrowOp { kInsert, kInsertIfAbsent, kErase, kQuery };

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

inline const FingerprintKernelSets kNarrowSets = {
    &kernels::KernelTable::narrow_fingerprints,
    &kernels::KernelTable::versioned_narrow_fingerprints};

// Blocks for the active target's kernels, with versions or without, which begin as the model's.
class NarrowSubject {
 public:
  explicit NarrowSubject(const NarrowModel& model, bool has_versions = false)
      : words_(model.num_blocks() * kernels::kFingerprintBlockWords),
        versions_(model.num_blocks()),
        has_versions_(has_versions),
        model_(model) {
    std::ranges::copy(model.Words(), words_.span().begin());
  }

  // Applies digests [begin, end) of a chunk, in batches that go on behind keys that stop one, and
  // one by one to a copy; compares fates and bytes with the model's.
  void Apply(NarrowOp op, const std::vector<uint64_t>& digests, size_t begin, size_t end) {
    NarrowSubject one(model_, has_versions_);
    const KernelVersions versions_before = versions_;
    UpdatedBlocks updated;
    std::vector<uint64_t> want_bits(digests.size() / 64 + 1, 0);
    std::vector<uint32_t> want_listed;  // spilled or unsure
    std::vector<size_t> want_stops;
    for (size_t i = begin; i < end; ++i) {
      const OneFate fate = model_.Apply(op, digests[i]);
      const bool has_bit = fate == OneFate::kDone && op != NarrowOp::kInsert;
      want_bits[i / 64] |= uint64_t{has_bit} << (i % 64);
      if (fate == OneFate::kSpill) want_listed.push_back(static_cast<uint32_t>(i));
      if (fate == OneFate::kStop) want_stops.push_back(i);
      const KernelVersions one_before = one.versions_;
      if (one.ApplyOne(op, digests[i]) != fate) FAIL("fate of key " << i << " by itself");
      if (op == NarrowOp::kQuery) continue;
      UpdatedBlocks of_key;
      of_key.Add(digests[i], model_.num_blocks(), fate);
      REQUIRE(one.versions_.HaveRisen(one_before, of_key, has_versions_));
      updated.Add(digests[i], model_.num_blocks(), fate);
    }

    Guarded<uint64_t> bits(want_bits.size());
    std::ranges::fill(bits.span(), 0);
    std::vector<uint32_t> listed;
    std::vector<size_t> stops;
    for (size_t i = begin; i < end || i == begin;) {
      Guarded<uint32_t> list(end - i);
      const DigestRange range{i, end, i == begin ? 0 : i + 3, digests.size()};
      const kernels::UpdateProgress progress =
          Batch(op, digests, range, bits.span().data(), list.span().data());
      const auto entries = list.span().first(progress.num_spilled);
      listed.insert(listed.end(), entries.begin(), entries.end());
      REQUIRE(list.GuardsIntact());
      if (progress.end < end) stops.push_back(progress.end);
      i = progress.end + 1;
    }
    REQUIRE(stops == want_stops);
    REQUIRE(FirstDifference(listed, want_listed) == "");
    REQUIRE(FirstDifference(bits.Copy(), want_bits) == "");
    REQUIRE(bits.GuardsIntact());
    REQUIRE(FirstDifference(words_.Copy(), model_.Words()) == "");
    REQUIRE(words_.GuardsIntact());
    REQUIRE(FirstDifference(one.words_.Copy(), model_.Words()) == "");
    REQUIRE(versions_.HaveRisen(versions_before, updated, has_versions_));
  }
  void Apply(NarrowOp op, const std::vector<uint64_t>& digests) {
    Apply(op, digests, 0, digests.size());
  }

  const NarrowModel& model() const { return model_; }

 private:
  kernels::FingerprintBlocks blocks() {
    kernels::FingerprintBlocks blocks{words_.span().data(), model_.num_blocks(), model_.bits(),
                                      versions_.data()};
    if (has_versions_) blocks.num_versions = versions_.size();
    return blocks;
  }

  kernels::UpdateProgress Batch(NarrowOp op, const std::vector<uint64_t>& digests,
                                const DigestRange& range, uint64_t* bits, uint32_t* list) {
    const kernels::FingerprintKernels& table = kNarrowSets.Of(has_versions_);
    switch (op) {
      case NarrowOp::kInsert:
        return table.insert(digests.data(), range, blocks(), list);
      case NarrowOp::kInsertIfAbsent:
        return table.insert_if_absent(digests.data(), range, blocks(), bits, list);
      case NarrowOp::kErase:
        return table.erase(digests.data(), range, blocks(), bits, list);
      default:
        if (range.begin != 0) FAIL("queries begin with the first digest");
        return {range.end, table.query(digests.data(), range.end, blocks(), bits, list)};
    }
  }

  OneFate ApplyOne(NarrowOp op, uint64_t digest) {
    const kernels::FingerprintKernels& table = kNarrowSets.Of(has_versions_);
    const kernels::FingerprintBlocks view = blocks();
    switch (op) {
      case NarrowOp::kInsert:
        return table.insert_one(digest, &view);
      case NarrowOp::kInsertIfAbsent:
        return table.insert_if_absent_one(digest, &view);
      case NarrowOp::kErase:
        return table.erase_one(digest, &view);
      default:
        return table.query_one(digest, &view);
    }
  }

  Guarded<uint32_t> words_;
  KernelVersions versions_;
  bool has_versions_;
  NarrowModel model_;
};

inline constexpr NarrowOp kNarrowOps[] = {NarrowOp::kInsert, NarrowOp::kInsertIfAbsent,
                                          NarrowOp::kErase, NarrowOp::kQuery};

// Of a filter of one block the digest is the rest: the key on top.
inline uint64_t DigestOf(uint32_t key, uint32_t bits) { return uint64_t{key} << (64 - bits); }

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_NARROW_MODEL_H_
