// Kernels of dense blocks: the bytes and answers of kernels::DenseBlock on every target, with
// versions and without.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernels/dense_block.h"
#include "kernels/dense_layout.h"
#include "kernels/dense_line.h"
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
    const size_t shape = DenseShapeIdx(layout_.shape);
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
  tests::ForEachTargetAndSelect([&] {
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

// A block and its two lines, changed key by key.
class CutModel {
 public:
  explicit CutModel(const DenseLayout& layout) : layout_(layout) {}

  bool operator==(const CutModel& other) const { return words_ == other.words_; }
  uint32_t* block() { return words_.data(); }
  DensePair Pair() { return {{block() + 16, block() + 32}, {5, 5 + 16}}; }
  DenseBlock Block() { return {layout_, block()}; }

  // As the kernel; `left` is what it leaves.
  uint64_t Evict(uint32_t key, std::vector<uint32_t>& left) {
    DenseBlock block = Block();
    const uint32_t bin = layout_.BinOf(key);
    if (block.is_counted() || !block.is_full() || !block.Shows(bin)) return 0;
    const uint32_t last = block.LastBin();
    const bool is_copy = block.Find(key) >= 0;
    const uint64_t copies = block.Copies();
    const int num_copies = std::popcount(copies) + (is_copy ? 1 : 0);
    const bool cuts_copies = (is_copy && bin == last) || copies >> block.SlotsOf(last).first != 0;
    if (num_copies >= int{kDenseManyCopies} || (bin <= last && cuts_copies)) return 0;
    std::array<uint32_t, kMaxDenseSlots> keys;
    std::vector<uint32_t> evicted;
    for (uint32_t i = 0; i < block.Keys(keys); ++i) {
      if (layout_.BinOf(keys[i]) >= std::max(bin, last)) evicted.push_back(keys[i]);
    }
    if (bin >= last) evicted.push_back(key);
    block.CutAt(std::max(bin, last));
    if (bin < last) block.Open(key);
    block.Store(words_.data());
    for (const uint32_t k : evicted) {
      if (!Put(k)) left.push_back(k);
    }
    return evicted.size();
  }

  // One group of bins.
  DenseCutKernels::Pulled Pull() {
    uint64_t num_pulled = 0;
    bool fits = true;
    DenseBlock block = Block();
    const uint32_t first = block.num_bins();
    for (uint32_t bin = first;
         bin < layout_.shape.bins &&
         layout_.GroupOf(bin << layout_.bits) == layout_.GroupOf(first << layout_.bits);
         ++bin) {
      const std::vector<std::pair<size_t, uint32_t>> entries = EntriesOf(bin);
      fits = block.num_keys() + entries.size() <= layout_.shape.slots;
      if (!fits) break;
      block.ShowBins(bin + 1);
      for (const auto& [line, i] : entries) {
        block.Open(DenseEntryAt(NumPlaces(), Pair().line[line], i).key);
        num_pulled += 1;
      }
    }
    block.Store(words_.data());
    for (size_t line = 2; line-- > 0;) {
      for (uint32_t i = NumDenseEntries(Pair().line[line]); i-- > 0;) {
        const DenseEntry entry = DenseEntryAt(NumPlaces(), Pair().line[line], i);
        if (entry.tag == Pair().tag[line] && block.Shows(layout_.BinOf(entry.key))) {
          RemoveDenseEntry(NumPlaces(), Pair().line[line], i);
        }
      }
    }
    return {num_pulled, fits ? PullBin() : DenseCutKernels::kNoBin};
  }

  uint64_t PullBin() {
    const DenseBlock block = Block();
    const bool is_to_pull =
        block.is_cut() && block.num_keys() + kDensePullSlots <= layout_.shape.slots;
    return is_to_pull ? block.num_bins() : DenseCutKernels::kNoBin;
  }

  uint64_t Find(uint32_t key, uint32_t num_ignored) {
    uint64_t found = 0;
    for (size_t line = 0; line < 2; ++line) {
      for (uint32_t i = 0; i < NumDenseEntries(Pair().line[line]); ++i) {
        const DenseEntry entry = DenseEntryAt(NumPlaces(), Pair().line[line], i);
        const bool is_like =
            entry.tag == Pair().tag[line] && entry.key >> num_ignored == key >> num_ignored;
        found |= uint64_t{is_like} << (32 * line + i);
      }
    }
    return found;
  }

  // Makes the lines ones with so many entries, of other blocks.
  void Fill(uint32_t num_entries, std::mt19937_64& random) {
    for (uint32_t* line : Pair().line) {
      std::fill_n(line, 16, 0);
      for (uint32_t i = 0; i < std::min(num_entries, NumPlaces()); ++i) {
        const auto key = static_cast<uint32_t>(random() % layout_.num_keys());
        SetDenseEntry(NumPlaces(), line, i, {static_cast<uint32_t>(random() % 4), key});
      }
    }
  }

 private:
  uint32_t NumPlaces() const { return layout_.shape.line_entries(); }
  bool Put(uint32_t key) {
    const DensePair pair = Pair();
    const uint32_t num[2] = {NumDenseEntries(pair.line[0]), NumDenseEntries(pair.line[1])};
    const size_t i = num[1] < num[0] ? 1 : 0;
    if (num[i] == NumPlaces()) return false;
    SetDenseEntry(NumPlaces(), pair.line[i], num[i], {pair.tag[i], key});
    return true;
  }
  std::vector<std::pair<size_t, uint32_t>> EntriesOf(uint32_t bin) {
    std::vector<std::pair<size_t, uint32_t>> entries;
    for (uint64_t left = Find(bin << layout_.bits, layout_.bits); left != 0; left &= left - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(left));
      entries.emplace_back(i / 32, i % 32);
    }
    return entries;
  }

  DenseLayout layout_;
  alignas(64) std::array<uint32_t, 48> words_{};
};

TEST_CASE("what a dense block loses to its lines, and takes back, is the reference's",
          "[kernels][dense]") {
  tests::ForEachTargetAndSelect([&] {
    std::mt19937_64 random(Catch::rngSeed());
    for (const DenseLayout& layout : SomeLayouts()) {
      INFO(layout.shape.slots << " slots, " << layout.bits << " bits");
      const DenseCutKernels& kernels = ActiveKernels().dense_cuts[DenseShapeIdx(layout.shape)];
      CutModel want(layout);
      uint64_t num_evictions = 0;
      uint64_t num_pulled = 0;
      for (int step = 0; step < 3'000; ++step) {
        // Of few bins now and then, and of the upper ones.
        uint32_t key = static_cast<uint32_t>(random() % layout.num_keys());
        if (step % 500 > 400) key |= static_cast<uint32_t>(random() % layout.num_keys());
        key = std::min(key, layout.num_keys() - 1);
        if (step % 200 == 0) want.Fill(static_cast<uint32_t>(random() % 26), random);
        CutModel got = want;
        DenseBlock block = want.Block();
        const bool is_rising = step / 100 % 2 == 0;
        const auto state = kernels.state(got.block());
        REQUIRE(state.num_bins == block.num_bins());
        REQUIRE(state.next_bin == (block.is_full() ? block.LastBin() : block.num_bins()));
        const int shown = block.Shows(layout.BinOf(key)) ? block.Find(key) : -1;
        const uint32_t slot = kernels.slot(key, layout.bits, got.block());
        REQUIRE((shown < 0 ? slot >= kMaxDenseSlots : slot == static_cast<uint32_t>(shown)));
        const auto num_ignored = static_cast<uint32_t>(random() % 17);
        REQUIRE(kernels.find(got.Pair(), key, num_ignored) == want.Find(key, num_ignored));
        if (is_rising && block.Shows(layout.BinOf(key)) && !block.is_full()) {
          block.Open(key);
          block.Store(want.block());
          continue;
        }
        if (is_rising) {
          std::vector<uint32_t> want_left;
          std::array<uint32_t, kMaxDenseSlots + 1> left;
          const auto evicted =
              kernels.evict(key, layout.bits, got.block(), got.Pair(), left.data());
          REQUIRE(evicted.num == want.Evict(key, want_left));
          REQUIRE(std::vector(left.begin(), left.begin() + evicted.num_left) == want_left);
          num_evictions += evicted.num > 0 ? 1 : 0;
        } else if (want.PullBin() != DenseCutKernels::kNoBin && random() % 2 == 0) {
          const auto pulled = kernels.pull(layout.bits, got.block(), got.Pair());
          const auto want_pulled = want.Pull();
          REQUIRE((pulled.num == want_pulled.num && pulled.pull_bin == want_pulled.pull_bin));
          num_pulled += pulled.num;
        } else {
          const bool is_shown = block.Shows(layout.BinOf(key));
          if (shown >= 0) block.Close(slot, layout.BinOf(key));
          block.Store(want.block());
          const auto closed = kernels.close(key, layout.bits, got.block());
          REQUIRE(closed.fate == (shown >= 0 ? OneFate::kDone
                                  : is_shown ? OneFate::kUnchanged
                                             : OneFate::kSpill));
          REQUIRE(closed.pull_bin == want.PullBin());
          // A key that is in.
          if (block.num_keys() > 0) {
            std::array<uint32_t, kMaxDenseSlots> keys;
            const uint32_t num_keys = block.Keys(keys);
            const uint32_t some = keys[random() % num_keys];
            block.Close(static_cast<uint32_t>(block.Find(some)), layout.BinOf(some));
            block.Store(want.block());
            REQUIRE(kernels.close(some, layout.bits, got.block()).fate == OneFate::kDone);
          }
        }
        REQUIRE(got == want);
      }
      if (layout.bits < layout.shape.max_bits) continue;  // many are copies
      CHECK(num_evictions > 50);
      CHECK(num_pulled > 50);
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
