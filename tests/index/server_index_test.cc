// ServerIndex: which regions may hold a value.
#include "trommel/index/server_index.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "index/support/directories.h"
#include "support/catch.h"

namespace trommel::index::tests {
namespace {

TEST_CASE("every region is a candidate until its column is built", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeDirectory(structure, 5, 5);
    CHECK(CandidatesOf(index, 0, "red") == Positions{0, 1, 2, 3, 4});  // no structure yet
    REQUIRE(index.Resize(0, 100));
    CHECK(CandidatesOf(index, 0, "red") == Positions{0, 1, 2, 3, 4});
    for (uint32_t id = 0; id < 4; ++id) index.FinishBuild({id, 0});
    CHECK(CandidatesOf(index, 0, "red") == Positions{4});
    CHECK(index.GetStats().attributes[0].num_unbuilt == 1);
  }
}

TEST_CASE("candidates have every region with the value, as inserted and erased",
          "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    constexpr uint32_t kRegions = 70;  // more than a word
    ServerIndex index = MakeBuilt(structure, kRegions, 7, 200);
    std::map<std::string, std::multiset<uint32_t>> model;
    std::mt19937 random(1);
    for (int step = 0; step < 4000; ++step) {
      const std::string value = "value " + std::to_string(random() % 300);
      const auto region = static_cast<uint32_t>(random() % kRegions);
      if (model[value].count(region) != 0) {
        index.LosePair({region, 0}, value);
        model[value].erase(region);
      } else {
        index.GainPair({region, 0}, value);
        model[value].insert(region);
      }
    }
    uint64_t num_pairs = 0;
    for (const auto& [value, regions] : model) {
      const Positions candidates = CandidatesOf(index, 0, value);
      CHECK(std::includes(candidates.begin(), candidates.end(), regions.begin(), regions.end()));
      num_pairs += regions.size();
    }
    CHECK(index.GetStats().attributes[0].num_pairs == num_pairs);
    for (const auto& [value, regions] : model) {
      for (const uint32_t region : regions) index.LosePair({region, 0}, value);
    }
    CHECK(index.GetStats().attributes[0].num_pairs == 0);
    CHECK(CandidatesOf(index, 0, "value 1").empty());
  }
}

TEST_CASE("a batch of values is answered as each of them alone", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    for (const uint32_t num_regions : {1u, 63u, 64u, 65u, 130u, 700u}) {
      CAPTURE(StructureName(structure), num_regions);
      ServerIndex index = MakeBuilt(structure, num_regions, std::min(num_regions, 9u), 64);
      std::vector<std::string> values;
      for (int v = 0; v < 301; ++v) values.push_back("v" + std::to_string(v));
      for (size_t v = 0; v < values.size(); v += 2) {
        index.GainPair({static_cast<uint32_t>(v % num_regions), 0}, values[v]);
      }
      // Out of order and partly unbuilt, too.
      for (int round = 0; round < 2; ++round) {
        const ServerIndex::Pin pin = index.PinVersion();
        const size_t words = pin.num_words();
        std::vector<uint64_t> batch(values.size() * words, ~uint64_t{0});
        std::vector<uint64_t> one(words);
        pin.Candidates(0, values, batch);
        for (size_t v = 0; v < values.size(); ++v) {
          pin.Candidates(0, Key(values[v]), one);
          REQUIRE(std::equal(one.begin(), one.end(), &batch[v * words]));
        }
        const ColumnName replaced{num_regions / 2, 0};
        index.MarkUnbuilt({&replaced, 1});
      }
    }
  }
}

TEST_CASE("an unindexed attribute has all regions as candidates", "[index][server_index]") {
  ServerIndex index = *ServerIndex::Create(
      {.attributes = {AttributeState::kNone, AttributeState::kBuilding, AttributeState::kDropping}},
      EvenTable(3, 2));
  for (uint32_t a = 0; a < 3; ++a) {
    REQUIRE(index.Resize(a, 10));
    for (uint32_t id = 0; id < 3; ++id) index.FinishBuild({id, a});
    CHECK(CandidatesOf(index, a, "x") == Positions{0, 1, 2});
  }
}

TEST_CASE("a column that is marked unbuilt is replaced by an empty one", "[index][server_index]") {
  ServerIndex index = MakeBuilt(Structure::kMap, 4, 2, 50);
  for (uint32_t id = 0; id < 4; ++id) index.GainPair({id, 0}, "red");
  const uint64_t before = index.GetBuildState({1, 0}).column_id;
  const ServerIndex::Pin old = index.PinVersion();
  const ColumnName marked{1, 0};
  index.MarkUnbuilt({&marked, 1});

  const BuildState state = index.GetBuildState({1, 0});
  CHECK(state.column_id != before);
  CHECK_FALSE(state.is_built);
  CHECK_FALSE(state.cursor.has_value());
  CHECK(CandidatesOf(index, 0, "blue") == Positions{1});
  index.FinishBuild({1, 0});
  CHECK(CandidatesOf(index, 0, "red") == Positions{0, 2, 3});  // empty
  CHECK(CandidatesOf(old, 0, "red") ==
        Positions{0, 1, 2, 3});  // and the old version has the old one
}

TEST_CASE("filters of servers are replaced for all regions of the server",
          "[index][server_index]") {
  ServerIndex index = MakeBuilt(Structure::kServerFilters, 6, 3, 50);  // two regions per server
  for (uint32_t id = 0; id < 6; ++id) index.GainPair({id, 0}, "red");
  const ColumnName marked{3, 0};
  index.MarkUnbuilt({&marked, 1});
  CHECK(CandidatesOf(index, 0, "blue") == Positions{2, 3});
  CHECK(CandidatesOf(index, 0, "red") == Positions{0, 1, 2, 3, 4, 5});
  CHECK(index.GetStats().attributes[0].num_pairs == 4);
}

TEST_CASE("a filter of a server answers for all regions of the server", "[index][server_index]") {
  ServerIndex index = MakeBuilt(Structure::kServerFilters, 6, 3, 50);
  index.GainPair({2, 0}, "red");
  CHECK(CandidatesOf(index, 0, "red") == Positions{2, 3});
}

TEST_CASE("a pair follows the rows from when the builder has passed its value",
          "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeDirectory(structure, 1, 1);
    REQUIRE(index.Resize(0, 50));
    const ColumnName column{0, 0};
    index.GainPair(column, "apple");  // not passed: the builder will insert it
    CHECK_FALSE(index.IsMaintained(column, "apple"));
    CHECK(index.GetStats().attributes[0].num_pairs == 0);

    const std::vector<std::string> values = {"apple", "fig"};
    const uint64_t id = index.GetBuildState(column).column_id;
    REQUIRE(index.AdvanceBuild(column, id, values, "fig"));
    CHECK(index.GetBuildState(column).cursor == "fig");
    CHECK(index.IsMaintained(column, "banana"));
    CHECK(index.IsMaintained(column, "fig"));
    CHECK_FALSE(index.IsMaintained(column, "figs"));
    index.GainPair(column, "banana");
    index.LosePair(column, "apple");
    index.GainPair(column, "kiwi");  // ahead of the cursor
    CHECK(index.GetStats().attributes[0].num_pairs == 2);

    REQUIRE(index.AdvanceBuild(column, id, std::vector<std::string>{"kiwi"}, std::nullopt));
    CHECK(index.GetBuildState(column).is_built);
    CHECK(index.GetStats().attributes[0].num_pairs == 3);
    CHECK(CandidatesOf(index, 0, "apple").empty());
    CHECK(CandidatesOf(index, 0, "kiwi") == Positions{0});
  }
}

TEST_CASE("a builder cannot go on with a column that was replaced", "[index][server_index]") {
  ServerIndex index = MakeDirectory(Structure::kMap, 1, 1);
  REQUIRE(index.Resize(0, 50));
  const ColumnName column{0, 0};
  const uint64_t id = index.GetBuildState(column).column_id;
  index.MarkUnbuilt({&column, 1});
  CHECK_FALSE(index.AdvanceBuild(column, id, std::vector<std::string>{"apple"}, "zoo"));
  CHECK_FALSE(index.AdvanceBuild(column, id, {}, std::nullopt));
  CHECK_FALSE(index.GetBuildState(column).is_built);
  CHECK_FALSE(index.IsMaintained(column, "apple"));
}

TEST_CASE("a region without a free column is a candidate until one is freed",
          "[index][server_index]") {
  ServerIndex index = MakeDirectory(Structure::kMap, 3, 1);
  REQUIRE(index.Resize(0, 50));
  for (uint32_t id = 0; id < 3; ++id) index.FinishBuild({id, 0});
  CHECK(index.GetStats().attributes[0].num_columns == 63);  // 63 have space in one word
  const ColumnName marked{2, 0};
  for (int i = 0; i < 60; ++i) {
    CHECK(index.GetBuildState(marked).column_id != 0);
    index.MarkUnbuilt({&marked, 1});
  }
  CHECK(index.GetBuildState(marked).column_id != 0);
  index.MarkUnbuilt({&marked, 1});
  CHECK(index.GetBuildState(marked).column_id == 0);
  CHECK(index.ColumnsToBuild().empty());
  index.GainPair(marked, "red");  // has nowhere to go
  CHECK(CandidatesOf(index, 0, "red") == Positions{2});

  CHECK(index.Reclaim() == 61);
  CHECK(index.ColumnsToBuild() == std::vector<ColumnName>{marked});
  index.FinishBuild(marked);
  CHECK(CandidatesOf(index, 0, "red").empty());
}

TEST_CASE("Reclaim leaves the columns of the current version alone", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeBuilt(structure, 8, 4, 50);
    for (uint32_t id = 0; id < 8; ++id) index.GainPair({id, 0}, "red");
    for (int round = 0; round < 20; ++round) {
      const ColumnName marked{static_cast<uint32_t>(round) % 8, 0};
      index.MarkUnbuilt({&marked, 1});
      for (const ColumnName& name : index.ColumnsToBuild()) {
        index.GainPair(name, "red");  // not passed: nothing
        const BuildState state = index.GetBuildState(name);
        index.AdvanceBuild(name, state.column_id, std::vector<std::string>{"red"}, std::nullopt);
      }
      index.Reclaim();
      CHECK(CandidatesOf(index, 0, "red").size() == 8);
      CHECK(CandidatesOf(index, 0, "blue").empty());
      CHECK(index.GetStats().attributes[0].num_pairs == 8);
      CHECK(index.GetStats().num_retired_columns == 0);
    }
  }
}

TEST_CASE("a server whose filter is full has all its regions as candidates",
          "[index][server_index]") {
  // Enough for a filter of 5000 pairs, and not for one that grows to 100,000.
  ServerIndex index = *ServerIndex::Create({.attributes = {AttributeState::kIndexed},
                                            .structure = Structure::kServerFilters,
                                            .target_fpr = 0.01,
                                            .memory_limit_bytes = 77'824},
                                           EvenTable(4, 2));
  REQUIRE(index.Resize(0, 500));
  for (uint32_t id = 0; id < 4; ++id) index.FinishBuild({id, 0});
  int v = 0;
  for (; v < 100'000 && index.GetStats().attributes[0].num_unbuilt == 0; v += 100) {
    std::vector<uint64_t> values(100);
    for (int i = 0; i < 100; ++i) values[static_cast<size_t>(i)] = static_cast<uint64_t>(v + i);
    index.Insert({0, 0}, values);
  }
  REQUIRE(index.GetStats().attributes[0].num_unbuilt == 2);
  CHECK(CandidatesOf(index, 0, "never inserted") == Positions{0, 1});
  index.Reclaim();
  CHECK(index.ColumnsToBuild().empty());  // it would be refused again
  REQUIRE(index.Resize(0, 5000));         // a larger structure begins anew
  CHECK(index.ColumnsToBuild().size() == 4);
}

TEST_CASE("columns follow their regions into another table", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeBuilt(structure, 4, 2, 50);
    for (uint32_t id = 0; id < 4; ++id) index.GainPair({id, 0}, "red");
    // Region 1 is split into 10 and 11 on the same server; region 3 moves to server 0.
    const RegionTable& table = index.PinVersion().table();
    std::vector<Region> regions(table.regions().begin(), table.regions().end());
    const std::string middle = regions[1].range.begin + "5";
    Region right{11, {middle, regions[1].range.end}, regions[1].server};
    regions[1] = {10, {regions[1].range.begin, middle}, regions[1].server};
    regions.insert(regions.begin() + 2, right);
    regions[4].server = 0;
    REQUIRE(index.Publish(*RegionTable::Create(regions)));
    CHECK(CandidatesOf(index, 0, "red") == Positions{0, 1, 2, 3, 4});
    if (structure != Structure::kServerFilters) {
      CHECK(CandidatesOf(index, 0, "blue") == Positions{1, 2});  // the children are unbuilt
    } else {
      CHECK(CandidatesOf(index, 0, "blue") == Positions{0, 1, 2, 3, 4});  // both servers changed
    }
    index.Reclaim();
    CHECK(CandidatesOf(index, 0, "red") == Positions{0, 1, 2, 3, 4});
  }
}

TEST_CASE("a server that lost its last region may get one again", "[index][server_index]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ServerIndex index = MakeBuilt(structure, 2, 2, 50);
    index.GainPair({1, 0}, "red");
    for (const uint32_t server : {0u, 1u, 0u, 1u}) {
      const RegionTable& table = index.PinVersion().table();
      std::vector<Region> regions(table.regions().begin(), table.regions().end());
      regions[1].server = server;
      REQUIRE(index.Publish(*RegionTable::Create(regions)));
      index.Reclaim();
      const Positions found = CandidatesOf(index, 0, "red");
      CHECK(std::count(found.begin(), found.end(), 1) == 1);
    }
  }
}

TEST_CASE("false regions are as many as the model says", "[index][server_index]") {
  constexpr uint32_t kRegions = 200;
  constexpr size_t kPairs = 400;
  ServerIndex index = *ServerIndex::Create(
      {.attributes = {AttributeState::kIndexed}, .target_fpr = 0.02}, EvenTable(kRegions, 10));
  REQUIRE(index.Resize(0, kPairs));
  std::mt19937_64 random(2);
  std::vector<uint64_t> digests(kPairs);
  for (uint32_t id = 0; id < kRegions; ++id) {
    for (uint64_t& digest : digests) digest = random();
    index.Insert({id, 0}, Keys::Digests(digests));
    index.FinishBuild({id, 0});
  }
  constexpr size_t kQueries = 4000;
  double sum = 0, squares = 0;
  for (size_t q = 0; q < kQueries; ++q) {
    const auto count = static_cast<double>(CandidatesOf(index, 0, Key::Digest(random())).size());
    sum += count;
    squares += count * count;
  }
  const double mean = sum / kQueries;
  const double variance = squares / kQueries - mean * mean;
  const double predicted = index.GetStats().attributes[0].predicted_false_regions;
  CAPTURE(mean, predicted);
  CHECK(predicted <= 0.02 * kRegions);
  CHECK(std::abs(mean - predicted) < 6 * std::sqrt(variance / kQueries));
}

TEST_CASE("a directory of impossible numbers is refused", "[index][server_index]") {
  const auto code = [](ServerIndexConfig config) {
    if (config.attributes.empty()) config.attributes = {AttributeState::kIndexed};
    return ServerIndex::Create(config, EvenTable(10, 2)).error();
  };
  CHECK(ServerIndex::Create({}, EvenTable(1, 1)).error().code == ErrorCode::kInvalidArgument);
  CHECK(code({.target_fpr = 0}).code == ErrorCode::kInvalidArgument);
  CHECK(code({.target_fpr = std::numeric_limits<double>::quiet_NaN()}).code ==
        ErrorCode::kInvalidArgument);
  CHECK(code({.min_columns = 65'536}).message == "min_columns must be at most 65535; got 65536");
  CHECK(code({.digest = {.kind = DigestKind::kCaller}}).code == ErrorCode::kInvalidArgument);

  const ServerIndexConfig filters = {.attributes = {AttributeState::kIndexed},
                                     .structure = Structure::kServerFilters};
  CHECK(ServerIndex::Create(filters, EvenTable(32'768, 32'768)).error().message ==
        "filters of servers are for at most 32767 servers; got 32768");
  CHECK(ServerIndex::Create(filters, EvenTable(32'767, 32'767)).ok());

  ServerIndex index = MakeDirectory(Structure::kMap, 3, 3);
  CHECK(index.Resize(0, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(index.Resize(0, uint64_t{1} << 63).error().code == ErrorCode::kInvalidArgument);
  ServerIndex small = *ServerIndex::Create(
      {.attributes = {AttributeState::kIndexed}, .memory_limit_bytes = 4096}, EvenTable(3, 3));
  CHECK(small.Resize(0, 1'000'000).error().code == ErrorCode::kOutOfMemory);
  CHECK(CandidatesOf(small, 0, "red").size() == 3);
}

}  // namespace
}  // namespace trommel::index::tests
