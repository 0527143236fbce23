// One block of runs, taken apart and put together, against words written out by hand and against
// the reference's.
#include "kernels/run_block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/reference.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using Words32 = std::vector<uint32_t>;

size_t SlicesOfRuns() { return GENERATE(size_t{4}, size_t{5}, size_t{8}, size_t{10}); }

// One block as arrays, full of other bits.
struct RunWords {
  explicit RunWords(size_t num_slices)
      : presence(PresenceWords(num_slices), 0x5a5a5a5a),
        counts(RunBlockWords(num_slices) - presence.size(), 0xc3c3c3c3) {}

  Words32 presence;
  Words32 counts;
};

// Counters of a block: `count` at a position of each slice, for each of these.
struct At {
  size_t position;
  uint64_t count;
};
std::vector<uint64_t> InEachSlice(size_t num_slices, const std::vector<At>& counts) {
  std::vector<uint64_t> counters(num_slices * SlicePositions(num_slices));
  for (size_t s = 0; s < num_slices; ++s) {
    for (const At& at : counts) counters[s * SlicePositions(num_slices) + at.position] += at.count;
  }
  return counters;
}

// Random keys, some of them again and again.
std::vector<uint64_t> RandomCounters(size_t num_slices, size_t num_keys, uint64_t seed) {
  ReferenceFilter reference(1, {num_slices, true});
  for (const uint64_t digest : tests::DrawnDigests(num_keys, 1 + num_keys / 2, seed)) {
    reference.Insert(digest);
  }
  return reference.counters();
}

struct Literal {
  size_t num_slices;
  std::vector<uint64_t> counters;
  Words32 presence;
  Words32 counts;
};

// Slices of 37 keys whose runs begin at bits 0 and 32 + s % 5: a high bit for each slice.
std::vector<uint64_t> HighBits(size_t num_slices) {
  std::vector<uint64_t> counters(num_slices * 64);
  for (size_t s = 0; s < num_slices; ++s) {
    counters[s * 64] = 32 + s % 5;
    counters[s * 64 + 63] = 37 - (32 + s % 5);
  }
  return counters;
}
// 0x21 | 0x22 << 6 | 0x24 << 12 | 0x28 << 18 | 0x30 << 24: bit s, and the closing 1.
constexpr uint32_t kFiveHighParts = 0x30a248a1;

template <class T>
std::vector<T> Times(size_t times, const std::vector<T>& list) {
  std::vector<T> all;
  for (size_t i = 0; i < times; ++i) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<Literal> Literals() {
  const auto zeros = [](size_t n) { return Words32(n, 0); };
  const auto with = [](Words32 words, const Words32& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  // The picture of run_slice.h: 1 at position 0, 3 at 1, 1 at 3. Then full blocks.
  const std::vector<At> picture = {{0, 1}, {1, 3}, {3, 1}};
  return {
      {8, InEachSlice(8, {}), zeros(8), zeros(8)},
      {8, InEachSlice(8, picture), Words32(8, 0b1011), Words32(8, 0b110011)},
      {8, InEachSlice(8, {{31, 31}}), Words32(8, 0x80000000), Words32(8, 0x80000001)},
      {4, InEachSlice(4, picture), Times<uint32_t>(4, {0b1011, 0}),
       Times<uint32_t>(4, {0b110011, 0})},
      {4, InEachSlice(4, {{31, 1}, {32, 1}, {63, 1}}), Times<uint32_t>(4, {0x80000000, 0x80000001}),
       Times<uint32_t>(4, {0b1111, 0})},
      {4, InEachSlice(4, {{2, 63}}), Times<uint32_t>(4, {4, 0}),
       Times<uint32_t>(4, {1, 0x80000000})},
      {5, InEachSlice(5, picture), Times<uint32_t>(5, {0b1011, 0}),
       with(Words32(5, 0b110011), {0})},
      // 32 keys: the closing 1 is the first of the high bits. 31: the last of the low ones.
      {5, InEachSlice(5, {{6, 32}}), Times<uint32_t>(5, {64, 0}), with(Words32(5, 1), {0x1041041})},
      {5, InEachSlice(5, {{6, 31}}), Times<uint32_t>(5, {64, 0}),
       with(Words32(5, 0x80000001), {0})},
      {5, HighBits(5), Times<uint32_t>(5, {1, 0x80000000}), with(Words32(5, 1), {kFiveHighParts})},
      {10, InEachSlice(10, picture), Times<uint32_t>(10, {0b1011, 0}),
       with(Words32(10, 0b110011), {0, 0})},
      {10, HighBits(10), Times<uint32_t>(10, {1, 0x80000000}),
       with(Words32(10, 1), {0x70a248a1, 0x0c289228})},
  };
}

TEST_CASE("blocks of runs are the words written by hand, and back", "[kernels][run_block]") {
  for (const Literal& literal : Literals()) {
    INFO(literal.num_slices << " slices");
    RunWords words(literal.num_slices);
    EncodeRuns(literal.counters, literal.num_slices, words.presence.data(), words.counts.data());
    CHECK(tests::FirstDifference(words.presence, literal.presence) == "");
    CHECK(tests::FirstDifference(words.counts, literal.counts) == "");
    std::vector<uint64_t> decoded(literal.counters.size(), 99);
    DecodeRuns(literal.presence.data(), literal.counts.data(), literal.num_slices, decoded);
    CHECK(tests::FirstDifference(decoded, literal.counters) == "");
  }
}

TEST_CASE("decoding undoes encoding, and each count is found alone", "[kernels][run_block]") {
  const size_t num_slices = SlicesOfRuns();
  const size_t positions = SlicePositions(num_slices);
  for (size_t num_keys = 0; num_keys <= RunCapacity(num_slices); ++num_keys) {
    const auto counters = RandomCounters(num_slices, num_keys, Catch::rngSeed() + num_keys);
    REQUIRE(FitsRuns(counters, num_slices));
    RunWords words(num_slices);
    EncodeRuns(counters, num_slices, words.presence.data(), words.counts.data());
    CHECK_FALSE(IsPromotedRunBlock(words.presence.data(), words.counts.data(), num_slices));
    std::vector<uint64_t> decoded(counters.size(), 99);
    DecodeRuns(words.presence.data(), words.counts.data(), num_slices, decoded);
    CHECK(tests::FirstDifference(decoded, counters) == "");
    for (size_t i = 0; i < counters.size(); ++i) {
      REQUIRE(RunCountAt(words.presence.data(), words.counts.data(), num_slices, i / positions,
                         static_cast<uint32_t>(i % positions)) == counters[i]);
    }
  }
}

TEST_CASE("encoding a block of runs gives the reference's words", "[kernels][run_block]") {
  const size_t num_slices = SlicesOfRuns();
  for (size_t size = 0; size < 80; ++size) {
    ReferenceFilter reference(1, {num_slices, true});
    for (const uint64_t digest : tests::DrawnDigests(size, size + 1, Catch::rngSeed() + size)) {
      reference.Insert(digest);
    }
    const bool fits = FitsRuns(reference.counters(), num_slices);
    REQUIRE(fits == reference.PromotedBlocks().empty());
    RunWords words(num_slices);
    words.presence = reference.PresenceWords();
    if (fits) {
      EncodeRuns(reference.counters(), num_slices, words.presence.data(), words.counts.data());
      REQUIRE(words.presence == reference.PresenceWords());
    } else {
      MarkPromotedRunBlock(words.counts.data(), num_slices);
    }
    REQUIRE(words.counts == reference.CountWords());
    REQUIRE(IsPromotedRunBlock(words.presence.data(), words.counts.data(), num_slices) == !fits);
  }
}

TEST_CASE("a block is promoted when it shows keys and has no strings", "[kernels][run_block]") {
  const size_t num_slices = SlicesOfRuns();
  const auto counters = RandomCounters(num_slices, 9, Catch::rngSeed());
  RunWords words(num_slices);
  EncodeRuns(counters, num_slices, words.presence.data(), words.counts.data());
  const Words32 before = words.presence;
  MarkPromotedRunBlock(words.counts.data(), num_slices);
  CHECK(words.counts == Words32(words.counts.size(), 0));
  CHECK(words.presence == before);
  CHECK(IsPromotedRunBlock(words.presence.data(), words.counts.data(), num_slices));
  std::ranges::fill(words.presence, 0);
  CHECK_FALSE(IsPromotedRunBlock(words.presence.data(), words.counts.data(), num_slices));
  // Any bit of slice 0 shows keys.
  for (size_t position = 0; position < SlicePositions(num_slices); ++position) {
    words.presence[position / 32] = uint32_t{1} << (position % 32);
    REQUIRE(IsPromotedRunBlock(words.presence.data(), words.counts.data(), num_slices));
    words.presence[position / 32] = 0;
  }
}

TEST_CASE("a block of runs fits to its last key and is returned four keys earlier",
          "[kernels][run_block]") {
  struct Edge {
    size_t num_slices;
    uint64_t capacity;
  };
  for (const Edge edge : {Edge{4, 63}, Edge{5, 37}, Edge{8, 31}, Edge{10, 37}}) {
    INFO(edge.num_slices << " slices");
    CHECK(RunCapacity(edge.num_slices) == edge.capacity);
    // One position many times, or a key at each of many.
    for (const bool is_hot : {true, false}) {
      for (uint64_t num_keys = 0; num_keys < 70; ++num_keys) {
        std::vector<At> counts;
        for (uint64_t i = 0; i < num_keys; ++i) counts.push_back({is_hot ? 0 : i % 32, 1});
        const auto counters = InEachSlice(edge.num_slices, counts);
        REQUIRE(FitsRuns(counters, edge.num_slices) == (num_keys <= edge.capacity));
        REQUIRE(HaveDrainedForRuns(counters, edge.num_slices) == (num_keys <= edge.capacity - 2));
        REQUIRE(HasDrainedForRuns(num_keys, edge.num_slices) == (num_keys <= edge.capacity - 2));
      }
    }
    CHECK_FALSE(HasDrainedForRuns(uint64_t{1} << 63, edge.num_slices));
  }
}

TEST_CASE("spare bits between strings are strays", "[kernels][run_block]") {
  std::array<uint32_t, 6> five{};
  for (uint32_t bit = 0; bit < 32; ++bit) {
    five[5] = uint32_t{1} << bit;
    CHECK(RunStrings<5>(five.data()).HasStrayBits() == (bit >= 30));
  }
  std::array<uint32_t, 12> ten{};
  for (uint32_t bit = 0; bit < 64; ++bit) {
    ten[10] = bit < 32 ? uint32_t{1} << bit : 0;
    ten[11] = bit < 32 ? 0 : uint32_t{1} << (bit - 32);
    CHECK(RunStrings<10>(ten.data()).HasStrayBits() == (bit >= 60));
  }
  std::array<uint32_t, 8> all;
  all.fill(~0U);
  CHECK_FALSE(RunStrings<8>(all.data()).HasStrayBits());
  CHECK_FALSE(RunStrings<4>(all.data()).HasStrayBits());
}

}  // namespace
}  // namespace trommel::kernels
