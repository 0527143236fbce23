// Fingerprint blocks for kernels, with versions of groups or without, beside a plain model.
#ifndef TROMMEL_TESTS_SUPPORT_BINNED_SUBJECT_H_
#define TROMMEL_TESTS_SUPPORT_BINNED_SUBJECT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "support/catch.h"
#include "support/words.h"

namespace trommel::tests {

using kernels::DigestRange;
using kernels::OneFate;

enum class BinnedOp : uint8_t { kInsert, kInsertIfAbsent, kErase, kQuery };
inline constexpr BinnedOp kBinnedOps[] = {BinnedOp::kInsert, BinnedOp::kInsertIfAbsent,
                                          BinnedOp::kErase, BinnedOp::kQuery};

// The blocks of a batch of updates, once for each key.
struct UpdatedBlocks {
  void Add(uint64_t digest, uint64_t num_blocks, kernels::OneFate fate) {
    met.push_back(kernels::FingerprintPlaceOf(digest, num_blocks).block_idx);
    if (fate == kernels::OneFate::kDone) changed.push_back(met.back());
  }

  std::vector<uint64_t> met;
  std::vector<uint64_t> changed;  // of the keys that were inserted or erased
};

// The versions of the groups of so many blocks; each group begins with another one.
class KernelVersions {
 public:
  explicit KernelVersions(uint64_t num_blocks)
      : versions_((num_blocks + kernels::kGroupBlocks - 1) / kernels::kGroupBlocks) {
    for (size_t g = 0; g < versions_.size(); ++g) versions_[g] = 1000 * g;
  }

  uint64_t* data() { return versions_.data(); }
  size_t size() const { return versions_.size(); }

  // Have all versions risen by 2 for each change of a block of the group, and for nothing else but
  // updates that found nothing to change? (Kernels without versions must leave them as they were.)
  bool HaveRisen(const KernelVersions& before, const UpdatedBlocks& blocks,
                 bool has_versions) const {
    std::vector<uint64_t> least(before.versions_);
    std::vector<uint64_t> most(before.versions_);
    if (has_versions) {
      for (const uint64_t block_idx : blocks.changed) least[block_idx / kernels::kGroupBlocks] += 2;
      for (const uint64_t block_idx : blocks.met) most[block_idx / kernels::kGroupBlocks] += 2;
    }
    for (size_t g = 0; g < versions_.size(); ++g) {
      const uint64_t version = versions_[g];
      if (version < least[g] || version > most[g] || version % 2 != 0) return false;
    }
    return true;
  }

 private:
  std::vector<uint64_t> versions_;
};

// A model has Apply(op, digest), which returns the fate; Words, num_blocks, bits and
// Kernels(has_versions).
//
// Blocks for the active target's kernels, with versions or without, which begin as the model's.
template <class Model>
class BinnedSubject {
 public:
  explicit BinnedSubject(const Model& model, bool has_versions = false)
      : words_(model.num_blocks() * kernels::kFingerprintBlockWords),
        versions_(model.num_blocks()),
        has_versions_(has_versions),
        model_(model) {
    std::ranges::copy(model.Words(), words_.data());
  }

  // Applies digests [begin, end) of a chunk, in batches that go on behind keys that stop one, and
  // one by one to a copy; compares fates and bytes with the model's.
  void Apply(BinnedOp op, const std::vector<uint64_t>& digests, size_t begin, size_t end) {
    BinnedSubject one(model_, has_versions_);
    const KernelVersions versions_before = versions_;
    UpdatedBlocks updated;
    std::vector<uint64_t> want_bits(digests.size() / 64 + 1, 0);
    std::vector<uint32_t> want_listed;  // spilled or unsure
    std::vector<size_t> want_stops;
    for (size_t i = begin; i < end; ++i) {
      const OneFate fate = model_.Apply(op, digests[i]);
      const bool has_bit = fate == OneFate::kDone && op != BinnedOp::kInsert;
      want_bits[i / 64] |= uint64_t{has_bit} << (i % 64);
      if (fate == OneFate::kSpill) want_listed.push_back(static_cast<uint32_t>(i));
      if (fate == OneFate::kStop) want_stops.push_back(i);
      const KernelVersions one_before = one.versions_;
      if (one.ApplyOne(op, digests[i]) != fate) FAIL("fate of key " << i << " by itself");
      if (op == BinnedOp::kQuery) continue;
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
  void Apply(BinnedOp op, const std::vector<uint64_t>& digests) {
    Apply(op, digests, 0, digests.size());
  }

  const Model& model() const { return model_; }

 private:
  kernels::FingerprintBlocks blocks() {
    kernels::FingerprintBlocks blocks{words_.span().data(), model_.num_blocks(), model_.bits(),
                                      has_versions_ ? versions_.data() : nullptr};
    if (has_versions_) blocks.num_versions = versions_.size();
    return blocks;
  }

  kernels::UpdateProgress Batch(BinnedOp op, const std::vector<uint64_t>& digests,
                                const DigestRange& range, uint64_t* bits, uint32_t* list) {
    const kernels::FingerprintKernels& table = model_.Kernels(has_versions_);
    switch (op) {
      case BinnedOp::kInsert:
        return table.insert(digests.data(), range, blocks(), list);
      case BinnedOp::kInsertIfAbsent:
        return table.insert_if_absent(digests.data(), range, blocks(), bits, list);
      case BinnedOp::kErase:
        return table.erase(digests.data(), range, blocks(), bits, list);
      default:
        if (range.begin != 0) FAIL("queries begin with the first digest");
        return {range.end, table.query(digests.data(), range.end, blocks(), bits, list)};
    }
  }

  OneFate ApplyOne(BinnedOp op, uint64_t digest) {
    const kernels::FingerprintKernels& table = model_.Kernels(has_versions_);
    const kernels::FingerprintBlocks view = blocks();
    switch (op) {
      case BinnedOp::kInsert:
        return table.insert_one(digest, &view);
      case BinnedOp::kInsertIfAbsent:
        return table.insert_if_absent_one(digest, &view);
      case BinnedOp::kErase:
        return table.erase_one(digest, &view);
      default:
        return table.query_one(digest, &view);
    }
  }

  Guarded<uint32_t> words_;
  KernelVersions versions_;
  bool has_versions_;
  Model model_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_BINNED_SUBJECT_H_
