// The side table: counters of any size, exactly.
#include "engine/src/side_table.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("counters widen at each limit without losing their neighbours", "[engine][side_table]") {
  const uint64_t limit = GENERATE(uint64_t{0xff}, uint64_t{0xffff}, uint64_t{0xffffffff});
  std::vector<uint64_t> want(256);
  for (size_t i = 0; i < want.size(); ++i) want[i] = i;
  want[17] = limit;
  ExactCounters counters(want);
  const uint64_t narrow_bytes = counters.num_bytes();
  counters.Add(17);
  want[17] += 1;
  CHECK(counters.num_bytes() == 2 * narrow_bytes);
  std::vector<uint64_t> got(want.size());
  counters.CopyTo(got);
  CHECK(got == want);
  for (size_t i = 0; i < want.size(); ++i) REQUIRE(counters.At(i) == want[i]);
  CHECK(counters.Take(17) == limit);
  CHECK(counters.At(17) == limit);
  CHECK(counters.At(16) == 16);
  CHECK(counters.At(18) == 18);
}

TEST_CASE("counters begin as narrow as the largest of them allows", "[engine][side_table]") {
  const std::vector<uint64_t> narrow(256, 255);
  CHECK(ExactCounters(narrow).num_bytes() == 256);
  std::vector<uint64_t> wide = narrow;
  wide[0] = 256;
  CHECK(ExactCounters(wide).num_bytes() == 512);
  wide[0] = uint64_t{1} << 16;
  CHECK(ExactCounters(wide).num_bytes() == 1024);
  wide[0] = std::numeric_limits<uint64_t>::max();
  CHECK(ExactCounters(wide).num_bytes() == 2048);
  CHECK(ExactCounters(wide).At(0) == std::numeric_limits<uint64_t>::max());
}

TEST_CASE("a counter counts to a million and back to zero", "[engine][side_table]") {
  ExactCounters counters(std::vector<uint64_t>(4, 1));
  for (uint64_t i = 2; i <= 1'000'000; ++i) {
    counters.Add(2);
    if (counters.At(2) != i) FAIL("lost count at " << i);
  }
  for (uint64_t i = 1'000'000; i > 0; --i) {
    if (counters.Take(2) != i - 1) FAIL("lost count at " << i);
  }
  CHECK(counters.At(1) == 1);
  CHECK(counters.At(3) == 1);
}

TEST_CASE("blocks are put, replaced, removed and listed in order", "[engine][side_table]") {
  SideTable table;
  CHECK(table.num_bytes() == 0);
  for (const uint64_t block_idx : {900, 3, 77, 0}) {
    table.Put(block_idx, std::vector<uint64_t>(256, block_idx));
  }
  CHECK(table.SortedBlocks() == std::vector<uint64_t>{0, 3, 77, 900});
  CHECK(table.num_blocks() == 4);
  CHECK(table.num_bytes() > 3 * 256 + 512);
  table.Put(3, std::vector<uint64_t>(256, 5));
  CHECK(table.num_blocks() == 4);
  CHECK(table.At(3).At(255) == 5);
  table.Remove(77);
  table.Remove(78);  // not there: nothing happens
  CHECK(table.SortedBlocks() == std::vector<uint64_t>{0, 3, 900});
  table.Clear();
  CHECK(table.num_blocks() == 0);
  CHECK(table.SortedBlocks().empty());
}

TEST_CASE("a side table of many owners lists, counts and copies by owner", "[engine][side_table]") {
  SideTable table(64, 3);  // 8 owners of 8 blocks
  for (const uint64_t block_idx : {63, 8, 7, 0, 15}) {
    table.Put(block_idx, std::vector<uint64_t>(256, block_idx));
  }
  CHECK(table.SortedBlocks() == std::vector<uint64_t>{0, 7, 8, 15, 63});
  CHECK(table.num_blocks() == 5);
  SideTable copy(64, 3);
  copy.Put(9, std::vector<uint64_t>(256, 1));
  copy.CopyOwner(table, 1);
  CHECK(copy.SortedBlocks() == std::vector<uint64_t>{8, 15});
  CHECK(copy.At(15).At(3) == 15);
  copy.Clear();
  CHECK(copy.num_blocks() == 0);
}

}  // namespace
}  // namespace trommel
