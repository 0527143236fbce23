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

TEST_CASE("queries are drawn from attributes of few values and of many", "[tools]") {
  constexpr uint32_t kNumAttributes = 9;
  const index::Schema schema = SchemaOf(kNumAttributes);
  std::vector<index::Row> sample;
  for (uint32_t i = 0; i < 1001; ++i) {
    index::Row row{std::to_string(i), {}};
    // 2^j different values, the first in one row more than the last.
    for (uint32_t j = 0; j < kNumAttributes; ++j) {
      row.attributes.push_back({"v" + std::to_string(i % (uint32_t{1} << j))});
    }
    sample.push_back(row);
  }
  const std::vector<DemoQuery> queries = DrawDemoQueries(schema, sample, sample.size());
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
  CHECK(queries.back().conditions[0].value == "no-such-value");

  // Of a table that is larger by far, what is frequent in the sample is in too many rows.
  const std::vector<DemoQuery> of_large = DrawDemoQueries(schema, sample, 10'000'000);
  CHECK(of_large.size() < queries.size());
  CHECK(std::ranges::find(of_large, "a1=v0", &DemoQuery::text) == of_large.end());
}

TEST_CASE("queries are drawn from any table with an indexed attribute", "[tools]") {
  index::Schema schema = SchemaOf(2);
  schema.attributes[0].is_indexed = false;
  const std::vector<index::Row> nulls = {{"key", {{"x"}, {}}}};
  const std::vector<DemoQuery> of_nulls = DrawDemoQueries(schema, nulls, 1);
  REQUIRE(of_nulls.size() == 1);
  CHECK(of_nulls[0].conditions[0].attribute == 1);

  const std::vector<index::Row> constant(3, {"key", {{"no-such-value"}, {"no-such-value", "a b"}}});
  const std::vector<DemoQuery> of_constant = DrawDemoQueries(schema, constant, 3);
  REQUIRE(of_constant.size() == 2);
  CHECK(of_constant[0].text == "a1='a b'");
  CHECK(of_constant[1].text == "a1=no-such-value-");
}

}  // namespace
}  // namespace trommel::tool
