// The map from block to words, against std::set and known words.
#include "engine/src/blocks/block_word_map.h"

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "support/catch.h"

namespace trommel {
namespace {

// The words of a block in these tests: never zero.
uint64_t WordFor(uint64_t block_idx, size_t word_idx) { return block_idx * 16 + word_idx + 1; }

void Fill(BlockWordMap& words, uint64_t block_idx, size_t per_block) {
  uint64_t* entry = words.FindOrMake(block_idx);
  for (size_t i = 0; i < per_block; ++i) entry[i] = WordFor(block_idx, i);
}

// Exactly the blocks of `want` are there, each with its words.
bool HoldsExactly(const BlockWordMap& words, const std::set<uint64_t>& want, size_t per_block) {
  std::set<uint64_t> got;
  for (size_t i = 0; i < words.size(); ++i) got.insert(words.BlockAt(i));
  if (got != want || words.size() != want.size()) return false;
  for (const uint64_t block_idx : want) {
    const uint64_t* entry = words.Find(block_idx);
    for (size_t i = 0; i < per_block; ++i) {
      if (entry == nullptr || entry[i] != WordFor(block_idx, i)) return false;
    }
  }
  return true;
}

TEST_CASE("blocks with one place in the index and one tag keep words of their own",
          "[engine][block_word_map]") {
  // A multiple of this has the multiplier as its hash, before the low half is dropped.
  constexpr uint64_t kInverse = 0xf1de83e19937733dULL;  // of the golden ratio, modulo 2^64
  static_assert(kInverse * 0x9e3779b97f4a7c15ULL == 1);
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> blocks;
  for (uint64_t place = 0; place < 4; ++place) {
    for (uint64_t i = 0; i < 6; ++i) blocks.push_back(kInverse * (place << 62 | i));
  }
  BlockWordMap words(2);
  std::set<uint64_t> want;
  for (int step = 0; step < 2000; ++step) {
    const uint64_t block_idx = blocks[random() % blocks.size()];
    words.PrefetchIndex(block_idx);
    words.PrefetchEntry(block_idx);
    if (want.contains(block_idx)) {
      words.Remove(block_idx);
      want.erase(block_idx);
    } else {
      Fill(words, block_idx, 2);
      want.insert(block_idx);
    }
    if (!HoldsExactly(words, want, 2)) FAIL("at step " << step);
  }
}

TEST_CASE("entries that are removed give back memory and the others keep their words",
          "[engine][block_word_map]") {
  BlockWordMap words(5);
  for (uint64_t block = 0; block < 1'000; ++block) *words.FindOrMake(block) = block * 7;
  for (uint64_t block = 999; block >= 10; --block) {
    words.Remove(block);
    // Five eighths more than the 48 bytes that each takes, and the index of 1,000.
    const uint64_t most = (block * 13 / 8 + 4) * 48 + 2'048 * 4;
    if (words.num_bytes() > most) FAIL(words.num_bytes() << " bytes for " << block);
  }
  for (uint64_t block = 0; block < 10; ++block) CHECK(*words.Find(block) == block * 7);
}

TEST_CASE("entries grow by a quarter and the last one frees them all", "[engine][block_word_map]") {
  BlockWordMap words(4);
  CHECK(words.num_bytes() == 0);
  CHECK(words.Find(0) == nullptr);
  words.Remove(0);  // nothing happens
  for (uint64_t b = 0; b < 20'000; ++b) {
    Fill(words, b * 7, 4);
    // A quarter more than there are, one for the smallest, and the index.
    const uint64_t entries = b + 1;
    const uint64_t most = (entries + entries / 4 + 1) * 40 + (entries * 32 + 11) / 3 + 16;
    if (words.num_bytes() > most) FAIL(words.num_bytes() << " bytes for " << entries);
    if (words.num_bytes() < entries * 44) FAIL(words.num_bytes() << " bytes for " << entries);
  }
  const BlockWordMap copy = words;
  for (uint64_t b = 0; b < 20'000; ++b) words.Remove(b * 7);
  CHECK(words.size() == 0);
  CHECK(words.num_bytes() == 0);
  CHECK(copy.size() == 20'000);
  CHECK(copy.Find(7 * 19'999)[3] == WordFor(7 * 19'999, 3));
}

TEST_CASE("reserved memory is neither grown nor freed", "[engine]") {
  for (const size_t most : {1, 2, 3, 4, 100, 96, 97}) {
    BlockWordMap words(5);
    Fill(words, 1, 5);
    words.Reserve(most);
    const uint64_t num_bytes = words.num_bytes();
    CHECK(num_bytes == words.BytesFor(most));
    CHECK(words.EntriesWithin(num_bytes) == most);
    CHECK(words.EntriesWithin(num_bytes - 1) < most);
    CHECK(words.EntriesWithin(num_bytes - 1) + 1 == most);
    CHECK(HoldsExactly(words, {1}, 5));
    for (int round = 0; round < 3; ++round) {
      for (uint64_t b = 1; b <= most; ++b) {
        CHECK((words.has_space() || words.Find(b) != nullptr));
        Fill(words, b, 5);
      }
      CHECK_FALSE(words.has_space());
      CHECK(words.num_bytes() == num_bytes);
      for (uint64_t b = 1; b <= most; ++b) words.Remove(b);
      CHECK(words.num_bytes() == num_bytes);
      CHECK(words.has_space());
    }
    Fill(words, 7, 5);
    words.Clear();
    CHECK(words.num_bytes() == num_bytes);
    CHECK(HoldsExactly(words, {}, 5));
    Fill(words, 9, 5);
    words.LiftLimit();
    words.Remove(9);
    CHECK(words.num_bytes() == 0);
    words.Reserve(most);
    words.LiftLimit();
    CHECK(words.num_bytes() == 0);
  }
  CHECK(BlockWordMap(5).EntriesWithin(~uint64_t{0}) > uint64_t{1} << 58);
  CHECK(BlockWordMap(5).EntriesWithin(0) == 0);
  CHECK(BlockWordMap(5).EntriesWithin(BlockWordMap(5).BytesFor(1) - 1) == 0);
}

}  // namespace
}  // namespace trommel
