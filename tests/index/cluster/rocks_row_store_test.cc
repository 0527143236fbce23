// RocksRowStore against a model: rows in a map, entries in a set.
#include "engine/index/src/rocks/rocks_row_store.h"

#include <rocksdb/options.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/row_store.h"
#include "index/cluster/one_store.h"
#include "support/catch.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

using tests::kFirstServer;
using tests::kOneAttribute;
using tests::OneStore;

std::string RandomText(std::mt19937_64& random, size_t least, size_t most) {
  constexpr char kBytes[] = {'\0', '\x01', 'a', 'b', '\xff'};
  std::string text(least + random() % (most - least + 1), '\0');
  for (char& byte : text) byte = kBytes[random() % std::size(kBytes)];
  return text;
}

// What the row store's calls must return.
struct Model {
  std::map<std::string, Versions> rows;
  std::set<std::tuple<uint32_t, std::string, std::string>> entries;

  bool HasValue(uint32_t attribute, const std::string& value, const KeyRange& range) const {
    for (const auto& [a, v, key] : entries) {
      if (a == attribute && v == value && range.Contains(key)) return true;
    }
    return false;
  }
  // The values beyond `after` of rows of the range; all of the attribute if there is no range.
  std::vector<std::string> ValuesBeyond(const std::optional<std::string>& after, uint32_t attribute,
                                        const KeyRange* range) const {
    std::set<std::string> values;
    for (const auto& [a, v, key] : entries) {
      if (a == attribute && (!after || v > *after) && (range == nullptr || range->Contains(key))) {
        values.insert(v);
      }
    }
    return {values.begin(), values.end()};
  }
};

// A few random changes of rows and entries. The store does not look whether they belong together.
void ChangeBoth(std::mt19937_64& random, RowStore& store, Model& model) {
  std::vector<RowChange> rows;
  std::vector<EntryChange> entries;
  std::set<std::string> keys;
  for (int i = 0; i < 20; ++i) {
    const std::string key = RandomText(random, 1, 4);
    if (!keys.insert(key).second) continue;
    if (random() % 3 == 0) {
      rows.push_back({.key = key, .versions = {}});
      model.rows.erase(key);
    } else {
      rows.push_back({.key = key, .versions = {{{RandomText(random, 0, 3)}, {}}}});
      model.rows[key] = rows.back().versions;
    }
    EntryChange entry{.attribute = static_cast<uint32_t>(random() % 2),
                      .value = RandomText(random, 0, 3),
                      .row_key = key,
                      .is_added = random() % 2 == 0};
    const std::tuple parts{entry.attribute, entry.value, entry.row_key};
    if (entry.is_added) {
      model.entries.insert(parts);
    } else {
      model.entries.erase(parts);
    }
    entries.push_back(std::move(entry));
  }
  REQUIRE(store.Commit(rows, entries, store.incarnation()).ok());
}

// Walks from `after` to the end. Each walk must have all values up to where it stopped, and stop at
// a value.
void CompareWalks(const RowStore& store, const Model& model, uint32_t attribute,
                  std::optional<std::string> after, const KeyRange& range, size_t max_values) {
  const std::vector<std::string> expected = model.ValuesBeyond(after, attribute, &range);
  const std::vector<std::string> all = model.ValuesBeyond(std::nullopt, attribute, nullptr);
  std::vector<std::string> found;
  do {
    const Result<ValueWalk> walk = store.WalkValues(attribute, after, range, max_values);
    REQUIRE(walk.ok());
    REQUIRE(walk->values.size() <= max_values);
    found.insert(found.end(), walk->values.begin(), walk->values.end());
    if (walk->reached) {
      REQUIRE((!after || *walk->reached > *after));
      REQUIRE(std::binary_search(all.begin(), all.end(), *walk->reached));
      const auto rest = std::upper_bound(expected.begin(), expected.end(), *walk->reached);
      REQUIRE(found == std::vector<std::string>(expected.begin(), rest));
    }
    after = walk->reached;
  } while (after);
  REQUIRE(found == expected);
}

void CompareWithModel(std::mt19937_64& random, const RowStore& store, const Model& model) {
  for (int i = 0; i < 300; ++i) {
    const uint32_t attribute = random() % 2;
    const KeyRange range{.begin = RandomText(random, 0, 2), .end = RandomText(random, 0, 2)};
    const std::string value = RandomText(random, 0, 3);
    const Result<bool> has_value = store.HasValue(attribute, value, range);
    REQUIRE(has_value.ok());
    REQUIRE(*has_value == model.HasValue(attribute, value, range));
    const auto after = i % 8 == 0 ? std::nullopt : std::optional(value);
    CompareWalks(store, model, attribute, after, range, 1 + random() % (i % 2 == 0 ? 3 : 100));
  }
  std::vector<std::string> keys = {"not there"};
  for (const auto& [key, versions] : model.rows) keys.push_back(key);
  const Result<std::vector<Versions>> rows = store.Read(keys);
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == keys.size());
  CHECK(rows->front().empty());
  for (size_t i = 1; i < keys.size(); ++i) REQUIRE((*rows)[i] == model.rows.at(keys[i]));
}

TEST_CASE("a row store answers as a map of rows and a set of entries do") {
  OneStore one(2, 1 << 18);  // so little memory that tables are written, too
  std::mt19937_64 random(6);
  Model model;
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 10; ++i) ChangeBoth(random, *one.store, model);
    CompareWithModel(random, *one.store, model);
    if (round % 4 == 3) one.Reopen();
  }
}

TEST_CASE("values are found one after the other among many of other regions") {
  OneStore one;
  std::vector<EntryChange> entries;
  for (int i = 0; i < 2'000; ++i) {
    // Most values have no row in [k, l), some have one there and hundreds before and behind.
    const std::string value = std::to_string(100'000 + i);
    entries.push_back({.value = value, .row_key = "a", .is_added = true});
    entries.push_back({.value = value, .row_key = "z", .is_added = true});
    if (i % 100 != 0) continue;
    entries.push_back({.value = value, .row_key = "k", .is_added = true});
    for (int j = 0; j < 300; ++j) {
      entries.push_back({.value = value, .row_key = "b" + std::to_string(j), .is_added = true});
      entries.push_back({.value = value, .row_key = "l" + std::to_string(j), .is_added = true});
    }
  }
  one.Commit({}, entries);
  const size_t max_values = GENERATE(size_t{1}, size_t{3}, size_t{1'000});
  std::vector<std::string> found;
  std::optional<std::string> reached;
  do {
    const Result<ValueWalk> walk =
        one.store->WalkValues(0, reached, {.begin = "k", .end = "l"}, max_values);
    REQUIRE(walk.ok());
    found.insert(found.end(), walk->values.begin(), walk->values.end());
    reached = walk->reached;
  } while (reached);
  std::vector<std::string> expected;
  for (int i = 0; i < 2'000; i += 100) expected.push_back(std::to_string(100'000 + i));
  CHECK(found == expected);
}

TEST_CASE("a walk stops long before the end of values that only other regions have") {
  OneStore one;
  constexpr int kNumValues = 10'000;
  // One entry per value; or many, which a seek passes.
  const int per_value = GENERATE(1, 20);
  std::vector<EntryChange> entries;
  for (int i = 0; i < kNumValues; ++i) {
    for (int j = 0; j < per_value; ++j) {
      const std::string key = "a" + std::to_string(j);
      entries.push_back({.value = std::to_string(100'000 + i), .row_key = key, .is_added = true});
    }
  }
  entries.push_back({.value = "999999", .row_key = "k", .is_added = true});
  one.Commit({}, entries);
  const KeyRange range = GENERATE(KeyRange{"k", "l"}, KeyRange{"K", "L"});
  const bool has_last = range.Contains("k");

  constexpr size_t kMaxValues = 16;
  constexpr int kMostPassed = 4 * kMaxValues + 64;  // each value takes one step at least
  std::optional<std::string> reached;
  int num_walks = 0;
  std::vector<std::string> found;
  for (int passed = 0;; ++num_walks) {
    const Result<ValueWalk> walk = one.store->WalkValues(0, reached, range, kMaxValues);
    REQUIRE(walk.ok());
    found.insert(found.end(), walk->values.begin(), walk->values.end());
    reached = walk->reached;
    if (!reached) break;
    REQUIRE(found.empty());
    const int position = std::stoi(*reached) - 100'000 + 1;
    REQUIRE(position > passed);
    REQUIRE(position <= passed + kMostPassed);
    passed = position;
  }
  CHECK(num_walks >= kNumValues / kMostPassed);
  CHECK(found == (has_last ? std::vector<std::string>{"999999"} : std::vector<std::string>{}));
}

TEST_CASE("a stamp stays over opens that write nothing, and each that writes has another mark") {
  OneStore one;
  const std::vector<RowChange> rows = {{.key = "k", .versions = {{{"v"}}}}};
  one.Commit(rows);
  const Result<StoreStamp> first = one.store->Stamp();
  REQUIRE(first.ok());
  REQUIRE(one.store->Sync().ok());
  for (int i = 0; i < 3; ++i) {
    one.Reopen();
    CHECK(*one.store->Stamp() == *first);
  }
  one.Commit(rows);
  const Result<StoreStamp> second = one.store->Stamp();
  REQUIRE(second.ok());
  CHECK(second->identity != first->identity);
  CHECK(second->sequence > first->sequence);
  one.Commit(rows);
  CHECK(one.store->Stamp()->identity == second->identity);
  CHECK(one.store->Stamp()->sequence > second->sequence);
  one.store->Stop();
  REQUIRE(one.store->Start().ok());
  CHECK(one.store->Stamp()->identity == second->identity);
  REQUIRE(one.store->RemoveEntries(0).ok());
  CHECK(one.store->Stamp()->identity != second->identity);

  const auto other =
      RocksRowStore::Create(one.folder / "t", kFirstServer, kOneAttribute, one.resources);
  REQUIRE(other.ok());
  CHECK((*other)->Stamp()->identity != first->identity);
}

TEST_CASE("writes that come at once all stand behind the mark of their open", "[threads]") {
  OneStore one;
  const Result<StoreStamp> created = one.store->Stamp();
  std::atomic<int> num_wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::vector<RowChange> rows = {{.key = "k" + std::to_string(t), .versions = {{{"v"}}}}};
      if (!one.store->Commit(rows, {}, one.store->incarnation()).ok()) ++num_wrong;
      if (one.store->Stamp()->identity == created->identity) ++num_wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(num_wrong == 0);
  CHECK(one.store->Stamp()->sequence == created->sequence + 1 + threads.size());
}

TEST_CASE("a row whose bytes are damaged is an error that names folder and key") {
  OneStore one;
  const auto put = [&one](size_t family, const std::string& key, const std::string& value) {
    const Result<DatabaseShare> share = one.store->database().Use();
    return share &&
           share->db().Put(rocksdb::WriteOptions(), share->family(family), key, value).ok();
  };
  REQUIRE(put(kRowsFamily, "bad", "xyz"));
  const auto rows = one.store->Read(std::vector<std::string>{"bad"});
  REQUIRE_FALSE(rows.ok());
  CHECK(rows.error().code == ErrorCode::kCorrupt);
  CHECK(rows.error().message.find((one.folder / "s").string()) != std::string::npos);
  CHECK(rows.error().message.find("\"bad\"") != std::string::npos);
  const auto scan = one.store->Scan({});
  REQUIRE(scan.ok());
  CHECK((*scan)->Next(1).error().code == ErrorCode::kCorrupt);

  REQUIRE(put(kIndexFamily, "bad", ""));
  REQUIRE(put(kIndexFamily, AttributePrefix(0) + "cut", ""));
  const auto walk = one.store->WalkValues(0, std::nullopt, {}, 1);
  REQUIRE_FALSE(walk.ok());
  CHECK(walk.error().code == ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace trommel::index
