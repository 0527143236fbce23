// Fingerprint blocks with slots of 8 bits: the bytes and answers of a plain model on every target.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/narrow_block.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

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
    alignas(64) uint32_t words[kFingerprintBlockWords];
    block.is_promoted = true;
    block.shown_bins = EncodePromotedNarrow(keys, bits_, words);
    std::erase_if(keys, [&](uint32_t key) { return block.IsCut(NarrowBin(key, bits_)); });
    block.keys = keys;
  }

  OneFate Apply(NarrowOp op, uint64_t digest) {
    const FingerprintPlace place = FingerprintPlaceOf(digest, blocks_.size());
    NarrowModelBlock& block = blocks_[place.block_idx];
    const auto key = static_cast<uint32_t>(place.rest >> (64 - bits_));
    const bool is_cut = block.IsCut(NarrowBin(key, bits_));
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
        if (FitsNarrow(block.keys, bits_)) return OneFate::kDone;
        block.keys.erase(std::ranges::lower_bound(block.keys, key));
        return OneFate::kStop;
    }
  }

  std::vector<uint32_t> Words() const {
    std::vector<uint32_t> words(blocks_.size() * kFingerprintBlockWords);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      uint32_t* block = words.data() + i * kFingerprintBlockWords;
      EncodeNarrow(blocks_[i].keys, bits_, block);
      if (!blocks_[i].is_promoted) continue;
      // The same keys in the same slots, but cut bins without their 1, and the marks.
      for (uint32_t bin = 0; bin < kNarrowBins; ++bin) {
        if (!blocks_[i].IsCut(bin)) continue;
        const uint32_t half = bin / kBinsPerWord;
        uint64_t bins = BinWord(block, half);
        bins ^= uint64_t{1} << (63 - std::countl_zero(bins));  // from the last on
        SetBinWord(bins, half, block);
      }
      for (uint32_t half : {0U, 1U}) SetBinWord(BinWord(block, half) | kPromotedBins, half, block);
    }
    return words;
  }

  uint64_t num_blocks() const { return blocks_.size(); }
  uint32_t bits() const { return bits_; }

 private:
  static uint64_t BinWord(const uint32_t* block, uint32_t half) {
    uint64_t bins = 0;
    std::memcpy(&bins, block + 12 + 2 * half, sizeof(bins));
    return bins ^ kEmptyBins;
  }
  static void SetBinWord(uint64_t bins, uint32_t half, uint32_t* block) {
    bins ^= kEmptyBins;
    std::memcpy(block + 12 + 2 * half, &bins, sizeof(bins));
  }

  std::vector<NarrowModelBlock> blocks_;
  uint32_t bits_;
};

// Blocks for the active target's kernels, which begin as the model's.
class NarrowSubject {
 public:
  explicit NarrowSubject(const NarrowModel& model)
      : words_(model.num_blocks() * kFingerprintBlockWords), model_(model) {
    std::ranges::copy(model.Words(), words_.span().begin());
  }

  // Applies digests [begin, end) of a chunk, in batches that go on behind keys that stop one, and
  // one by one to a copy; compares fates and bytes with the model's.
  void Apply(NarrowOp op, const std::vector<uint64_t>& digests, size_t begin, size_t end) {
    NarrowSubject one(model_);
    std::vector<uint64_t> want_bits(digests.size() / 64 + 1, 0);
    std::vector<uint32_t> want_listed;  // spilled or unsure
    std::vector<size_t> want_stops;
    for (size_t i = begin; i < end; ++i) {
      const OneFate fate = model_.Apply(op, digests[i]);
      const bool has_bit = fate == OneFate::kDone && op != NarrowOp::kInsert;
      want_bits[i / 64] |= uint64_t{has_bit} << (i % 64);
      if (fate == OneFate::kSpill) want_listed.push_back(static_cast<uint32_t>(i));
      if (fate == OneFate::kStop) want_stops.push_back(i);
      if (one.ApplyOne(op, digests[i]) != fate) FAIL("fate of key " << i << " by itself");
    }

    tests::Guarded<uint64_t> bits(want_bits.size());
    std::ranges::fill(bits.span(), 0);
    std::vector<uint32_t> listed;
    std::vector<size_t> stops;
    for (size_t i = begin; i < end || i == begin;) {
      tests::Guarded<uint32_t> list(end - i);
      const DigestRange range{i, end, i == begin ? 0 : i + 3, digests.size()};
      const UpdateProgress progress =
          Batch(op, digests, range, bits.span().data(), list.span().data());
      const auto entries = list.span().first(progress.num_spilled);
      listed.insert(listed.end(), entries.begin(), entries.end());
      REQUIRE(list.GuardsIntact());
      if (progress.end < end) stops.push_back(progress.end);
      i = progress.end + 1;
    }
    REQUIRE(stops == want_stops);
    REQUIRE(tests::FirstDifference(listed, want_listed) == "");
    REQUIRE(tests::FirstDifference(bits.Copy(), want_bits) == "");
    REQUIRE(bits.GuardsIntact());
    REQUIRE(tests::FirstDifference(words_.Copy(), model_.Words()) == "");
    REQUIRE(words_.GuardsIntact());
    REQUIRE(tests::FirstDifference(one.words_.Copy(), model_.Words()) == "");
  }
  void Apply(NarrowOp op, const std::vector<uint64_t>& digests) {
    Apply(op, digests, 0, digests.size());
  }

  const NarrowModel& model() const { return model_; }

 private:
  FingerprintBlocks blocks() { return {words_.span().data(), model_.num_blocks(), model_.bits()}; }

  UpdateProgress Batch(NarrowOp op, const std::vector<uint64_t>& digests, const DigestRange& range,
                       uint64_t* bits, uint32_t* list) {
    const FingerprintKernels& kernels = ActiveKernels().narrow_fingerprints;
    switch (op) {
      case NarrowOp::kInsert:
        return kernels.insert(digests.data(), range, blocks(), list);
      case NarrowOp::kInsertIfAbsent:
        return kernels.insert_if_absent(digests.data(), range, blocks(), bits, list);
      case NarrowOp::kErase:
        return kernels.erase(digests.data(), range, blocks(), bits, list);
      default:
        if (range.begin != 0) FAIL("queries begin with the first digest");
        return {range.end, kernels.query(digests.data(), range.end, blocks(), bits, list)};
    }
  }

  OneFate ApplyOne(NarrowOp op, uint64_t digest) {
    const FingerprintKernels& kernels = ActiveKernels().narrow_fingerprints;
    switch (op) {
      case NarrowOp::kInsert:
        return kernels.insert_one(digest, blocks());
      case NarrowOp::kInsertIfAbsent:
        return kernels.insert_if_absent_one(digest, blocks());
      case NarrowOp::kErase:
        return kernels.erase_one(digest, blocks());
      default:
        return kernels.query_one(digest, blocks());
    }
  }

  tests::Guarded<uint32_t> words_;
  NarrowModel model_;
};

constexpr NarrowOp kNarrowOps[] = {NarrowOp::kInsert, NarrowOp::kInsertIfAbsent, NarrowOp::kErase,
                                   NarrowOp::kQuery};

// Of a filter of one block the digest is the rest: the key on top.
uint64_t DigestOf(uint32_t key, uint32_t bits) { return uint64_t{key} << (64 - bits); }

std::vector<uint64_t> EveryKeyOnce(uint32_t bits) {
  std::vector<uint64_t> digests;
  for (uint32_t key = 0; key < 1U << bits; ++key) digests.push_back(DigestOf(key, bits));
  return digests;
}

// Keys of a bin with the lowest slots.
std::vector<uint32_t> KeysOfBin(uint32_t bin, uint32_t count, uint32_t bits) {
  std::vector<uint32_t> keys;
  for (uint32_t slot = 0; slot < count; ++slot) keys.push_back(bin << (bits - kBinBits) | slot);
  return keys;
}

TEST_CASE("narrow blocks hold the model's bytes through inserts, erases and queries",
          "[kernels][narrow]") {
  const uint32_t bits = GENERATE(range(kMinNarrowBits, kMaxNarrowBits + 1));
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed() + bits);
    for (const uint64_t num_blocks : {1, 5, 64}) {
      NarrowModel start(num_blocks, bits);
      if (num_blocks > 1) {
        for (const uint64_t block_idx : {0, 1}) {
          std::vector<uint32_t> keys(block_idx == 0 ? 90 : 20);
          for (uint32_t& key : keys) key = static_cast<uint32_t>(random() >> (64 - bits));
          start.Promote(block_idx, keys);
        }
      }
      NarrowSubject subject(start);
      // Enough digests to overflow every block, and enough erases to drain it.
      const auto pool = tests::DrawnDigests(num_blocks * 60, num_blocks * 50, random());
      for (int round = 0; round < 60; ++round) {
        const bool is_rising = round / 15 % 2 == 0;
        std::vector<uint64_t> digests(random() % 300);
        for (uint64_t& digest : digests) {
          digest = random() % 8 == 0 ? random() : pool[random() % pool.size()];
        }
        const NarrowOp op = random() % 3 == 0 ? kNarrowOps[random() % 4]
                            : is_rising       ? NarrowOp::kInsert
                                              : NarrowOp::kErase;
        const size_t end = random() % (digests.size() + 1);
        const size_t begin = op == NarrowOp::kQuery ? 0 : random() % (end + 1);
        subject.Apply(op, digests, begin, end);
      }
    }
  });
}

TEST_CASE("narrow kernels take batches of every size", "[kernels][narrow]") {
  tests::ForEachRunnableTarget([&] {
    for (const size_t size : tests::EdgeSizes()) {
      for (const NarrowOp op : kNarrowOps) {
        NarrowSubject subject(NarrowModel(3, 14));
        subject.Apply(NarrowOp::kInsert, tests::DrawnDigests(90, 60, Catch::rngSeed()));
        subject.Apply(op, tests::DrawnDigests(size, size + 1, Catch::rngSeed()));
      }
    }
  });
}

TEST_CASE("a narrow block stops the 49th key and takes one again after an erase",
          "[kernels][narrow]") {
  const uint32_t bits = GENERATE(kMinNarrowBits, kMaxNarrowBits);
  tests::ForEachRunnableTarget([&] {
    std::vector<uint64_t> digests;
    for (uint32_t i = 0; i < 48; ++i) {
      digests.push_back(DigestOf((i * 37 % 64) << (bits - kBinBits) | i % 4, bits));
    }
    NarrowSubject subject(NarrowModel(1, bits));
    subject.Apply(NarrowOp::kInsert, digests);
    NarrowModel model = subject.model();
    REQUIRE(model.Apply(NarrowOp::kInsert, digests[0]) == OneFate::kStop);
    for (const NarrowOp op : {NarrowOp::kInsert, NarrowOp::kInsertIfAbsent}) {
      subject.Apply(op, EveryKeyOnce(bits));
    }
    subject.Apply(NarrowOp::kQuery, EveryKeyOnce(bits));
    subject.Apply(NarrowOp::kErase, {digests[20]});
    subject.Apply(NarrowOp::kInsert, {digests[7], digests[20]});
    subject.Apply(NarrowOp::kErase, EveryKeyOnce(bits));
  });
}

TEST_CASE("half of a narrow block's bins stop the 32nd key and the other half does not",
          "[kernels][narrow]") {
  const uint32_t bin = GENERATE(0U, 7U, 31U, 32U, 40U, 63U);
  const uint32_t bits = GENERATE(11U, kMaxNarrowBits);
  tests::ForEachRunnableTarget([&] {
    NarrowSubject subject(NarrowModel(1, bits));
    std::vector<uint64_t> digests;
    for (const uint32_t key : KeysOfBin(bin, 32, bits)) digests.push_back(DigestOf(key, bits));
    std::ranges::reverse(digests);
    subject.Apply(NarrowOp::kInsert, digests);
    NarrowModel model = subject.model();
    REQUIRE(model.Apply(NarrowOp::kInsert, digests[0]) == OneFate::kStop);
    subject.Apply(NarrowOp::kQuery, EveryKeyOnce(bits));
    const uint32_t other_bin = bin ^ 32;
    for (const uint32_t key : KeysOfBin(other_bin, 18, bits)) {
      subject.Apply(NarrowOp::kInsertIfAbsent, {DigestOf(key, bits)});
    }
    subject.Apply(NarrowOp::kQuery, EveryKeyOnce(bits));
    subject.Apply(NarrowOp::kErase, digests);
    subject.Apply(NarrowOp::kErase, EveryKeyOnce(bits));
    CHECK(std::ranges::count(subject.model().Words(), 0U) == kFingerprintBlockWords);
  });
}

TEST_CASE("a narrow block counts 31 copies of a key", "[kernels][narrow]") {
  const uint32_t bin = GENERATE(0U, 31U, 32U, 63U);
  const uint32_t slot = GENERATE(0U, 1U, 255U);
  tests::ForEachRunnableTarget([&] {
    NarrowSubject subject(NarrowModel(1, 14));
    const std::vector<uint64_t> copies(33, DigestOf(bin << 8 | slot, 14));
    subject.Apply(NarrowOp::kInsert, copies);
    subject.Apply(NarrowOp::kInsertIfAbsent, copies);
    subject.Apply(NarrowOp::kErase, copies);
    subject.Apply(NarrowOp::kQuery, copies);
  });
}

TEST_CASE("a promoted narrow block spills what it cannot tell and refuses what it can",
          "[kernels][narrow]") {
  constexpr uint32_t kBits = 12;
  struct Crowd {
    uint32_t bin;
    uint32_t count;
  };
  // All bins shown; cut in the first word; in the second; in both; all of the first, or the second.
  const auto crowds = GENERATE(std::vector<Crowd>{}, std::vector<Crowd>{{3, 20}, {9, 12}},
                               std::vector<Crowd>{{35, 20}, {60, 12}},
                               std::vector<Crowd>{{3, 31}, {9, 1}, {40, 17}, {63, 1}},
                               std::vector<Crowd>{{0, 32}, {33, 5}},
                               std::vector<Crowd>{{2, 31}, {32, 18}, {33, 1}});
  tests::ForEachRunnableTarget([&] {
    std::vector<uint32_t> keys = {0x005, 0x006};
    if (!crowds.empty()) keys.clear();
    for (const Crowd& crowd : crowds) {
      const auto of_bin = KeysOfBin(crowd.bin, crowd.count, kBits);
      keys.insert(keys.end(), of_bin.begin(), of_bin.end());
    }
    NarrowModel model(1, kBits);
    model.Promote(0, keys);
    NarrowSubject subject(model);
    for (const NarrowOp op : kNarrowOps) subject.Apply(op, EveryKeyOnce(kBits));
  });
}

}  // namespace
}  // namespace trommel::kernels
