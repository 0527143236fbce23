// Where a table is cut, how many keys are different, and what the demo draws from rows.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/index/commands/demo.h"
#include "tools/index/rows/row_sample.h"
#include "trommel/index/region_table.h"

namespace trommel::tool {
namespace {

std::string KeyOf(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - digits.size(), '0') + digits;
}

TEST_CASE("few keys are cut into regions of equal size", "[tools]") {
  KeySample sample;
  for (uint64_t i = 0; i < 100; ++i) sample.Add(KeyOf(i * 37 % 100));
  CHECK(sample.Splits(4) == std::vector<std::string>{KeyOf(25), KeyOf(50), KeyOf(75)});
  CHECK(sample.Splits(1).empty());
}

TEST_CASE("no more regions are made than there are different keys", "[tools]") {
  KeySample sample;
  CHECK(sample.Splits(10).empty());
  for (const char* const key : {"a", "b", "a", "a", "c"}) sample.Add(key);
  CHECK(sample.Splits(10) == std::vector<std::string>{"b", "c"});
  CHECK(index::RegionTable::Split(sample.Splits(10), 2).ok());
}

TEST_CASE("a sample of many keys cuts regions of about the same size", "[tools]") {
  constexpr size_t kSampled = 4000;
  constexpr uint64_t kNumKeys = 200'000;
  constexpr size_t kNumRegions = 8;
  KeySample sample(kSampled);
  KeySample again(kSampled);
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    sample.Add(KeyOf(i));
    again.Add(KeyOf(i));
  }
  const std::vector<std::string> splits = sample.Splits(kNumRegions);
  CHECK(splits == again.Splits(kNumRegions));
  REQUIRE(splits.size() == kNumRegions - 1);
  for (size_t i = 0; i < splits.size(); ++i) {
    // The number of sampled keys below the true quantile is binomial: five standard deviations.
    const double part = static_cast<double>(i + 1) / kNumRegions;
    const double deviation = std::sqrt(part * (1 - part) / kSampled);
    CHECK(std::stod(splits[i]) / kNumKeys == Approx(part).margin(5 * deviation));
  }
}

TEST_CASE("different keys are counted once", "[tools]") {
  DifferentKeys keys;
  CHECK(keys.Count() == 0);
  for (uint64_t i = 0; i < 3000; ++i) keys.Add(KeyOf(i % 1000));
  CHECK(keys.Count() == 1000);
}

index::Schema SchemaOf(size_t num_attributes) {
  index::Schema schema;
  for (size_t i = 0; i < num_attributes; ++i) {
    schema.attributes.push_back({"a" + std::to_string(i), true});
  }
  return schema;
}

TEST_CASE("the sample counts the rows of each value", "[tools]") {
  RowSample sample(SchemaOf(1), 10);
  for (int i = 0; i < 60; ++i) {
    const std::string value = i < 30 ? "thirty" : i < 50 ? "twenty" : "x" + std::to_string(i);
    sample.Add({"key" + std::to_string(i), {{value}}});
  }
  CHECK(sample.num_rows() == 60);
  CHECK(sample.rows().size() == 10);
  CHECK(sample.NumValues(0) == 12);
  CHECK(sample.Frequent(0, 1000) == "thirty");
  CHECK(sample.Frequent(0, 30) == "thirty");
  CHECK(sample.Frequent(0, 29) == "twenty");
  CHECK(sample.Frequent(0, 0) == std::nullopt);
  CHECK(sample.Rare(0) == "x55");
}

TEST_CASE("values behind the most that are counted do not change the counts", "[tools]") {
  RowSample sample(SchemaOf(1), 1);
  for (size_t i = 0; i < RowSample::kMostValues; ++i) {
    sample.Add({"key", {{"v" + std::to_string(i)}}});
  }
  for (size_t i = 0; i < 100; ++i) sample.Add({"key", {{"late"}}});
  for (size_t i = 0; i < 5; ++i) sample.Add({"key", {{"v17"}}});
  sample.Add({"key", {{std::string(RowSample::kLongestValue + 1, 'x')}}});
  CHECK(sample.NumValues(0) == RowSample::kMostValues);
  CHECK(sample.Frequent(0, 1000) == "v17");
  CHECK(sample.Frequent(0, 5) != "late");
}

TEST_CASE("the absent value is in no row, whatever the rows have", "[tools]") {
  RowSample sample(SchemaOf(1), 10);
  std::string absent = sample.Absent(0);
  for (int i = 0; i < 5; ++i) {
    sample.Add({"key", {{absent, absent + std::string(10, '-')}}});
    CHECK(sample.Absent(0).size() > absent.size() + 10);
    absent = sample.Absent(0);
  }
  RowSample empty(SchemaOf(2), 10);
  CHECK(empty.Rare(1) == std::nullopt);
}

TEST_CASE("queries are drawn from attributes of few values and of many", "[tools]") {
  constexpr uint32_t kNumAttributes = 9;
  const index::Schema schema = SchemaOf(kNumAttributes);
  RowSample sample(schema, 100);
  for (uint32_t i = 0; i < 1001; ++i) {
    index::Row row{std::to_string(i), {}};
    // 2^j different values, the first in one row more than the last.
    for (uint32_t j = 0; j < kNumAttributes; ++j) {
      row.attributes.push_back({"v" + std::to_string(i % (uint32_t{1} << j))});
    }
    sample.Add(row);
  }
  const std::vector<DemoQuery> queries = DrawDemoQueries(schema, sample);
  REQUIRE(queries.size() == 13);
  std::vector<bool> is_drawn(kNumAttributes);
  size_t num_pairs = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    num_pairs += queries[i].conditions.size() == 2 ? 1 : 0;
    for (const index::Condition& condition : queries[i].conditions) {
      is_drawn[condition.attribute] = true;
    }
    for (size_t j = 0; j < i; ++j) CHECK(queries[i].conditions != queries[j].conditions);
  }
  CHECK(num_pairs == 2);
  CHECK_FALSE(is_drawn[0]);  // one value
  CHECK(is_drawn[1]);
  CHECK(is_drawn[kNumAttributes - 1]);
  CHECK(queries.back().conditions[0].value == sample.Absent(kNumAttributes - 1));
}

TEST_CASE("queries are drawn from any table with an indexed attribute", "[tools]") {
  index::Schema schema = SchemaOf(2);
  schema.attributes[0].is_indexed = false;
  RowSample nulls(schema, 10);
  nulls.Add({"key", {{"x"}, {}}});
  const std::vector<DemoQuery> of_nulls = DrawDemoQueries(schema, nulls);
  REQUIRE(of_nulls.size() == 1);
  CHECK(of_nulls[0].conditions[0].attribute == 1);

  RowSample constant(schema, 10);
  for (int i = 0; i < 3; ++i) constant.Add({"key", {{"x"}, {"a b"}}});
  const std::vector<DemoQuery> of_constant = DrawDemoQueries(schema, constant);
  REQUIRE(of_constant.size() == 2);
  CHECK(of_constant[0].text == "a1='a b'");
}

}  // namespace
}  // namespace trommel::tool
