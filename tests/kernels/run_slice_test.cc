// Run strings against literal lists of counts.
#include "kernels/run_slice.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>

#include "support/catch.h"

namespace trommel::kernels {
namespace {

using Counts = std::array<uint32_t, 64>;

uint64_t Presence(const Counts& counts) {
  uint64_t presence = 0;
  for (size_t i = 0; i < counts.size(); ++i) presence |= uint64_t{counts[i] > 0} << i;
  return presence;
}

uint32_t Keys(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0U); }

// The picture of run_slice.h, bit by bit.
uint64_t Runs(const Counts& counts) {
  uint64_t runs = 0;
  uint32_t at = 0;
  for (const uint32_t count : counts) {
    if (count == 0) continue;
    runs |= uint64_t{1} << at;
    at += count;
  }
  return at == 0 ? 0 : runs | uint64_t{1} << at;
}

// Up to 63 keys at a few or many positions.
Counts RandomCounts(std::mt19937_64& random) {
  Counts counts{};
  const uint64_t num_positions = 1 + random() % 64;
  for (uint64_t left = random() % 64; left > 0; --left) counts[random() % num_positions] += 1;
  return counts;
}

// Its last two positions are present, or one of them, or none.
Counts CountsAtTheEnd(std::mt19937_64& random) {
  Counts counts{};
  counts[63] = static_cast<uint32_t>(random() % 32);
  counts[62] = static_cast<uint32_t>(random() % 32);
  return counts;
}

TEST_CASE("the string of a slice is the picture's", "[kernels][run_slice]") {
  CHECK(Runs({1, 3, 0, 1}) == 0b110011);
  CHECK(Runs({0, 0, 1}) == kOneKeyRuns);
  CHECK(Runs({63}) == (uint64_t{1} << 63 | 1));
  CHECK(KeysOfRuns(0b110011) == 5);
  CHECK(KeysOfRuns(0) == 0);
}

TEST_CASE("the k-th one of a word is where counting finds it", "[kernels][run_slice]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (int round = 0; round < 3000; ++round) {
    uint64_t word = random();
    if (round % 3 == 1) word &= random() & random();  // few ones
    if (round % 3 == 2) word |= random() | random();  // many
    if (round == 0) word = ~uint64_t{0};
    if (round == 1) word = uint64_t{1} << 63;
    uint32_t k = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      if ((word >> bit & 1) == 0) continue;
      if (SelectOne(word, k) != uint64_t{1} << bit) FAIL("one " << k << " of " << word);
      ++k;
    }
  }
}

TEST_CASE("each key more, key less and count is that of the list", "[kernels][run_slice]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (int round = 0; round < 1000; ++round) {
    const Counts counts = round % 8 == 0 ? CountsAtTheEnd(random) : RandomCounts(random);
    const uint32_t num_keys = Keys(counts);
    const uint64_t runs = Runs(counts);
    if (KeysOfRuns(runs) != num_keys) FAIL("keys of " << runs);
    if (num_keys == 0) continue;
    for (uint32_t i = 0; i < counts.size(); ++i) {
      INFO("position " << i << " of runs " << runs << ", presence " << Presence(counts));
      const uint64_t end = RunEnd(Presence(counts), runs, i);
      for (const uint32_t more : {1U, 2U, 9U, 63U - num_keys}) {
        if (more == 0 || num_keys + more > 63) continue;
        Counts want = counts;
        want[i] += more;
        if (WithKeys(runs, end, counts[i] > 0, more) != Runs(want)) FAIL(more << " more");
        if (more == 1 && WithKey(runs, end, counts[i] > 0) != Runs(want)) FAIL("one more");
      }
      if (counts[i] == 0) continue;
      if (RunCount(runs, end) != counts[i]) FAIL("count");
      if (IsLastOfRun(runs, end) != (counts[i] == 1)) FAIL("last");
      Counts less = counts;
      less[i] -= 1;
      // Of an only key, the closing 1 remains; a caller that needs 0 there writes it.
      const uint64_t want = num_keys == 1 ? 1 : Runs(less);
      if (WithKeysLess(runs, end, 1) != want) FAIL("a key less");
      for (uint32_t fewer = 2; fewer <= counts[i] && fewer < num_keys; ++fewer) {
        less[i] = counts[i] - fewer;
        if (WithKeysLess(runs, end, fewer) != Runs(less)) FAIL(fewer << " keys less");
      }
    }
  }
}

TEST_CASE("a count above a limit is found whatever it stands between", "[kernels][run_slice]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (int round = 0; round < 1000; ++round) {
    const Counts counts = round % 8 == 0 ? CountsAtTheEnd(random) : RandomCounts(random);
    const uint32_t largest = *std::max_element(counts.begin(), counts.end());
    for (uint32_t limit = 0; limit < 70; ++limit) {
      if (HasCountAbove(Runs(counts), limit) != (largest > limit)) {
        FAIL("limit " << limit << ", runs " << Runs(counts));
      }
    }
  }
  for (uint32_t count = 1; count < 64; ++count) {
    CHECK(HasCountAbove(Runs({count}), count - 1));
    CHECK_FALSE(HasCountAbove(Runs({count}), count));
  }
  CHECK_FALSE(HasCountAbove(0, 0));
  CHECK_FALSE(HasCountAbove(1, 0));  // the closing 1 alone
}

}  // namespace
}  // namespace trommel::kernels
