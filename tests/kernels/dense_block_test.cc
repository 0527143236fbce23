// Dense blocks and overflow lines against a plain model, and against words written out by hand.
#include "kernels/dense_block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/dense_line.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using BlockWords = std::array<uint32_t, kFingerprintBlockWords>;

std::vector<uint32_t> Copy(const BlockWords& words) { return {words.begin(), words.end()}; }

// A block as its bins, each with its keys in the order of their slots.
struct BlockModel {
  explicit BlockModel(const DenseLayout& of) : layout(of), bins(of.shape.bins) {}

  size_t num_keys() const {
    size_t size = 0;
    for (const auto& bin : bins) size += bin.size();
    return size;
  }
  // Bit by bit, as dense_layout.h draws it.
  BlockWords Encoded(bool is_counted, bool is_spilled) const {
    BlockWords words{};
    const auto flip = [&](uint32_t bit) { words[bit / 32] ^= 1U << (bit % 32); };
    const DenseShape& shape = layout.shape;
    uint32_t slot = 0;
    uint32_t unary = shape.unary_begin();
    for (uint32_t b = 0; b < bins.size(); ++b) {
      for (const uint32_t key : bins[b]) {
        const uint32_t remainder = key % (1U << layout.bits);
        const uint32_t num_in_bytes = shape.max_bits / 8 * 8;
        for (uint32_t i = 0; i < shape.max_bits; ++i) {
          if ((remainder >> i & 1) == 0) continue;
          flip(i < num_in_bytes ? 8 * (i / 8 * shape.slots + slot) + i % 8
                                : shape.slots * i + slot);
        }
        ++slot;
        ++unary;
      }
      if (b < num_bins) flip(unary++);
    }
    for (uint32_t b = 0; b < shape.bins; ++b) flip(shape.unary_begin() + b);  // of an empty block
    if (num_bins < shape.bins) flip(511);
    if (is_counted) flip(510);
    if (is_spilled) flip(509);
    return words;
  }

  DenseLayout layout;
  std::vector<std::vector<uint32_t>> bins;
  uint32_t num_bins = layout.shape.bins;
};

TEST_CASE("a dense block of every shape and length is what a model of its bins is",
          "[kernels][dense]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const DenseShape& shape : kDenseShapes) {
    for (uint32_t bits = 1; bits <= shape.max_bits; ++bits) {
      const DenseLayout layout{shape, bits};
      BlockModel model(layout);
      alignas(64) BlockWords words{};
      for (int step = 0; step < 500; ++step) {
        DenseBlock block(layout, words.data());
        REQUIRE(block.num_keys() == model.num_keys());
        REQUIRE(block.num_bins() == model.num_bins);
        REQUIRE(block.is_full() == (model.num_keys() == shape.slots));
        const auto key = static_cast<uint32_t>(random() % layout.num_keys());
        std::vector<uint32_t>& bin = model.bins[layout.BinOf(key)];
        if (block.Shows(layout.BinOf(key))) {
          REQUIRE(block.CountOf(key) == std::ranges::count(bin, key));
          if (!block.is_full() && random() % 3 != 0) {
            const uint32_t slot = block.Open(key);
            REQUIRE(slot + 1 == block.SlotsOf(layout.BinOf(key)).end);
            bin.push_back(key);
          } else if (!bin.empty()) {
            const size_t i = random() % bin.size();
            block.Close(block.SlotsOf(layout.BinOf(key)).first + static_cast<uint32_t>(i),
                        layout.BinOf(key));
            bin.erase(bin.begin() + static_cast<std::ptrdiff_t>(i));
          }
        }
        if (random() % 20 == 0) {
          const auto end = static_cast<uint32_t>(random() % (shape.bins + 1));
          if (end < model.num_bins) {
            block.CutAt(end);
            for (uint32_t b = end; b < shape.bins; ++b) model.bins[b].clear();
          } else {
            block.ShowBins(end);
          }
          model.num_bins = end;
        }
        if (block.num_keys() > 0) {
          const auto last = std::ranges::find_if(model.bins.rbegin(), model.bins.rend(),
                                                 [](const auto& keys) { return !keys.empty(); });
          REQUIRE(block.LastBin() == model.bins.rend() - last - 1);
        }
        std::array<uint32_t, kMaxDenseSlots> keys;
        std::vector<uint32_t> want;
        for (const auto& of_bin : model.bins) want.insert(want.end(), of_bin.begin(), of_bin.end());
        REQUIRE(std::vector(keys.begin(), keys.begin() + block.Keys(keys)) == want);
        block.set_counted(random() % 2 == 0);
        block.set_spilled(block.is_cut() && random() % 2 == 0);
        block.Store(words.data());
        const BlockWords encoded = model.Encoded(block.is_counted(), block.is_spilled());
        REQUIRE(tests::FirstDifference(Copy(words), Copy(encoded)) == "");
        const DenseBlock again(layout, words.data());
        REQUIRE(again.is_counted() == block.is_counted());
        REQUIRE(again.is_spilled() == block.is_spilled());
      }
    }
  }
}

TEST_CASE("an overflow line holds its entries in order, and the last fills a hole",
          "[kernels][dense]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const DenseShape& shape : kDenseShapes) {
    const uint32_t num_keys = DenseLayout{shape, shape.max_bits}.num_keys();
    const uint32_t num_entries = shape.line_entries();
    alignas(64) BlockWords line{};
    std::vector<DenseEntry> want;
    for (int step = 0; step < 1'000; ++step) {
      const DenseEntry entry = {static_cast<uint32_t>(random() % 32),
                                static_cast<uint32_t>(random() % num_keys)};
      if (want.size() < num_entries && random() % 2 == 0) {
        SetDenseEntry(num_entries, line.data(), static_cast<uint32_t>(want.size()), entry);
        want.push_back(entry);
      } else if (!want.empty()) {
        const size_t i = random() % want.size();
        if (random() % 4 == 0) {
          SetDenseEntry(num_entries, line.data(), static_cast<uint32_t>(i), entry);
          want[i] = entry;
        } else {
          RemoveDenseEntry(num_entries, line.data(), static_cast<uint32_t>(i));
          want[i] = want.back();
          want.pop_back();
        }
      }
      REQUIRE(NumDenseEntries(line.data()) == want.size());
      for (uint32_t i = 0; i < want.size(); ++i) {
        const DenseEntry got = DenseEntryAt(num_entries, line.data(), i);
        REQUIRE((got.tag == want[i].tag && got.key == want[i].key));
      }
      if (want.empty()) REQUIRE(Copy(line) == std::vector<uint32_t>(line.size(), 0));
    }
  }
}

}  // namespace
}  // namespace trommel::kernels
