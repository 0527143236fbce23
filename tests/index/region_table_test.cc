// RegionTable: each key is in exactly one region; and states of regions, forgotten while in use.
#include "trommel/index/region_table.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/protocol/gate.h"
#include "engine/index/src/protocol/region_states.h"
#include "support/catch.h"

namespace trommel::index {
namespace {

using Catch::Matchers::ContainsSubstring;

// Ids neither ascend nor begin at 0; server 1 has nothing.
std::vector<Region> ThreeRegions() {
  return {{.id = 9, .range = {"", "f"}, .server = 2},
          {.id = 4, .range = {"f", "p"}, .server = 0},
          {.id = 7, .range = {"p", ""}, .server = 2}};
}

void CheckNoTable(const Result<RegionTable>& table, std::initializer_list<std::string> parts) {
  REQUIRE_FALSE(table.ok());
  CHECK(table.error().code == ErrorCode::kInvalidArgument);
  for (const std::string& part : parts) CHECK_THAT(table.error().message, ContainsSubstring(part));
}

std::string NumberedKey(size_t i) {
  std::string key = std::to_string(i);
  return std::string(6 - key.size(), '0') + key;
}

TEST_CASE("a table keeps its regions in the order of their keys", "[index]") {
  const RegionTable table = RegionTable::Create(ThreeRegions()).value();
  REQUIRE(table.size() == 3);
  CHECK(std::ranges::equal(table.regions(), ThreeRegions()));
  CHECK(table[1] == ThreeRegions()[1]);
  CHECK(table.num_servers() == 3);
  CHECK(table == RegionTable::Create(ThreeRegions()).value());
  auto moved = ThreeRegions();
  moved[1].server = 1;
  CHECK_FALSE(table == RegionTable::Create(moved).value());
}

TEST_CASE("a key is found in the region whose range has it", "[index]") {
  const RegionTable table = RegionTable::Create(ThreeRegions()).value();
  const std::vector<std::pair<std::string, size_t>> expected = {{"", 0},
                                                                {std::string(1, '\0'), 0},
                                                                {"e\xff\xff", 0},
                                                                {"f", 1},
                                                                {std::string("f\0", 2), 1},
                                                                {"o", 1},
                                                                {"o\xff", 1},
                                                                {"p", 2},
                                                                {"pp", 2},
                                                                {"\xff\xff", 2}};
  for (const auto& [key, position] : expected) {
    CAPTURE(key);
    CHECK(table.Find(key) == position);
    CHECK(table[position].range.Contains(key));
  }
  const RegionTable whole = RegionTable::Create({{.id = 3, .range = {}}}).value();
  CHECK(whole.Find("") == 0);
  CHECK(whole.Find("\xff") == 0);
}

TEST_CASE("a region is found by its id, and others are not", "[index]") {
  const RegionTable table = RegionTable::Create(ThreeRegions()).value();
  CHECK(table.FindId(9) == 0);
  CHECK(table.FindId(4) == 1);
  CHECK(table.FindId(7) == 2);
  for (const uint32_t id : {0u, 3u, 5u, 8u, 10u, UINT32_MAX}) CHECK(table.FindId(id) == 3);
}

TEST_CASE("a table refuses keys that are in no region or in two", "[index]") {
  auto regions = ThreeRegions();
  SECTION("no region") {
    CheckNoTable(RegionTable::Create({}), {"0 regions", "between 1 and 60000"});
  }
  SECTION("a gap") {
    regions[1].range.begin = "g";
    CheckNoTable(RegionTable::Create(regions), {"position 0", "keys are in neither"});
  }
  SECTION("an overlap") {
    regions[2].range.begin = "o";
    CheckNoTable(RegionTable::Create(regions), {"position 1", "overlap"});
  }
  SECTION("out of order") {
    std::swap(regions[0], regions[1]);
    CheckNoTable(RegionTable::Create(regions), {"position 0", "must begin at the empty key"});
  }
  SECTION("the first region begins late") {
    regions[0].range.begin = "a";
    CheckNoTable(RegionTable::Create(regions), {"position 0", "must begin at the empty key"});
  }
  SECTION("the last region ends") {
    regions[2].range.end = "z";
    CheckNoTable(RegionTable::Create(regions), {"position 2", "must have no end"});
  }
  SECTION("another region has no end") {
    regions[1].range.end = "";
    CheckNoTable(RegionTable::Create(regions), {"position 1", "must have an end"});
  }
  SECTION("a region without keys") {
    regions[0].range.end = regions[1].range.begin = regions[1].range.end = "f";
    regions[2].range.begin = "f";
    CheckNoTable(RegionTable::Create(regions), {"position 1", "must end behind its beginning"});
  }
}

TEST_CASE("a table refuses ids that are the same", "[index]") {
  auto regions = ThreeRegions();
  regions[2].id = 9;
  CheckNoTable(RegionTable::Create(regions), {"position 2 has id 9", "position 0"});
}

TEST_CASE("a table refuses servers beyond the largest number", "[index]") {
  auto regions = ThreeRegions();
  regions[1].server = kMaxRegions - 1;
  CHECK(RegionTable::Create(regions).value().num_servers() == kMaxRegions);
  regions[1].server = kMaxRegions;
  CheckNoTable(RegionTable::Create(regions), {"server 60000", "between 0 and 59999"});
  regions[1].server = UINT32_MAX;
  CheckNoTable(RegionTable::Create(regions), {"server 4294967295"});
}

TEST_CASE("a split table gives each server neighbours, and as many as the others", "[index]") {
  for (size_t num_splits = 0; num_splits < 30; ++num_splits) {
    std::vector<std::string> splits;
    for (size_t i = 0; i < num_splits; ++i) splits.push_back(NumberedKey(i));
    for (const uint32_t num_servers : {1u, 2u, 3u, 4u, 7u, 29u, 30u, 31u, UINT32_MAX}) {
      CAPTURE(num_splits, num_servers);
      const RegionTable table = RegionTable::Split(splits, num_servers).value();
      REQUIRE(table.size() == num_splits + 1);
      const size_t num_used = std::min<size_t>(num_servers, table.size());
      REQUIRE(table.num_servers() == num_used);
      std::vector<size_t> sizes(num_used, 0);
      for (size_t i = 0; i < table.size(); ++i) {
        REQUIRE(table[i].id == i);
        REQUIRE(table[i].range ==
                KeyRange{i == 0 ? "" : splits[i - 1], i == num_splits ? "" : splits[i]});
        if (i > 0) REQUIRE(table[i - 1].server <= table[i].server);
        ++sizes[table[i].server];
      }
      REQUIRE(std::ranges::max(sizes) - std::ranges::min(sizes) <= 1);
    }
  }
}

TEST_CASE("a table is split only at keys that ascend strictly, among servers", "[index]") {
  using Splits = std::vector<std::string>;
  CheckNoTable(RegionTable::Split(Splits{"a", "a"}, 1), {"split 1 is not behind split 0"});
  CheckNoTable(RegionTable::Split(Splits{"a", "c", "b"}, 1), {"split 2 is not behind split 1"});
  CheckNoTable(RegionTable::Split(Splits{"", "a"}, 1), {"split 0 is the empty key"});
  CheckNoTable(RegionTable::Split(Splits{"a"}, 0), {"num_servers is 0"});
}

TEST_CASE("a table has up to kMaxRegions regions", "[index]") {
  std::vector<std::string> splits;
  for (size_t i = 1; i < kMaxRegions; ++i) splits.push_back(NumberedKey(i));
  const RegionTable table = RegionTable::Split(splits, 256).value();
  REQUIRE(table.size() == kMaxRegions);
  CHECK(table.Find(NumberedKey(31'415)) == 31'415);
  CHECK(table.FindId(59'999) == 59'999);
  splits.push_back(NumberedKey(kMaxRegions));
  CheckNoTable(RegionTable::Split(splits, 256), {"60001 regions", "between 1 and 60000"});
}

TEST_CASE("a region's state is found until it is removed", "[index][protocol]") {
  RegionStates regions(1);
  CHECK(regions.Find(7) == nullptr);
  regions.Add(7);
  regions.Add(4'000'000'000);  // ids are never used again, so they may be large
  CHECK(regions.Find(7) == regions.Find(7));
  CHECK(regions.Find(7) != regions.Find(4'000'000'000));
  regions.Remove(7);
  CHECK(regions.Find(7) == nullptr);
  CHECK(regions.Find(4'000'000'000) != nullptr);
}

TEST_CASE("a state that was removed can still be left by those inside", "[index][protocol]") {
  RegionStates regions(1);
  regions.Add(1);
  const std::shared_ptr<RegionState> state = regions.Find(1);
  const Gate::Shared gate(state->gate);
  regions.Remove(1);
  CHECK(state->flight_tables[0].Lock().owns_lock());
}

}  // namespace
}  // namespace trommel::index
