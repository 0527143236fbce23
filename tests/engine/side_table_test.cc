// The side table: the form it keeps a block in, and its memory. Its contents are tested as block
// stores'.
#include "engine/src/blocks/side_table.h"

#include <cstdint>
#include <vector>

#include "kernels/reference.h"
#include "kernels/run_slice.h"
#include "support/catch.h"
#include "support/shapes.h"

namespace trommel {
namespace {

TEST_CASE("a block changes to exact counters with 64 keys and back to runs with 56",
          "[engine][side_table]") {
  for (const uint32_t num_slices : tests::kAllShapes) {
    SideTable table(1, num_slices, 0);
    kernels::ReferenceFilter want(1, {num_slices, true});
    want.Insert(1);
    std::vector<uint32_t> presence = want.PresenceWords();
    REQUIRE(table.PutRuns(0, std::vector<uint64_t>(num_slices, kernels::kOneKeyRuns)));
    const auto check = [&](bool has_runs) {
      std::vector<uint64_t> got(want.counters().size(), 99);
      table.CopyTo(0, presence.data(), got);
      CHECK(table.RunsOf(0).empty() != has_runs);
      REQUIRE((got == want.counters() && presence == want.PresenceWords()));
    };
    for (int round = 0; round < 3; ++round) {
      for (uint64_t digest = 2; digest <= 70; ++digest) {
        REQUIRE(table.Increment(0, digest << 20, presence.data()));
        want.Insert(digest << 20);
        check(digest <= 63);
      }
      for (uint64_t digest = 70; digest >= 2; --digest) {
        table.Decrement(0, digest << 20, presence.data());
        want.Erase(digest << 20);
        check(digest - 1 <= 56);
      }
    }
  }
}

TEST_CASE("a block is promoted in the form that takes the next key", "[engine][side_table]") {
  for (const uint64_t num_keys : {62, 63}) {
    SideTable table(1, 8, 0);
    std::vector<uint64_t> counters(256, 0);
    for (size_t s = 0; s < 8; ++s) counters[32 * s] = num_keys;
    REQUIRE(table.Promote(0, counters));
    CHECK(table.RunsOf(0).empty() == (num_keys == 63));
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
