// What index_compare rests on: the exact map, the four ways to answer, and counts of regions.
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/index/index_sides.h"
#include "bench/index/query_lists.h"
#include "bench/index/query_trial.h"
#include "bench/index/table_input.h"
#include "bench/index/write_trial.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::bench {
namespace {

// 100 rows in four regions of 25. "number" differs in each row, "region" in each region; "rare" is
// a mark of rows 0 and 99, and "half" one of every other row.
IndexedTable SmallTable() {
  IndexedTable table;
  table.schema.attributes = {{"number", true}, {"region", true}, {"mark", true}, {"free", false}};
  for (uint32_t i = 0; i < 100; ++i) {
    index::Values marks;
    if (i % 2 == 0) marks.emplace_back("half");
    if (i == 0 || i == 99) marks.emplace_back("rare");
    table.rows.push_back({std::to_string(1000 + i),
                          {{std::to_string(i)}, {std::to_string(i / 25)}, marks, {"text"}}});
  }
  return table;
}

TEST_CASE("the exact map has the pairs that were inserted and not erased", "[index]") {
  std::mt19937_64 random(7);
  ExactMap map(2);
  std::map<std::pair<uint32_t, std::string>, std::set<uint16_t>> model;
  for (int i = 0; i < 20'000; ++i) {
    const auto attribute = static_cast<uint32_t>(random() % 2);
    const std::string value = "value " + std::to_string(random() % 50);
    const auto region = static_cast<uint16_t>(random() % 20);
    if (random() % 2 == 0) {
      map.Insert(attribute, value, region);
      model[{attribute, value}].insert(region);
    } else {
      map.Erase(attribute, value, region);
      model[{attribute, value}].erase(region);
    }
  }
  uint64_t num_pairs = 0;
  uint64_t num_values = 0;
  for (const auto& [name, regions] : model) {
    const RegionList expected(regions.begin(), regions.end());
    CHECK(map.RegionsOf(name.first, name.second) == expected);
    num_pairs += regions.size();
    num_values += regions.empty() ? 0 : 1;
  }
  CHECK(map.num_pairs() == num_pairs);
  CHECK(map.num_values() == num_values);
  CHECK(map.RegionsOf(0, "none").empty());
}

TEST_CASE("all ways return the same rows, and only the exact map asks no region in vain",
          "[index]") {
  const tests::ScratchFolder folder;
  IndexedTable table = SmallTable();
  Result<IndexSides> made =
      IndexSides::Create(folder.path(), table.schema, SplitsOf(table.rows, 4), 2);
  REQUIRE(made.ok());
  IndexSides sides = *std::move(made);
  WriteTrial writes(sides, table, 1);
  REQUIRE(writes.Load().ok());
  CHECK(sides.map().num_pairs() == 100 + 4 + 4 + 2);

  const std::vector<Conditions> queries = {{{1, "2"}}, {{2, "rare"}}, {{2, "half"}}};
  const Result<KindFigures> figures = RunQueries(sides, QueryKind::kByWeight, queries, 60);
  REQUIRE(figures.ok());
  const WayFigures& broadcast = figures->ways[static_cast<size_t>(Way::kBroadcast)];
  CHECK(broadcast.num_regions_asked == 3 * 4);
  CHECK(broadcast.FalseRegions() == Approx((12 - 1 - 2 - 4) / 3.0));
  CHECK(broadcast.sum_false_squares == 9 + 4 + 0);
  CHECK(broadcast.ServersWithoutRecord() == Approx(1 / 3.0));
  CHECK(broadcast.num_lookups == 3 * 2);
  const WayFigures& exact = figures->ways[static_cast<size_t>(Way::kExactMap)];
  CHECK(exact.num_regions_asked == 1 + 2 + 4);
  CHECK(exact.FalseRegions() == 0);
  for (const WayFigures& way : figures->ways) {
    CHECK(way.num_rows_returned == 25 + 2 + 50);
    CHECK(way.num_regions_with_rows == 1 + 2 + 4);
    CHECK(way.num_regions_asked >= exact.num_regions_asked);
  }

  // Writes leave all sides with the same pairs.
  REQUIRE(writes.Update(150).ok());
  REQUIRE(writes.Delete(30).ok());
  CHECK(table.rows.size() == 70);
  for (index::Cluster* const each : {&sides.server_filters(), &sides.column_map()}) {
    const Result<index::VerifyReport> report = each->Verify();
    REQUIRE(report.ok());
    CHECK(report->ok());
    CHECK(report->num_rows == 70);
    CHECK(report->num_pairs == sides.map().num_pairs());
  }
}

TEST_CASE("a region is asked for two values of different rows, and has no row with both",
          "[index]") {
  const tests::ScratchFolder folder;
  IndexedTable table = SmallTable();
  Result<IndexSides> made =
      IndexSides::Create(folder.path(), table.schema, SplitsOf(table.rows, 4), 2);
  REQUIRE(made.ok());
  IndexSides sides = *std::move(made);
  REQUIRE(WriteTrial(sides, table, 1).Load().ok());
  // Row 1 is odd, so no row has both; row 0 has both of the second query.
  const std::vector<Conditions> queries = {{{0, "1"}, {2, "half"}}, {{0, "0"}, {2, "rare"}}};
  const CombinationRegions regions =
      CountRegions(queries, table, sides.table(), sides.map(), sides.column_map().directory());
  CHECK(regions.by_map == Approx(1));
  CHECK(regions.with_both == Approx(0.5));
  CHECK(regions.by_directory >= regions.by_map);
  // number and region: 100; number and mark, region and mark: 50 + 2 and 4 + 2.
  const Result<CombinationBytes> bytes = SizeCombinations(table, sides.table(), 0.004);
  REQUIRE(bytes.ok());
  CHECK(bytes->num_attribute_pairs == 3);
  CHECK(bytes->num_combinations == 100 + 52 + 6);
}

TEST_CASE("drawn values are in a row, and absent ones in none", "[index]") {
  const IndexedTable table = SmallTable();
  ExactMap map(table.schema.attributes.size());
  for (const index::Row& row : table.rows) {
    for (uint32_t i = 0; i < 3; ++i) {
      for (const std::string& value : row.attributes[i]) map.Insert(i, value, 0);
    }
  }
  QueryDraw draw(table, map, 3);
  for (const QueryKind kind : {QueryKind::kByWeight, QueryKind::kDistinct, QueryKind::kPair}) {
    for (const Conditions& query : draw.Draw(kind, 200)) {
      CHECK(query.size() == (kind == QueryKind::kPair ? 2 : 1));
      for (const index::Condition& each : query) CHECK_FALSE(map.RegionsOf({&each, 1}).empty());
    }
  }
  for (const Conditions& query : draw.Draw(QueryKind::kSelective, 200)) {
    CHECK_FALSE(map.RegionsOf(query).empty());
  }
  for (const Conditions& query : draw.Draw(QueryKind::kAbsent, 200)) {
    CHECK(map.RegionsOf(query).empty());
  }
}

TEST_CASE("measured and predicted false regions agree within four standard deviations", "[index]") {
  WayFigures figures;
  figures.predicted_false_regions = 100;
  const auto compare = [&figures](uint64_t num_false, uint64_t group, double least_group) {
    figures.num_regions_asked = num_false;
    figures.sum_false_squares = num_false * group;
    return CompareWithModel(figures, least_group);
  };
  CHECK(compare(139, 1, 1) == Agreement::kAgrees);
  CHECK(compare(141, 1, 1) == Agreement::kDiffers);
  CHECK(compare(61, 1, 1) == Agreement::kAgrees);
  CHECK(compare(59, 1, 1) == Agreement::kDiffers);
  CHECK(compare(179, 1, 4) == Agreement::kAgrees);  // groups of four
  CHECK(compare(179, 4, 1) == Agreement::kAgrees);
  CHECK(compare(181, 4, 4) == Agreement::kDiffers);
  figures.predicted_false_regions = 4;
  CHECK(compare(4, 1, 1) == Agreement::kNotCompared);
}

TEST_CASE("rows of a tab-separated file have sets, nulls and different keys", "[index]") {
  const TableInput input{.tsv = "t", .key = "a", .set_valued = "c"};
  std::istringstream lines("a\tb\tc\n1\t\ty, x,,y\n2\tp,q\t\n");
  const Result<IndexedTable> table = ReadTsv(lines, input);
  REQUIRE(table.ok());
  CHECK_FALSE(table->schema.attributes[0].is_indexed);
  CHECK(table->schema.attributes[1].is_indexed);
  CHECK(table->rows ==
        std::vector<index::Row>{{"1", {{"1"}, {}, {"x", "y"}}}, {"2", {{"2"}, {"p,q"}, {}}}});
  std::istringstream twice("a\tb\tc\n1\t\t\n1\t\t\n");
  CHECK_FALSE(ReadTsv(twice, input).ok());
  std::istringstream narrow("a\tb\tc\n1\t\n");
  CHECK_FALSE(ReadTsv(narrow, input).ok());
}

}  // namespace
}  // namespace trommel::bench
