// One block of slots of 8 bits, taken apart and put together, against words written out by hand.
#include "kernels/narrow_block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "support/catch.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using NarrowKeys = std::vector<uint32_t>;

// A block that is full of other bits before it is written.
struct NarrowBlockWords {
  NarrowBlockWords() { words.fill(0xa5a5a5a5); }
  std::vector<uint32_t> Copy() const { return {words.begin(), words.end()}; }
  NarrowKeys Keys(uint32_t fingerprint_bits) const {
    std::array<uint32_t, kNarrowSlots> keys;
    return {keys.begin(), keys.begin() + DecodeNarrow(words.data(), fingerprint_bits, keys)};
  }

  alignas(64) std::array<uint32_t, kFingerprintBlockWords> words;
};

NarrowKeys EqualKeys(size_t count, uint32_t bin) { return NarrowKeys(count, bin << 8); }

NarrowKeys JoinedKeys(NarrowKeys keys, const NarrowKeys& others) {
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

TEST_CASE("a block without keys is all zero", "[kernels][narrow]") {
  const auto bits = GENERATE(kMinNarrowBits, kMaxNarrowBits);
  NarrowBlockWords block;
  EncodeNarrow({}, bits, block.words.data());
  CHECK(block.Copy() == std::vector<uint32_t>(kFingerprintBlockWords, 0));
  CHECK(block.Keys(bits).empty());
  CHECK(ShownBins(block.words.data()) == ~uint64_t{0});
}

TEST_CASE("the words of a block are those that the layout says", "[kernels][narrow]") {
  // Bin 1: slots 0x05, 0xab. Bin 31: 0x01. Bin 63: 0xff, 0xff.
  const NarrowKeys keys = {0x0105, 0x01ab, 0x1f01, 0x3fff, 0x3fff};
  NarrowBlockWords block;
  EncodeNarrow(keys, 14, block.words.data());
  std::vector<uint32_t> want(kFingerprintBlockWords, 0);
  want[0] = 0xff01ab05;
  want[1] = 0x000000ff;
  // Bits 0 1 2 3 are 1 | 0 0 1, then 29 bins of a 1 up to bit 32, then 0 1: bits 33 and 34.
  want[12] = 0x00000006;
  want[13] = 0x00000005;
  // 31 ones up to bit 30, then 0 0 1: bits 31 to 33.
  want[14] = 0x80000000;
  want[15] = 0x00000002;
  CHECK(tests::FirstDifference(block.Copy(), want) == "");
  CHECK(block.Keys(14) == keys);
}

TEST_CASE("keys that fit a block come back from it", "[kernels][narrow]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (uint32_t bits = kMinNarrowBits; bits <= kMaxNarrowBits; ++bits) {
    for (int round = 0; round < 300; ++round) {
      NarrowKeys keys(random() % 50);
      const uint64_t num_distinct = round % 3 == 0 ? 8 : uint64_t{1} << bits;
      const uint64_t scale = (uint64_t{1} << bits) / num_distinct;
      for (uint32_t& key : keys) key = static_cast<uint32_t>(random() % num_distinct * scale);
      std::ranges::sort(keys);
      if (!FitsNarrow(keys, bits)) continue;
      NarrowBlockWords block;
      EncodeNarrow(keys, bits, block.words.data());
      REQUIRE(tests::FirstDifference(block.Keys(bits), keys) == "");
      REQUIRE(ShownBins(block.words.data()) == ~uint64_t{0});
      REQUIRE_FALSE(IsPromotedNarrow(block.words.data()));
    }
  }
}

TEST_CASE("a block takes 48 keys and 31 in each half of its bins", "[kernels][narrow]") {
  CHECK(FitsNarrow({}, 14));
  CHECK(FitsNarrow(EqualKeys(31, 0), 14));
  CHECK_FALSE(FitsNarrow(EqualKeys(32, 0), 14));
  CHECK(FitsNarrow(EqualKeys(31, 31), 14));
  CHECK_FALSE(FitsNarrow(EqualKeys(32, 31), 14));
  CHECK(FitsNarrow(EqualKeys(31, 32), 14));
  CHECK_FALSE(FitsNarrow(EqualKeys(32, 63), 14));
  CHECK(FitsNarrow(JoinedKeys(EqualKeys(24, 0), EqualKeys(24, 32)), 14));
  CHECK(FitsNarrow(JoinedKeys(EqualKeys(31, 31), EqualKeys(17, 32)), 14));
  CHECK_FALSE(FitsNarrow(JoinedKeys(EqualKeys(24, 31), EqualKeys(25, 32)), 14));
  CHECK_FALSE(FitsNarrow(JoinedKeys(EqualKeys(31, 31), EqualKeys(18, 32)), 14));
}

TEST_CASE("a promoted block shows whole bins until one does not fit its half",
          "[kernels][narrow]") {
  std::mt19937_64 random(Catch::rngSeed());
  size_t num_cut[2] = {};
  for (int round = 0; round < 500; ++round) {
    const uint32_t bits = kMinNarrowBits + static_cast<uint32_t>(random() % 7);
    std::vector<uint32_t> keys(random() % 120);
    for (uint32_t& key : keys) key = static_cast<uint32_t>(random() >> (64 - bits));
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    // What is shown, half by half.
    NarrowKeys want;
    uint64_t want_shown = 0;
    for (uint32_t half = 0; half < 2; ++half) {
      size_t keys_of_half = 0;
      for (uint32_t bin = half * 32; bin < half * 32 + 32; ++bin) {
        NarrowKeys of_bin;
        std::ranges::copy_if(keys, std::back_inserter(of_bin),
                             [&](uint32_t key) { return NarrowBin(key, bits) == bin; });
        keys_of_half += of_bin.size();
        if (keys_of_half > 31 || want.size() + of_bin.size() > 48) {
          ++num_cut[half];
          break;
        }
        want = JoinedKeys(want, of_bin);
        want_shown |= uint64_t{1} << bin;
      }
    }
    NarrowBlockWords block;
    REQUIRE(EncodePromotedNarrow(keys, bits, block.words.data()) == want_shown);
    REQUIRE(ShownBins(block.words.data()) == want_shown);
    REQUIRE(tests::FirstDifference(block.Keys(bits), want) == "");
    REQUIRE(IsPromotedNarrow(block.words.data()));
    REQUIRE(block.words[13] >> 31 == 1);
    REQUIRE(block.words[15] >> 31 == 1);
    if (~want_shown != 0) continue;
    // Without the marks it is the block of these keys.
    block.words[13] &= 0x7fffffff;
    block.words[15] &= 0x7fffffff;
    NarrowBlockWords plain;
    EncodeNarrow(keys, bits, plain.words.data());
    REQUIRE(block.Copy() == plain.Copy());
  }
  CHECK(num_cut[0] > 0);
  CHECK(num_cut[1] > 0);
}

}  // namespace
}  // namespace trommel::kernels
