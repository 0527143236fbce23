// ServerIndex: structures that are replaced beside queries, and removed.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "index/support/directories.h"
#include "support/catch.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {
namespace {

constexpr uint32_t kNumFilled = 8;
constexpr uint32_t kNumFilledServers = 4;

// Every region has "all" and a value of its own.
std::vector<std::string> ValuesOf(uint32_t id) { return {"all", "only " + std::to_string(id)}; }

ServerIndex MakeFilled(Structure structure, uint64_t pairs_per_region) {
  ServerIndex index = MakeBuilt(structure, kNumFilled, kNumFilledServers, pairs_per_region);
  for (uint32_t id = 0; id < kNumFilled; ++id) {
    for (const std::string& value : ValuesOf(id)) index.GainPair({id, 0}, value);
  }
  return index;
}

// Fills the column with these values, which are all of its region.
bool Fill(ServerIndex& index, uint32_t id, const std::vector<std::string>& values) {
  const BuildState state = index.GetBuildState({id, 0});
  return index.AdvanceBuild({id, 0}, state.column_id, values, std::nullopt);
}

AttributeStats StatsOf(const ServerIndex& index) { return index.GetStats().attributes[0]; }

// Splits the region at this position of the table; its halves have the ids `id` and `id` + 1.
RegionTable TableWithSplit(const ServerIndex& index, size_t position, uint32_t id) {
  const RegionTable& table = index.PinVersion().table();
  std::vector<Region> regions(table.regions().begin(), table.regions().end());
  const Region parent = regions[position];
  const std::string middle = parent.range.begin + "5";
  regions[position] = {id, {parent.range.begin, middle}, parent.server};
  regions.insert(regions.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                 Region{id + 1, {middle, parent.range.end}, parent.server});
  return *RegionTable::Create(regions);
}

TEST_CASE("queries are answered as before until a successor is built", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    for (const uint64_t pairs_per_region : {500u, 20u}) {  // larger and smaller
      CAPTURE(StructureName(structure), pairs_per_region);
      ServerIndex index = MakeFilled(structure, 100);
      const double false_regions = StatsOf(index).predicted_false_regions;
      REQUIRE(index.Resize(0, pairs_per_region));
      CHECK(StatsOf(index).next_pairs_per_region == pairs_per_region);
      for (uint32_t id = 0; id < kNumFilled; ++id) {
        const AttributeStats stats = StatsOf(index);
        CHECK(stats.is_growing);
        CHECK(stats.next_num_unbuilt == kNumFilled - id);
        CHECK(stats.pairs_per_region == 100);
        CHECK(stats.num_unbuilt == 0);
        CHECK(stats.predicted_false_regions == false_regions);
        const ServerIndex::Pin pin = index.PinVersion();
        for (uint32_t i = 0; i < kNumFilled; ++i) CHECK(pin.IsBuilt(0, i));
        CHECK(CandidatesOf(pin, 0, "all").size() == kNumFilled);
        CHECK(CandidatesOf(pin, 0, "none").empty());
        REQUIRE(Fill(index, id, ValuesOf(id)));
      }
      CHECK_FALSE(StatsOf(index).is_growing);
      CHECK(StatsOf(index).pairs_per_region == pairs_per_region);
      CHECK(StatsOf(index).num_pairs == 2 * kNumFilled);
      CHECK(StatsOf(index).num_unbuilt == 0);
      CHECK(index.GetStats().num_switches == 1);
      CHECK(CandidatesOf(index, 0, "all").size() == kNumFilled);
      CHECK(CandidatesOf(index, 0, "none").empty());
    }
  }
}

TEST_CASE("a pair follows the rows in each column from when its builder has passed the value",
          "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeBuilt(structure, 1, 1, 50);
    const ColumnName column{0, 0};
    for (const char* const value : {"apple", "fig", "kiwi"}) index.GainPair(column, value);
    REQUIRE(index.Resize(0, 100));
    CHECK(index.IsMaintained(column, "apple"));  // in the column before
    index.LosePair(column, "apple");
    CHECK(StatsOf(index).num_pairs == 2);
    const uint64_t id = index.GetBuildState(column).column_id;
    REQUIRE(index.AdvanceBuild(column, id, {}, "banana"));
    CHECK(index.GetBuildState(column).cursor == "banana");
    index.GainPair(column, "apple");  // both
    index.GainPair(column, "avocado");
    index.LosePair(column, "avocado");
    index.GainPair(column, "zucchini");  // the one before; the builder will find it
    index.LosePair(column, "fig");
    CHECK(StatsOf(index).num_pairs == 3);
    CHECK(CandidatesOf(index, 0, "zucchini") == Positions{0});
    CHECK(CandidatesOf(index, 0, "fig").empty());
    REQUIRE(
        index.AdvanceBuild(column, id, std::vector<std::string>{"kiwi", "zucchini"}, std::nullopt));
    CHECK_FALSE(StatsOf(index).is_growing);
    CHECK(StatsOf(index).num_pairs == 3);
    for (const char* const value : {"apple", "kiwi", "zucchini"}) {
      CHECK(CandidatesOf(index, 0, value) == Positions{0});
      index.LosePair(column, value);
    }
    CHECK(StatsOf(index).num_pairs == 0);
    CHECK(StatsOf(index).num_unbuilt == 0);  // no erasure was refused
  }
}

TEST_CASE("a pair that a successor's column lacks where it should have it marks the region",
          "[index][server_index]") {
  ServerIndex index = MakeFilled(Structure::kMap, 50);
  REQUIRE(index.Resize(0, 100));
  REQUIRE(Fill(index, 3, {"all"}));  // without "only 3"
  const uint64_t id = index.GetBuildState({3, 0}).column_id;
  index.LosePair({3, 0}, "only 3");
  CHECK(index.GetBuildState({3, 0}).column_id != id);
  CHECK_FALSE(index.GetBuildState({3, 0}).is_built);
  CHECK(CandidatesOf(index, 0, "none") == Positions{3});
}

TEST_CASE("Insert and Erase follow the rows in a successor's column once it is filled",
          "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeBuilt(structure, 1, 1, 50);
    const ColumnName column{0, 0};
    const auto one = [](std::string value) { return std::vector<std::string>{std::move(value)}; };
    index.Insert(column, one("apple"));
    index.Insert(column, one("fig"));
    REQUIRE(index.Resize(0, 100));
    index.Insert(column, one("kiwi"));  // before it is filled
    index.Erase(column, one("fig"));
    CHECK(StatsOf(index).num_pairs == 2);
    CHECK(StatsOf(index).num_unbuilt == 0);
    REQUIRE(Fill(index, 0, {"apple", "kiwi"}));
    index.Insert(column, one("plum"));
    index.Erase(column, one("apple"));
    CHECK(StatsOf(index).pairs_per_region == 100);
    CHECK(StatsOf(index).num_pairs == 2);
    CHECK(StatsOf(index).num_unbuilt == 0);
    CHECK(CandidatesOf(index, 0, "kiwi") == Positions{0});
    CHECK(CandidatesOf(index, 0, "apple").empty());
  }
  // With another region still to be filled, both columns of this one take the pair.
  ServerIndex index = MakeBuilt(Structure::kMap, 2, 1, 50);
  REQUIRE(index.Resize(0, 100));
  index.FinishBuild({0, 0});
  index.Insert({0, 0}, std::vector<std::string>{"plum", "fig"});
  index.Erase({0, 0}, std::vector<std::string>{"fig"});
  CHECK(CandidatesOf(index, 0, "plum") == Positions{0});
  index.FinishBuild({1, 0});
  CHECK_FALSE(StatsOf(index).is_growing);
  CHECK(StatsOf(index).num_pairs == 1);
  CHECK(CandidatesOf(index, 0, "plum") == Positions{0});
}

TEST_CASE("a region that is marked unbuilt keeps a successor waiting", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeFilled(structure, 50);
    REQUIRE(index.Resize(0, 100));
    for (uint32_t id = 0; id + 1 < kNumFilled; ++id) REQUIRE(Fill(index, id, ValuesOf(id)));
    const uint64_t replaced = index.GetBuildState({2, 0}).column_id;
    const ColumnName marked{2, 0};
    index.MarkUnbuilt({&marked, 1});
    const bool is_shared = structure == Structure::kServerFilters;  // by regions 2 and 3
    CHECK(CandidatesOf(index, 0, "none") == (is_shared ? Positions{2, 3} : Positions{2}));
    CHECK_FALSE(index.IsMaintained(marked, "all"));
    CHECK_FALSE(index.AdvanceBuild(marked, replaced, ValuesOf(2), std::nullopt));
    REQUIRE(Fill(index, kNumFilled - 1, ValuesOf(kNumFilled - 1)));
    CHECK(StatsOf(index).is_growing);
    CHECK(index.ColumnsToBuild() ==
          (is_shared ? std::vector<ColumnName>{{2, 0}, {3, 0}} : std::vector<ColumnName>{{2, 0}}));
    for (const ColumnName& name : index.ColumnsToBuild()) {
      REQUIRE(Fill(index, name.region_id, ValuesOf(name.region_id)));
    }
    CHECK_FALSE(StatsOf(index).is_growing);
    CHECK(StatsOf(index).num_pairs == 2 * kNumFilled);
    CHECK(CandidatesOf(index, 0, "only 2").size() == (is_shared ? 2 : 1));
    CHECK(CandidatesOf(index, 0, "none").empty());
  }
}

TEST_CASE("regions that are split while a structure grows are unbuilt in both",
          "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeFilled(structure, 50);
    REQUIRE(index.Resize(0, 100));
    for (uint32_t id = 0; id + 1 < kNumFilled; ++id) REQUIRE(Fill(index, id, ValuesOf(id)));
    REQUIRE(index.Publish(TableWithSplit(index, 4, 20)));
    const Positions all{0, 1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(CandidatesOf(index, 0, "all") == all);
    const bool is_shared = structure == Structure::kServerFilters;
    CHECK(CandidatesOf(index, 0, "none") == (is_shared ? Positions{4, 5, 6} : Positions{4, 5}));
    REQUIRE(Fill(index, kNumFilled - 1, ValuesOf(kNumFilled - 1)));
    CHECK(StatsOf(index).is_growing);
    CHECK(StatsOf(index).next_num_unbuilt == (is_shared ? 3 : 2));
    for (const ColumnName& name : index.ColumnsToBuild()) {
      CHECK(CandidatesOf(index, 0, "all") == all);
      REQUIRE(Fill(index, name.region_id, {"all"}));
    }
    CHECK_FALSE(StatsOf(index).is_growing);
    CHECK(CandidatesOf(index, 0, "all") == all);
    CHECK(CandidatesOf(index, 0, "none").empty());
    CHECK(index.Reclaim() > 0);
    CHECK(CandidatesOf(index, 0, "all") == all);
  }
}

TEST_CASE("a second Resize replaces the successor", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeFilled(structure, 50);
    REQUIRE(index.Resize(0, 100));
    for (uint32_t id = 0; id + 1 < kNumFilled; ++id) REQUIRE(Fill(index, id, ValuesOf(id)));
    const uint64_t replaced = index.GetBuildState({7, 0}).column_id;
    REQUIRE(index.Resize(0, 200));
    CHECK_FALSE(index.AdvanceBuild({7, 0}, replaced, ValuesOf(7), std::nullopt));
    CHECK(StatsOf(index).next_num_unbuilt == kNumFilled);
    CHECK(StatsOf(index).next_pairs_per_region == 200);
    // One that is impossible leaves it.
    CHECK(index.Resize(0, uint64_t{1} << 63).error().code == ErrorCode::kInvalidArgument);
    CHECK(StatsOf(index).next_pairs_per_region == 200);
    index.Reclaim();
    for (uint32_t id = 0; id < kNumFilled; ++id) {
      CHECK(CandidatesOf(index, 0, "only 3").size() <= 2);
      REQUIRE(Fill(index, id, ValuesOf(id)));
    }
    CHECK(StatsOf(index).pairs_per_region == 200);
    CHECK(index.GetStats().num_switches == 1);
    CHECK(StatsOf(index).num_pairs == 2 * kNumFilled);
  }
}

TEST_CASE("after growth and Reclaim the memory is that of a new structure",
          "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeFilled(structure, 50);
    const uint64_t bytes_before = index.GetStats().num_bytes;
    REQUIRE(index.Resize(0, 1000));
    CHECK(index.GetStats().num_bytes > bytes_before);
    const ColumnName marked{1, 0};
    index.MarkUnbuilt({&marked, 1});
    for (const ColumnName& name : index.ColumnsToBuild()) {
      REQUIRE(Fill(index, name.region_id, ValuesOf(name.region_id)));
    }
    index.Reclaim();
    CHECK(index.GetStats().num_retired_columns == 0);
    CHECK(index.GetStats().num_bytes == MakeFilled(structure, 1000).GetStats().num_bytes);
    REQUIRE(index.Resize(0, 50));
    for (uint32_t id = 0; id < kNumFilled; ++id) REQUIRE(Fill(index, id, ValuesOf(id)));
    index.Reclaim();
    CHECK(index.GetStats().num_bytes == bytes_before);
  }
}

TEST_CASE("a successor has memory for all its columns, or is not made", "[index][server_index]") {
  size_t num_made = 0, num_refused = 0;
  for (uint64_t limit = 1 << 14; limit < 1 << 20; limit += limit / 8) {
    CAPTURE(limit);
    ServerIndex index = *ServerIndex::Create(
        {.attributes = {AttributeState::kIndexed}, .memory_limit_bytes = limit}, EvenTable(60, 1));
    if (!index.Resize(0, 10) || index.ColumnsToBuild().size() < 60) continue;
    for (uint32_t id = 0; id < 60; ++id) REQUIRE(Fill(index, id, {"all"}));
    const uint64_t bytes_before = index.GetStats().num_bytes;
    const Status status = index.Resize(0, 1000);
    if (status) {
      ++num_made;
      CHECK(index.ColumnsToBuild().size() == 60);
      continue;
    }
    ++num_refused;
    CHECK(status.error().code == ErrorCode::kOutOfMemory);
    CHECK_FALSE(StatsOf(index).is_growing);
    CHECK(index.GetStats().num_bytes == bytes_before);
    CHECK(CandidatesOf(index, 0, "all").size() == 60);
    CHECK(CandidatesOf(index, 0, "none").empty());
  }
  CHECK(num_made > 0);
  CHECK(num_refused > 0);
}

TEST_CASE("regions beyond the columns are candidates until a successor has more",
          "[index][server_index]") {
  ServerIndex index = MakeBuilt(Structure::kMap, 60, 1, 50);
  for (uint32_t id = 0; id < 60; ++id) index.GainPair({id, 0}, "all");
  CHECK(StatsOf(index).num_columns == 63);
  for (uint32_t i = 0; i < 10; ++i) {
    REQUIRE(index.Publish(TableWithSplit(index, 5 * i + 1, 100 + 2 * i)));
    index.Reclaim();
  }
  REQUIRE(index.GetStats().num_regions == 70);
  CHECK(index.ColumnsToBuild().size() == 13);  // of the 20 halves
  CHECK(StatsOf(index).num_unbuilt == 20);
  CHECK(CandidatesOf(index, 0, "all").size() == 70);
  CHECK(CandidatesOf(index, 0, "none").size() == 20);

  REQUIRE(index.Resize(0, 50));
  CHECK(StatsOf(index).next_num_columns == 127);
  const std::vector<ColumnName> columns = index.ColumnsToBuild();
  CHECK(columns.size() == 70);
  for (const ColumnName& name : columns) {
    CHECK(CandidatesOf(index, 0, "all").size() == 70);
    REQUIRE(Fill(index, name.region_id, {"all"}));
  }
  CHECK(StatsOf(index).num_columns == 127);
  CHECK(StatsOf(index).num_unbuilt == 0);
  CHECK(CandidatesOf(index, 0, "all").size() == 70);
  CHECK(CandidatesOf(index, 0, "none").empty());
}

TEST_CASE("min_columns is the least number of columns", "[index][server_index]") {
  // A slot names one column less than a power of two with a bit less.
  for (const auto& [min_columns, num_columns] :
       {std::pair{0u, 63u}, {3u, 63u}, {64u, 64u}, {65u, 127u}, {300u, 320u}, {65'535u, 65'535u}}) {
    ServerIndex index = *ServerIndex::Create(
        {.attributes = {AttributeState::kIndexed}, .min_columns = min_columns}, EvenTable(3, 1));
    REQUIRE(index.Resize(0, 10));
    CHECK(StatsOf(index).num_columns == num_columns);
  }
}

TEST_CASE("a successor whose filter is full leaves that server's regions as candidates",
          "[index][server_index]") {
  // Enough for a filter that is made for so many pairs. One that grows to them has other sizes, and
  // the last that the limit allows takes fewer.
  ServerIndex index = *ServerIndex::Create({.attributes = {AttributeState::kIndexed},
                                            .structure = Structure::kServerFilters,
                                            .target_fpr = 0.01,
                                            .memory_limit_bytes = 400'000},
                                           EvenTable(4, 2));
  std::vector<std::string> values;
  for (int v = 0; v < 80'000; ++v) values.push_back("v" + std::to_string(v));
  REQUIRE(index.Resize(0, 30'000));
  for (uint32_t id = 0; id < 4; ++id) REQUIRE(Fill(index, id, id == 2 ? values : ValuesOf(id)));
  REQUIRE(StatsOf(index).num_unbuilt == 0);
  REQUIRE(index.Resize(0, 50));
  CHECK_FALSE(Fill(index, 2, values));
  CHECK(StatsOf(index).next_num_unbuilt == 2);
  CHECK(CandidatesOf(index, 0, "none").empty());
  for (const uint32_t id : {0u, 1u}) REQUIRE(Fill(index, id, ValuesOf(id)));
  CHECK_FALSE(StatsOf(index).is_growing);
  CHECK(CandidatesOf(index, 0, "none") == Positions{2, 3});
  CHECK(CandidatesOf(index, 0, "only 1") == Positions{0, 1, 2, 3});
  CHECK(index.ColumnsToBuild().empty());
}

TEST_CASE("an attribute that is not indexed any more has neither structure nor successor",
          "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeFilled(structure, 50);
    REQUIRE(index.Resize(0, 100));
    REQUIRE(Fill(index, 0, ValuesOf(0)));
    const uint64_t version = index.GetStats().version;
    std::optional<ServerIndex::Pin> old = index.PinVersion();
    const Positions all = CandidatesOf(index, 0, "all");
    index.SetState(0, AttributeState::kDropping);
    CHECK(index.GetStats().version == version + 1);
    CHECK(StatsOf(index).state == AttributeState::kDropping);
    CHECK(StatsOf(index).pairs_per_region == 0);
    CHECK_FALSE(StatsOf(index).is_growing);
    CHECK(StatsOf(index).num_unbuilt == kNumFilled);
    CHECK(index.GetStats().num_bytes == 0);
    CHECK(CandidatesOf(index, 0, "none") == all);
    CHECK(CandidatesOf(*old, 0, "only 5").size() <= 2);  // by its own version
    old.reset();
    index.Reclaim();
    CHECK(index.ColumnsToBuild().empty());
    CHECK_FALSE(index.IsMaintained({3, 0}, "all"));
    index.GainPair({3, 0}, "all");
    index.LosePair({3, 0}, "all");
    index.FinishBuild({3, 0});
    CHECK(CandidatesOf(index, 0, "none") == all);

    for (const AttributeState state :
         {AttributeState::kNone, AttributeState::kBuilding, AttributeState::kIndexed}) {
      index.SetState(0, state);
      CHECK(index.PinVersion().state(0) == state);
      CHECK(CandidatesOf(index, 0, "none") == all);
    }
    REQUIRE(index.Resize(0, 80));  // no successor: there is nothing beside which it were one
    CHECK_FALSE(StatsOf(index).is_growing);
    CHECK(CandidatesOf(index, 0, "none") == all);
    CHECK(index.ColumnsToBuild().size() == kNumFilled);
    for (uint32_t id = 0; id < kNumFilled; ++id) REQUIRE(Fill(index, id, ValuesOf(id)));
    CHECK(CandidatesOf(index, 0, "all") == all);
    CHECK(CandidatesOf(index, 0, "none").empty());
    index.SetState(0, AttributeState::kIndexed);  // as it is: the structure stays
    CHECK(CandidatesOf(index, 0, "none").empty());
  }
}

TEST_CASE("WaitForPins returns when older versions are not pinned any more",
          "[index][server_index][threads]") {
  ServerIndex index = MakeFilled(Structure::kMap, 50);
  index.WaitForPins();
  std::optional<ServerIndex::Pin> old = index.PinVersion();
  index.SetState(0, AttributeState::kDropping);
  std::atomic<bool> is_released{false};
  bool was_released = false;
  std::thread waiter([&] {
    index.WaitForPins();
    was_released = is_released;
  });
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  is_released = true;
  old.reset();
  waiter.join();
  CHECK(was_released);
}

TEST_CASE("a map whose values are in most regions gets a successor with fewer slots",
          "[index][server_index]") {
  constexpr uint32_t kRegions = 200;
  ServerIndex index = MakeBuilt(Structure::kMap, kRegions, 4, 100);
  std::vector<std::string> values;
  for (int v = 0; v < 100; ++v) values.push_back("v" + std::to_string(100 + v));
  for (uint32_t id = 0; id < kRegions; ++id) index.Insert({id, 0}, values);
  const AttributeStats before = index.GetStats().attributes[0];
  REQUIRE(before.num_pairs == 20'000);
  CHECK(before.share_in_lists > 0.95);
  CHECK(before.successor_share < 0.3);
  REQUIRE(index.Resize(0, 100));
  for (const ColumnName& name : index.ColumnsToBuild()) {
    REQUIRE(index.AdvanceBuild(name, index.GetBuildState(name).column_id, values, std::nullopt));
  }
  index.Reclaim();
  const AttributeStats after = index.GetStats().attributes[0];
  CHECK_FALSE(after.is_growing);
  CHECK(after.num_pairs == 20'000);
  CHECK(after.num_bytes < before.num_bytes * 3 / 5);
  CHECK(after.successor_share > 0.6);  // so it stays
  for (const std::string& value : values) {
    REQUIRE(CandidatesOf(index, 0, value).size() == kRegions);
  }
  CHECK(CandidatesOf(index, 0, "none").size() < 5);
}

}  // namespace
}  // namespace trommel::index::tests
