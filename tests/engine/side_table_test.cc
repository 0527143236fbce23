// The side table against plain counters, block by block.
#include "engine/src/blocks/side_table.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/run_slice.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

using tests::BlockCounters;

// A promoted block: its keys, counters and presence bits.
struct ModelBlock {
  explicit ModelBlock(size_t num_slices) : want(num_slices), presence(want.PresenceWords()) {}

  void Hold(std::vector<uint64_t> digests) {
    want = BlockCounters(want.num_slices);
    for (const uint64_t digest : digests) want.Add(digest);
    presence = want.PresenceWords();
    keys = std::move(digests);
  }

  BlockCounters want;
  std::vector<uint32_t> presence;  // what the table changes
  std::vector<uint64_t> keys;
};

using Model = std::map<uint64_t, ModelBlock>;

// Empty if the table has the block's counters, and its presence bits are theirs.
std::string BlockDifference(const SideTable& table, uint64_t block_idx, const ModelBlock& block) {
  std::vector<uint64_t> got(block.want.counters.size(), 99);
  table.CopyTo(block_idx, block.presence.data(), got);
  if (got != block.want.counters) return "other counters";
  if (block.presence != block.want.PresenceWords()) return "other presence bits";
  const std::span<const uint64_t> runs = table.RunsOf(block_idx);
  const uint64_t num_keys = block.want.NumKeys();
  if (num_keys > 63 && !runs.empty()) return "runs of more than 63 keys";
  if (num_keys <= SideTable::kKeysToReturn && runs.empty()) return "no runs of few keys";
  for (const uint64_t slice : runs) {
    if (kernels::KeysOfRuns(slice) != num_keys) return "runs of another number of keys";
  }
  BlockCounters want = block.want;
  for (size_t i = 0; i < std::min<size_t>(block.keys.size(), 3); ++i) {
    for (size_t s = 0; s < want.num_slices; ++s) {
      const uint64_t digest = block.keys[i];
      if (table.CountAt(block_idx, digest, s, block.presence.data()) != want.At(digest, s)) {
        return "another count";
      }
    }
  }
  return "";
}

std::string TableDifference(const SideTable& table, const Model& model) {
  std::vector<uint64_t> blocks;
  for (const auto& [block_idx, block] : model) blocks.push_back(block_idx);
  if (table.SortedBlocks() != blocks || table.num_blocks() != blocks.size()) return "other blocks";
  for (const auto& [block_idx, block] : model) {
    const std::string difference = BlockDifference(table, block_idx, block);
    if (!difference.empty()) return "block " + std::to_string(block_idx) + ": " + difference;
  }
  return "";
}

constexpr uint64_t kBlocks = 128;
constexpr uint32_t kRangeBits = 2;

// One random change to table and model.
void Step(SideTable& table, Model& model, size_t num_slices, std::mt19937_64& random) {
  // Keys drawn from few, so that there are many copies, and numbers of keys on both sides of 63.
  const auto some_keys = [&](size_t least, size_t most) {
    return tests::DrawnDigests(least + random() % (most - least + 1), 1 + random() % 40, random());
  };
  const uint64_t block_idx = random() % kBlocks;
  const auto held = model.find(block_idx);
  const uint64_t dice = random() % 100;
  if (held == model.end()) {
    ModelBlock block(num_slices);
    block.Hold(dice < 50 ? some_keys(1, 63) : some_keys(20, 120));
    if (dice < 25) {
      std::vector<uint64_t> runs(num_slices);
      REQUIRE(MakeLongRuns(block.want.counters, runs));
      REQUIRE(table.PutRuns(block_idx, runs));
    } else {
      REQUIRE(table.Put(block_idx, block.want.counters));
    }
    model.insert_or_assign(block_idx, std::move(block));
    return;
  }
  ModelBlock& block = held->second;
  if (dice < 4) {
    table.Remove(block_idx);
    model.erase(held);
  } else if (dice < 8) {  // replaced
    block.Hold(some_keys(1, 120));
    REQUIRE(table.Put(block_idx, block.want.counters));
  } else if (dice < 10) {
    block.Hold(some_keys(1, 63));
    std::vector<uint64_t> runs(num_slices);
    REQUIRE(MakeLongRuns(block.want.counters, runs));
    REQUIRE(table.PutRuns(block_idx, runs));
  } else {  // a dozen keys one way
    for (size_t i = 0; i < 12; ++i) {
      if (dice % 2 == 0) {
        const bool is_copy = !block.keys.empty() && random() % 2 == 0;
        const uint64_t digest = is_copy ? block.keys[random() % block.keys.size()] : random();
        REQUIRE(table.Increment(block_idx, digest, block.presence.data()));
        block.want.Add(digest);
        block.keys.push_back(digest);
      } else if (!block.keys.empty()) {
        std::swap(block.keys[random() % block.keys.size()], block.keys.back());
        table.Decrement(block_idx, block.keys.back(), block.presence.data());
        block.want.Take(block.keys.back());
        block.keys.pop_back();
      }
      const std::string difference = BlockDifference(table, block_idx, block);
      if (!difference.empty()) FAIL(num_slices << " slices: " << difference);
    }
  }
}

TEST_CASE("random programs leave every block as its counters say", "[engine][side_table][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint32_t num_slices : tests::kAllShapes) {
    SideTable table(kBlocks, num_slices, kRangeBits);
    Model model;
    for (int step = 0; step < 2000; ++step) {
      Step(table, model, num_slices, random);
      if (step % 50 == 0) REQUIRE(TableDifference(table, model) == "");
      if (step % 400 != 399) continue;
      // Copied, range by range, into a table with other blocks; the program continues with the
      // copy.
      SideTable copy(kBlocks, num_slices, kRangeBits);
      Model others;
      for (int i = 0; i < 50; ++i) Step(copy, others, num_slices, random);
      for (uint64_t range = 0; range < 4; ++range) copy.CopyOwnedRange(table, range);
      REQUIRE(TableDifference(copy, model) == "");
      table.Clear();
      CHECK(table.num_bytes() == 0);
      table = std::move(copy);
    }
    for (const uint64_t block_idx : table.SortedBlocks()) table.Remove(block_idx);
    CHECK(table.num_bytes() == 0);
  }
}

TEST_CASE("a block changes to exact counters with 64 keys and back to runs with 56",
          "[engine][side_table]") {
  for (const uint32_t num_slices : tests::kAllShapes) {
    SideTable table(1, num_slices, 0);
    ModelBlock block(num_slices);
    block.Hold({1});
    REQUIRE(table.PutRuns(0, std::vector<uint64_t>(num_slices, kernels::kOneKeyRuns)));
    for (int round = 0; round < 3; ++round) {
      for (uint64_t digest = 2; digest <= 70; ++digest) {
        REQUIRE(table.Increment(0, digest << 20, block.presence.data()));
        block.want.Add(digest << 20);
        CHECK(table.RunsOf(0).empty() == (digest > 63));
        REQUIRE(BlockDifference(table, 0, block) == "");
      }
      for (uint64_t digest = 70; digest >= 2; --digest) {
        table.Decrement(0, digest << 20, block.presence.data());
        block.want.Take(digest << 20);
        CHECK(table.RunsOf(0).empty() == (digest - 1 > 56));
        REQUIRE(BlockDifference(table, 0, block) == "");
      }
    }
  }
}

TEST_CASE("blocks whose slices hold different numbers of keys are kept exactly",
          "[engine][side_table]") {
  SideTable table(64, 8, 3);
  std::vector<uint64_t> uneven(256, 0);
  uneven[3] = 5;
  uneven[255] = 1;
  REQUIRE(table.Put(9, uneven));
  std::vector<uint64_t> got(256, 99);
  const std::vector<uint32_t> presence(8);
  table.CopyTo(9, presence.data(), got);
  CHECK(got == uneven);
  CHECK(table.RunsOf(9).empty());
}

TEST_CASE("a block in runs takes 128 bytes at most in every shape of up to ten slices",
          "[engine][side_table]") {
  for (const uint32_t num_slices : tests::kAllShapes) {
    if (num_slices > 10) continue;
    const std::vector<uint64_t> runs(num_slices, kernels::kOneKeyRuns);
    SideTable one(5000, num_slices, 0);
    for (uint64_t b = 0; b < 5000; ++b) {
      REQUIRE(one.PutRuns(b, runs));
      if (one.num_bytes() > 128 * one.num_blocks()) FAIL(b << ": " << one.num_bytes());
      if (one.num_bytes() < (8 + 8 * num_slices) * one.num_blocks()) FAIL(b);
    }
    SideTable many(64 * 100, num_slices, 6);  // three in each of 64 owned ranges
    for (uint64_t b = 0; b < 64 * 100; b += 34) REQUIRE(many.PutRuns(b, runs));
    CHECK(many.num_bytes() <= 128 * many.num_blocks());
    CHECK(many.num_bytes(63) <= 3 * 128);
  }
}

TEST_CASE("num_bytes includes the counters of crowded blocks", "[engine][side_table]") {
  SideTable table(64, 8, 3);
  for (const uint64_t block_idx : {63, 8, 7, 0, 15}) {
    REQUIRE(table.Put(block_idx, std::vector<uint64_t>(256, 2)));
  }
  CHECK(table.SortedBlocks() == std::vector<uint64_t>{0, 7, 8, 15, 63});
  CHECK(table.num_bytes() > 5 * (72 + 256));
  CHECK(table.num_bytes(2) == 0);
  CHECK(table.num_bytes(1) > table.num_bytes(7));
  REQUIRE(table.Put(63, std::vector<uint64_t>(256, 1 << 20)));
  CHECK(table.num_bytes(7) > 72 + 3 * 256);
  REQUIRE(table.Put(63, std::vector<uint64_t>(256, 1)));  // 32 keys: the integers go
  CHECK(table.num_bytes(7) <= 128);
  table.Remove(64 - 2);  // not there: nothing happens
  CHECK(table.num_blocks() == 5);
}

}  // namespace
}  // namespace trommel
