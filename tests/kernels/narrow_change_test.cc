// One block of slots of 8 bits, changed in place, against a plain model: what it shows, and what is
// hidden.
#include "kernels/narrow_change.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "kernels/narrow_block.h"
#include "support/catch.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using SortedKeys = std::vector<uint32_t>;

void AddKey(uint32_t key, SortedKeys& keys) {
  keys.insert(std::ranges::upper_bound(keys, key), key);
}

void RemoveKey(uint32_t key, SortedKeys& keys) { keys.erase(std::ranges::lower_bound(keys, key)); }

// A block, the keys that it is to have, and those that it does not show.
struct ChangedBlock {
  explicit ChangedBlock(uint32_t fingerprint_bits) : bits(fingerprint_bits) {}

  SortedKeys Shown() const {
    std::array<uint32_t, kNarrowSlots> shown;
    return {shown.begin(), shown.begin() + DecodeNarrow(words.data(), bits, shown)};
  }
  bool IsShownBin(uint32_t key) const {
    return (ShownBins(words.data()) >> NarrowBin(key, bits) & 1) != 0;
  }

  void Insert(uint32_t key) {
    AddKey(key, keys);
    if (!IsPromotedNarrow(words.data())) {
      if (FitsNarrow(keys, bits)) return EncodeNarrow(keys, bits, words.data());
      std::array<uint32_t, kNarrowSlots> copies;
      REQUIRE(NumKeysOfNarrow(words.data()) == keys.size() - 1);
      const size_t num_copies = PromoteNarrow(bits, words.data(), copies);
      REQUIRE(std::is_sorted(copies.begin(), copies.begin() + num_copies));
      for (size_t i = 0; i < num_copies; ++i) AddKey(copies[i], hidden);
    }
    Put(key);
  }

  // Cuts off bins until the key has space, or is hidden.
  void Put(uint32_t key) {
    for (;;) {
      const SortedKeys before = Shown();
      const bool is_hidden = !IsShownBin(key) || std::ranges::binary_search(before, key);
      const auto is_first = [&](uint32_t shown) { return NarrowBin(shown, bits) < kBinsPerWord; };
      const auto num_first = static_cast<size_t>(std::ranges::count_if(before, is_first));
      const size_t num_own = is_first(key) ? num_first : before.size() - num_first;
      const bool is_full = before.size() == kNarrowSlots || num_own == kMaxKeysPerBinWord;
      switch (PutNarrow(key, bits, words.data())) {
        case NarrowPut::kDone:
          REQUIRE_FALSE(is_hidden);
          REQUIRE_FALSE(is_full);
          return;
        case NarrowPut::kHidden:
          REQUIRE(is_hidden);
          REQUIRE(tests::FirstDifference(Shown(), before) == "");
          return AddKey(key, hidden);
        case NarrowPut::kNoSpace:
          REQUIRE_FALSE(is_hidden);
          REQUIRE(is_full);
          REQUIRE(tests::FirstDifference(Shown(), before) == "");
      }
      std::array<uint32_t, kMaxKeysPerBinWord> cut;
      const size_t num_cut = CutNarrow(key, bits, words.data(), cut);
      REQUIRE(num_cut > 0);
      for (size_t i = 0; i < num_cut; ++i) {
        REQUIRE(NarrowBin(cut[i], bits) == NarrowBin(cut[0], bits));
        AddKey(cut[i], hidden);
      }
      REQUIRE_FALSE(IsShownBin(cut[0]));
      ++num_cuts;
    }
  }

  void Erase(uint32_t key) {
    RemoveKey(key, keys);
    if (!IsPromotedNarrow(words.data())) return EncodeNarrow(keys, bits, words.data());
    if (std::ranges::binary_search(hidden, key)) {
      RemoveKey(key, hidden);
    } else {
      REQUIRE(TakeNarrow(key, bits, words.data()));
    }
    if (keys.size() > kNarrowSlots) return;
    const SortedKeys before = Shown();
    SortedKeys any_order = hidden;
    std::ranges::reverse(any_order);
    const bool is_returned = ReturnNarrow(any_order, bits, words.data());
    REQUIRE(is_returned == FitsNarrow(keys, bits));
    if (is_returned) {
      hidden.clear();
      ++num_returns;
    } else {
      REQUIRE(tests::FirstDifference(Shown(), before) == "");
    }
  }

  // Bytes of a block that is not promoted; what a promoted one shows, and its words' flags.
  void Check() const {
    if (!IsPromotedNarrow(words.data())) {
      std::array<uint32_t, kFingerprintBlockWords> want;
      EncodeNarrow(keys, bits, want.data());
      REQUIRE(words == want);
      REQUIRE(hidden.empty());
      return;
    }
    SortedKeys all;
    std::ranges::merge(Shown(), hidden, std::back_inserter(all));
    REQUIRE(tests::FirstDifference(all, keys) == "");
    SortedKeys distinct = Shown();
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    REQUIRE(distinct.size() == Shown().size());
    REQUIRE(words[13] >> 31 == 1);
    REQUIRE(words[15] >> 31 == 1);
    for (const uint32_t key : keys) {
      REQUIRE(std::ranges::binary_search(distinct, key) == IsShownBin(key));
      REQUIRE(CountNarrow(key, bits, words.data()) == size_t{IsShownBin(key)});
    }
    // Slots that no key is in are 0.
    for (size_t i = distinct.size(); i < kNarrowSlots; ++i) {
      REQUIRE((words[i / 4] >> (i % 4 * 8) & 0xff) == 0);
    }
  }

  uint32_t bits;
  alignas(64) std::array<uint32_t, kFingerprintBlockWords> words{};
  SortedKeys keys;
  SortedKeys hidden;
  size_t num_cuts = 0;
  size_t num_returns = 0;
};

TEST_CASE("a block that is promoted, cut and returned in place shows what a model says",
          "[kernels][narrow][long]") {
  const uint32_t bits = GENERATE(range(kMinNarrowBits, kMaxNarrowBits + 1));
  // Over all bins; most in the first half; most in the second; in a few bins.
  const int crowd = GENERATE(0, 1, 2, 3);
  std::mt19937_64 random(Catch::rngSeed() + bits);
  ChangedBlock block(bits);
  const auto drawn_key = [&] {
    const auto key = static_cast<uint32_t>(random() >> (64 - bits));
    const uint32_t half = 1U << (bits - 1);
    if (crowd == 3) return key & ~(0x3cU << (bits - kBinBits));
    if (crowd == 0 || random() % 4 == 0) return key;
    return crowd == 1 ? key & (half - 1) : key | half;
  };
  for (int step = 0; step < 3'000; ++step) {
    const bool is_rising = step / 150 % 2 == 0;
    if (block.keys.empty() || random() % 8 < (is_rising ? 5U : 3U)) {
      const bool is_copy = !block.keys.empty() && random() % 8 == 0;
      block.Insert(is_copy ? block.keys[random() % block.keys.size()] : drawn_key());
    } else {
      block.Erase(block.keys[random() % block.keys.size()]);
    }
    block.Check();
  }
  // 4 bins of keys of 8 or 9 bits are at most 32 keys.
  if (crowd != 3 || bits > 9) CHECK(block.num_cuts > 0);
  while (!block.keys.empty()) {
    block.Erase(block.keys[random() % block.keys.size()]);
    block.Check();
  }
  CHECK(block.num_returns > 0);
  CHECK(std::ranges::count(block.words, 0U) == kFingerprintBlockWords);
}

TEST_CASE("a promoted block takes no key that it does not show", "[kernels][narrow]") {
  ChangedBlock block(14);
  for (uint32_t i = 0; i < 60; ++i) block.Insert(i << 8 | 7);
  REQUIRE(IsPromotedNarrow(block.words.data()));
  for (uint32_t bin = 0; bin < kNarrowBins; ++bin) {
    for (const uint32_t slot : {0U, 6U, 8U, 255U}) {
      const auto before = block.words;
      CHECK_FALSE(TakeNarrow(bin << 8 | slot, 14, block.words.data()));
      CHECK(block.words == before);
      CHECK(CountNarrow(bin << 8 | slot, 14, block.words.data()) == 0);
    }
  }
}

}  // namespace
}  // namespace trommel::kernels
