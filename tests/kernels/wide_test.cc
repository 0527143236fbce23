// Fingerprint blocks with slots of 16 bits: every target leaves the bytes and the answers of a
// model that looks at one slot after the other, with versions and without.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "kernels/wide_block.h"
#include "support/binned_subject.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::BinnedOp;
using tests::DrawnDigests;
using tests::FirstDifference;
using tests::kBinnedOps;

// A filter as slots. Marks come from outside.
class WideModel {
 public:
  WideModel(uint64_t num_blocks, uint32_t bits)
      : num_blocks_(num_blocks), bits_(bits), slots_(num_blocks * kWideSlots) {}

  OneFate Apply(BinnedOp op, uint64_t digest) {
    const auto place = FingerprintPlaceOf(digest, num_blocks_);
    uint16_t* block = slots_.data() + place.block_idx * kWideSlots;
    uint16_t* end = block + kWideSlots;
    const auto key = static_cast<uint16_t>(WideKey(place.rest, bits_));
    const bool is_shown = std::find(block, end, key) != end;
    const bool is_marked = block[31] % 256 == 255;
    const bool is_insertion = op == BinnedOp::kInsert || op == BinnedOp::kInsertIfAbsent;
    if (is_shown && op == BinnedOp::kQuery) return OneFate::kDone;
    if (is_shown && op == BinnedOp::kInsertIfAbsent) return OneFate::kUnchanged;
    if (is_marked) return OneFate::kSpill;
    if (!is_shown && !is_insertion) return OneFate::kUnchanged;
    uint16_t* slot = std::find(block, end, is_insertion ? uint16_t{0} : key);
    if (slot == end) return OneFate::kStop;
    *slot = is_insertion ? key : uint16_t{0};
    return OneFate::kDone;
  }
  void Mark(uint64_t block_idx, uint32_t mark) {
    slots_[block_idx * kWideSlots + 31] = static_cast<uint16_t>(mark);
  }

  std::vector<uint32_t> Words() const {
    std::vector<uint32_t> words(slots_.size() / 2);
    for (size_t i = 0; i < words.size(); ++i) {
      words[i] = slots_[2 * i] | static_cast<uint32_t>(slots_[2 * i + 1]) << 16;
    }
    return words;
  }
  uint64_t num_blocks() const { return num_blocks_; }
  uint32_t bits() const { return bits_; }
  static const FingerprintKernels& Kernels(bool has_versions) {
    const KernelTable& table = ActiveKernels();
    return has_versions ? table.versioned_wide_fingerprints : table.wide_fingerprints;
  }

 private:
  uint64_t num_blocks_;
  uint32_t bits_;
  std::vector<uint16_t> slots_;
};

using WideSubject = tests::BinnedSubject<WideModel>;

// A filter with full, half full and marked blocks.
WideModel MixedModel(const std::vector<uint64_t>& digests, uint64_t num_blocks, uint32_t bits) {
  WideModel model(num_blocks, bits);
  for (size_t i = 0; i < digests.size(); i += 2) model.Apply(BinnedOp::kInsert, digests[i]);
  for (size_t i = 0; i < digests.size(); i += 6) model.Apply(BinnedOp::kErase, digests[i]);
  for (uint64_t b = 0; b < num_blocks; b += 3) model.Mark(b, b % 2 == 0 ? kLineMark : kSpillMark);
  return model;
}

TEST_CASE("updates and queries of wide blocks do what the definition does on every target",
          "[kernels][fingerprints]") {
  const bool has_versions = GENERATE(false, true);
  const uint32_t bits = GENERATE(8, 13, 16);
  for (const size_t size : tests::EdgeSizes()) {
    const auto digests = DrawnDigests(size, size / 2 + 1, Catch::rngSeed() + size);
    const auto asked = DrawnDigests(size, size + 1, Catch::rngSeed() + size);
    for (const uint64_t num_blocks : tests::EdgeBlocks()) {
      INFO(size << " keys, " << num_blocks << " blocks");
      const WideModel mixed = MixedModel(digests, num_blocks, bits);
      tests::ForEachRunnableTarget([&] {
        for (const BinnedOp op : kBinnedOps) {
          WideSubject(WideModel(num_blocks, bits), has_versions).Apply(op, digests);
          WideSubject subject(mixed, has_versions);
          const size_t begin = op == BinnedOp::kQuery ? 0 : size / 3;
          subject.Apply(op, op == BinnedOp::kQuery ? asked : digests, begin, size);
        }
      });
    }
  }
}

TEST_CASE("a thousand keys of one wide block of many are applied in order",
          "[kernels][fingerprints]") {
  const bool has_versions = GENERATE(false, true);
  auto digests = DrawnDigests(1000, 40, Catch::rngSeed());
  for (uint64_t& digest : digests) digest = digest % (uint64_t{1} << 32) | uint64_t{1} << 63;
  const WideModel mixed = MixedModel(digests, 9, 16);
  tests::ForEachRunnableTarget([&] {
    for (const BinnedOp op : kBinnedOps) WideSubject(mixed, has_versions).Apply(op, digests);
  });
}

TEST_CASE("no key of a wide block is free or a mark", "[kernels][fingerprints]") {
  for (uint32_t bits = kMinWideBits; bits <= kMaxWideBits; ++bits) {
    for (uint64_t key = 0; key < uint64_t{1} << bits; ++key) {
      const uint32_t kept = WideKey(key << (64 - bits), bits);
      REQUIRE(kept % 256 != 0x00);
      REQUIRE(kept % 256 != 0xff);
      REQUIRE(kept / 2 == key / 2);
    }
  }
}

TEST_CASE("a wide block's keys survive encoding and decoding", "[kernels][fingerprints]") {
  const uint32_t mark = GENERATE(0U, kLineMark, kSpillMark);
  std::mt19937_64 random(Catch::rngSeed());
  for (size_t size = 0; size <= (mark == 0 ? 32U : 31U); ++size) {
    std::vector<uint32_t> keys(size);
    for (uint32_t& key : keys) key = UnreservedWideKey(static_cast<uint32_t>(random() % 65'536));
    std::array<uint32_t, kFingerprintBlockWords> block{};
    block.fill(0xa5a5a5a5);
    EncodeWide(keys, mark, block.data());
    REQUIRE(IsMarkedWide(block.data()) == (mark != 0));
    for (size_t i = 0; i < size; ++i) REQUIRE(WideSlot(block.data(), i) == keys[i]);
    std::array<uint32_t, kWideSlots> decoded{};
    const size_t num_keys = DecodeWide(block.data(), decoded);
    std::sort(keys.begin(), keys.end());
    REQUIRE(FirstDifference(std::vector<uint32_t>(decoded.begin(), decoded.begin() + num_keys),
                            keys) == "");
  }
}

}  // namespace
}  // namespace trommel::kernels
