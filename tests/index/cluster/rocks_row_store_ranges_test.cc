// RocksRowStore: rows of a range as a whole, and entries of an attribute.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "index/cluster/one_store.h"
#include "support/catch.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

using tests::OneStore;

std::vector<std::string> NumberedKeys(int num_keys) {
  std::vector<std::string> keys;
  for (int i = 0; i < num_keys; ++i) keys.push_back(std::to_string(1'000'000 + i));
  return keys;
}

TEST_CASE("a scan has each row of its range once, in order, as it was when the scan began") {
  OneStore one;
  std::mt19937_64 random(3);
  std::map<std::string, Versions> rows;
  for (int i = 0; i < 2'000; ++i) {
    const std::string key = std::to_string(random() % 5'000);
    rows[key] = {{{std::to_string(i)}}, {{}}};
    one.Commit({{.key = key, .versions = rows[key]}});
  }
  const KeyRange range =
      GENERATE(KeyRange{"", ""}, KeyRange{"2", "37"}, KeyRange{"4", ""}, KeyRange{"5", "3"});
  const size_t max_rows = GENERATE(size_t{1}, size_t{7}, size_t{10'000});
  const auto scan = one.store->Scan(range);
  REQUIRE(scan.ok());
  std::vector<std::string> expected;
  for (const auto& [key, versions] : rows) {
    if (range.Contains(key)) expected.push_back(key);
  }
  // None of this is seen.
  for (const std::string& key : expected) one.Commit({{.key = key, .versions = {}}});
  one.PutRows({"30", "4x"});
  std::vector<std::string> found;
  for (;;) {
    const Result<std::vector<RowChange>> next = (*scan)->Next(max_rows);
    REQUIRE(next.ok());
    REQUIRE(next->size() <= max_rows);
    if (next->empty()) break;
    for (const RowChange& row : *next) {
      found.push_back(row.key);
      REQUIRE(row.versions == rows.at(row.key));
    }
  }
  CHECK(found == expected);
  CHECK((*scan)->Next(1)->empty());
}

TEST_CASE("a scan of large rows gives few at a time, and all of them") {
  OneStore one;
  const std::vector<std::string> keys = NumberedKeys(200);
  for (const std::string& key : keys) one.PutRows({key}, kMaxValueBytes);
  const auto scan = one.store->Scan({});
  REQUIRE(scan.ok());
  size_t num_rows = 0;
  for (size_t num_found = 1; num_found > 0; num_rows += num_found) {
    const Result<std::vector<RowChange>> next = (*scan)->Next(1'000);
    REQUIRE(next.ok());
    num_found = next->size();
    CHECK(num_found < 100);
  }
  CHECK(num_rows == keys.size());
}

TEST_CASE("the middle key has half of the rows on either side, and is not the first") {
  OneStore one;
  // From 4,097 keys on, not all are in the sample.
  const int num_keys = GENERATE(2, 3, 10, 1'000, 4'096, 4'097, 8'195, 50'000);
  const std::vector<std::string> keys = NumberedKeys(num_keys);
  one.PutRows(keys);
  one.PutRows({"0", "2"});  // outside of the range
  const Result<std::optional<std::string>> middle = one.store->MiddleKey({"1", "2"});
  REQUIRE(middle.ok());
  REQUIRE(middle->has_value());
  const auto position = std::ranges::lower_bound(keys, **middle) - keys.begin();
  REQUIRE(position < num_keys);
  CHECK(keys[static_cast<size_t>(position)] == **middle);
  CHECK(position > 0);
  CHECK(std::abs(position - num_keys / 2) <= num_keys / 1'000);
}

TEST_CASE("fewer than two rows have no middle key") {
  OneStore one;
  one.PutRows({"k"});
  CHECK_FALSE(one.store->MiddleKey({})->has_value());
  CHECK_FALSE(one.store->MiddleKey({"l", ""})->has_value());
  CHECK_FALSE(one.store->MiddleKey({"l", "a"})->has_value());
}

TEST_CASE("the estimate of a range's bytes grows with its rows and with their entries") {
  const bool is_in_memory = GENERATE(false, true);
  OneStore one(1, uint64_t{64} << 20);
  CHECK(*one.store->EstimateBytes({}) == 0);
  std::mt19937_64 random(5);
  const std::vector<std::string> keys = NumberedKeys(20'000);
  const auto put = [&](bool has_entries) {
    std::vector<RowChange> rows;
    std::vector<EntryChange> entries;
    for (const std::string& key : keys) {
      std::string value(200, '\0');
      for (char& byte : value) byte = static_cast<char>(random());  // nothing to compress
      rows.push_back({.key = key, .versions = {{{value}}}});
      if (has_entries) entries.push_back({0, value, key, true});
    }
    one.Commit(rows, entries);
    if (is_in_memory) return;
    one.store->Stop();  // a start writes what is in the log to tables
    REQUIRE(one.store->Start().ok());
  };
  put(false);
  const auto all = static_cast<double>(*one.store->EstimateBytes({}));
  CHECK(all > 3e6);
  CHECK(all < 9e6);
  const auto quarter = static_cast<double>(*one.store->EstimateBytes({keys[5'000], keys[10'000]}));
  // In memory, only the first 1,000 rows are sure: a twentieth.
  CHECK(quarter > (is_in_memory ? 0.03 : 0.15) * all);
  CHECK(quarter < (is_in_memory ? 1.0 : 0.4) * all);
  const uint64_t hundred = *one.store->EstimateBytes({keys[600], keys[700]});
  CHECK(hundred > 20'000);  // values alone
  CHECK(hundred < 25'000);
  CHECK(*one.store->EstimateBytes({"3", ""}) == 0);
  CHECK(*one.store->EstimateBytes({"3", "1"}) == 0);
  put(true);
  CHECK(static_cast<double>(*one.store->EstimateBytes({})) > 1.4 * all);
}

TEST_CASE("the entries of an attribute go, and those of others stay") {
  OneStore one(kMaxAttributes);
  const uint32_t attribute = GENERATE(0u, 1u, 255u, 256u, 1023u);
  std::vector<EntryChange> entries;
  for (uint32_t a = 0; a < kMaxAttributes; ++a) {
    for (const std::string& value :
         {std::string(), std::string("\xff\xff"), std::string(1, '\0')}) {
      entries.push_back({a, value, "k", true});
    }
  }
  one.Commit({}, entries);
  REQUIRE(one.store->RemoveEntries(attribute).ok());
  for (uint32_t a = 0; a < kMaxAttributes; ++a) {
    const Result<ValueWalk> walk = one.store->WalkValues(a, std::nullopt, {}, 10);
    REQUIRE(walk.ok());
    REQUIRE(walk->values.size() == (a == attribute ? 0 : 3));
  }
  // Entries that come later are there.
  one.Commit({}, {{attribute, "new", "k", true}});
  CHECK(one.store->WalkValues(attribute, std::nullopt, {}, 10)->values ==
        std::vector<std::string>{"new"});
}

}  // namespace
}  // namespace trommel::index
