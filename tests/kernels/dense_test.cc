// Kernels of dense blocks: the bytes and answers of kernels::DenseBlock on every target, with
// versions and without.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "kernels/dense_block.h"
#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "support/binned_subject.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::BinnedOp;
using tests::kBinnedOps;

// Blocks as DenseBlock changes them, and what is the store's.
class DenseModel {
 public:
  DenseModel(uint64_t num_blocks, const DenseLayout& layout)
      : words_(num_blocks * kFingerprintBlockWords), num_blocks_(num_blocks), layout_(layout) {}

  OneFate Apply(BinnedOp op, uint64_t digest) {
    const FingerprintPlace place = FingerprintPlaceOf(digest, num_blocks_);
    const uint32_t key = layout_.KeyOf(place.rest);
    const uint32_t bin = layout_.BinOf(key);
    DenseBlock block = At(place.block_idx);
    if (!block.Shows(bin)) return OneFate::kSpill;
    const int slot = block.Find(key);
    switch (op) {
      case BinnedOp::kQuery:
        return slot >= 0 ? OneFate::kDone : OneFate::kUnchanged;
      case BinnedOp::kErase:
        if (slot < 0) return OneFate::kUnchanged;
        if (block.is_counted()) return OneFate::kSpill;
        if (block.is_cut() && block.num_keys() - 1 + kDensePullSlots <= layout_.shape.slots) {
          return OneFate::kSpill;
        }
        block.Close(static_cast<uint32_t>(slot), bin);
        break;
      case BinnedOp::kInsertIfAbsent:
        if (slot >= 0) return OneFate::kUnchanged;
        [[fallthrough]];
      default:
        if (block.is_counted() || block.is_full()) return OneFate::kSpill;
        block.Open(key);
    }
    block.Store(WordsAt(place.block_idx));
    return OneFate::kDone;
  }

  // Does to a block what the store may do: cuts it, shows bins again, marks it.
  void Change(uint64_t block_idx, std::mt19937_64& random) {
    DenseBlock block = At(block_idx);
    const auto end = static_cast<uint32_t>(random() % (layout_.shape.bins + 1));
    if (random() % 2 == 0 && end < block.num_bins()) {
      block.CutAt(end);
    } else if (random() % 2 == 0) {
      block.ShowBins(std::max(end, block.num_bins()));
    }
    block.set_counted(random() % 4 == 0);
    block.set_spilled(block.is_cut() && random() % 2 == 0);
    block.Store(WordsAt(block_idx));
  }

  const std::vector<uint32_t>& Words() const { return words_; }
  uint64_t num_blocks() const { return num_blocks_; }
  uint32_t bits() const { return layout_.bits; }
  const FingerprintKernels& Kernels(bool has_versions) const {
    const auto shape = static_cast<size_t>(std::ranges::find(kDenseShapes, layout_.shape) -
                                           std::begin(kDenseShapes));
    const KernelTable& table = ActiveKernels();
    return has_versions ? table.versioned_dense[shape] : table.dense[shape];
  }

 private:
  uint32_t* WordsAt(uint64_t block_idx) {
    return words_.data() + block_idx * kFingerprintBlockWords;
  }
  DenseBlock At(uint64_t block_idx) { return {layout_, WordsAt(block_idx)}; }

  std::vector<uint32_t> words_;
  uint64_t num_blocks_;
  DenseLayout layout_;
};

using DenseSubject = tests::BinnedSubject<DenseModel>;

// Shapes at their full length, and at two shorter ones.
std::vector<DenseLayout> SomeLayouts() {
  std::vector<DenseLayout> layouts;
  for (const DenseShape& shape : kDenseShapes) {
    for (const uint32_t bits : {shape.max_bits, shape.max_bits - 3, 2U}) {
      layouts.push_back({shape, bits});
    }
  }
  return layouts;
}

TEST_CASE("dense kernels leave the reference's bytes through inserts, erases, queries and cuts",
          "[kernels][dense]") {
  const bool has_versions = GENERATE(false, true);
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed());
    for (const DenseLayout& layout : SomeLayouts()) {
      INFO(layout.shape.slots << " slots, " << layout.bits << " bits");
      for (const uint64_t num_blocks : {1U, 4U, 70U}) {
        DenseModel start(num_blocks, layout);
        // Enough digests to fill every block, and enough erases to drain it.
        const auto pool = tests::DrawnDigests(num_blocks * 60, num_blocks * 50, random());
        for (int round = 0; round < 40; ++round) {
          const bool is_rising = round / 10 % 2 == 0;
          std::vector<uint64_t> digests(random() % 300);
          for (uint64_t& digest : digests) {
            digest = random() % 8 == 0 ? random() : pool[random() % pool.size()];
          }
          const BinnedOp op = random() % 3 == 0 ? kBinnedOps[random() % 4]
                              : is_rising       ? BinnedOp::kInsert
                                                : BinnedOp::kErase;
          const size_t end = random() % (digests.size() + 1);
          const size_t begin = op == BinnedOp::kQuery ? 0 : random() % (end + 1);
          DenseSubject subject(start, has_versions);
          subject.Apply(op, digests, begin, end);
          start = subject.model();
          if (round % 3 == 0) start.Change(random() % num_blocks, random);
        }
      }
    }
  });
}

TEST_CASE("dense kernels take batches of every size", "[kernels][dense]") {
  const bool has_versions = GENERATE(false, true);
  tests::ForEachRunnableTarget([&] {
    for (const size_t size : tests::EdgeSizes()) {
      for (const BinnedOp op : kBinnedOps) {
        DenseSubject subject(DenseModel(3, {kDenseShapes[1], 8}), has_versions);
        subject.Apply(BinnedOp::kInsert, tests::DrawnDigests(130, 90, Catch::rngSeed()));
        subject.Apply(op, tests::DrawnDigests(size, size + 1, Catch::rngSeed()));
      }
    }
  });
}

// Queries take another way while nearly all keys are present.
TEST_CASE("dense queries answer alike whether most keys are present, some or none",
          "[kernels][dense]") {
  const bool has_versions = GENERATE(false, true);
  const DenseLayout layout{kDenseShapes[GENERATE(range(size_t{0}, kNumDenseShapes))],
                           GENERATE(8U, 5U)};
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed() + layout.shape.slots);
    const auto members = tests::DrawnDigests(900, 900, random());
    DenseSubject filled(DenseModel(26, layout));
    filled.Apply(BinnedOp::kInsert, members);
    DenseModel model = filled.model();
    for (uint64_t b = 0; b < 6; ++b) model.Change(b, random);
    DenseSubject subject(model, has_versions);
    // Stretches of members, of others, and of both; words of 64 keys have some of each.
    for (int round = 0; round < 6; ++round) {
      std::vector<uint64_t> digests;
      while (digests.size() < 1'500) {
        const uint64_t length = 1 + random() % 300;
        const uint64_t most = random() % 3;
        for (uint64_t i = 0; i < length; ++i) {
          const bool is_member =
              most == 2 ? random() % 2 == 0 : (random() % 40 != 0) == (most == 0);
          digests.push_back(is_member ? members[random() % members.size()] : random());
        }
      }
      subject.Apply(BinnedOp::kQuery, digests);
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
