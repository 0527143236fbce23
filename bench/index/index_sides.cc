#include "bench/index/index_sides.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/index/src/protocol/row_changes.h"
#include "engine/index/src/query/key_ranges.h"
#include "engine/index/src/query/lookups.h"
#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/server_index.h"

namespace trommel::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kQueryTimeout{2};

// Adds the time since `start` and starts again.
void Lap(Clock::time_point& start, double& seconds) {
  const Clock::time_point now = Clock::now();
  seconds += std::chrono::duration<double>(now - start).count();
  start = now;
}

Result<std::unique_ptr<index::Cluster>> MakeTable(const std::filesystem::path& folder,
                                                  index::ClusterConfig config,
                                                  index::Structure structure,
                                                  const index::ClusterOptions& options) {
  config.structure = structure;
  Result<index::Cluster> table = index::Cluster::Create(folder, config, options);
  if (!table) return table.error();
  return std::make_unique<index::Cluster>(*std::move(table));
}

}  // namespace

const char* NameOf(Way way) noexcept {
  constexpr const char* kNames[] = {"broadcast", "server filters", "column map", "exact map"};
  static_assert(std::size(kNames) == kNumWays);
  return kNames[static_cast<size_t>(way)];
}

IndexSides::IndexSides(index::RegionTable table, const index::Schema& schema)
    : table_(std::move(table)), map_(schema.attributes.size()) {
  for (const index::Attribute& each : schema.attributes) is_indexed_.push_back(each.is_indexed);
}

Result<IndexSides> IndexSides::Create(const std::filesystem::path& folder,
                                      const index::Schema& schema,
                                      const std::vector<std::string>& splits,
                                      uint32_t num_servers) {
  Result<index::RegionTable> table = index::RegionTable::Split(splits, num_servers);
  if (!table) return table.error();
  IndexSides sides(*std::move(table), schema);
  const index::ClusterConfig config{.schema = schema, .num_servers = num_servers, .splits = splits};
  index::ClusterOptions options;
  options.num_builders = 0;  // columns are built when their time is taken
  auto filters = MakeTable(folder / "filters", config, index::Structure::kServerFilters, options);
  if (!filters) return filters.error();
  sides.server_filters_ = *std::move(filters);
  auto column_map = MakeTable(folder / "column_map", config, index::Structure::kMap, options);
  if (!column_map) return column_map.error();
  sides.column_map_ = *std::move(column_map);

  const index::DatabaseResources resources(options.memory_bytes, num_servers);
  const index::RowStoreOptions of_stores{.num_attributes = schema.attributes.size()};
  for (uint32_t i = 0; i < num_servers; ++i) {
    const std::filesystem::path place = folder / "plain" / std::to_string(i);
    std::filesystem::create_directories(place);
    auto store = index::RocksRowStore::Create(place, {.cluster = "plain", .server = i}, of_stores,
                                              resources);
    if (!store) return store.error();
    sides.plain_.push_back(*std::move(store));
  }
  return sides;
}

Result<index::QueryOutcome> IndexSides::Ask(Way way,
                                            std::span<const index::Condition> conditions) const {
  if (way == Way::kExactMap) return AskMap(conditions);
  index::QueryRequest request;
  request.conditions.assign(conditions.begin(), conditions.end());
  request.timeout = kQueryTimeout;
  if (way == Way::kBroadcast) request.routing = index::Routing::kBroadcast;
  const index::Cluster& directory = way == Way::kServerFilters ? *server_filters_ : *column_map_;
  return index::Query(directory.directory(), column_map_->store(), request);
}

index::QueryOutcome IndexSides::AskMap(std::span<const index::Condition> conditions) const {
  const Clock::time_point start = Clock::now();
  index::LookupTerms terms{.conditions = {conditions.begin(), conditions.end()},
                           .indexed_conditions = {},
                           .timeout = kQueryTimeout,
                           .deadline = start + kQueryTimeout};
  for (uint32_t i = 0; i < conditions.size(); ++i) terms.indexed_conditions.push_back(i);
  index::QueryOutcome outcome;
  index::QueryPlan& plan = outcome.plan;
  const RegionList candidates = map_.RegionsOf(conditions);
  plan.directory_time = Clock::now() - start;
  index::RangesOfServers routes;
  for (const size_t region : candidates) {
    index::Append(routes[table_[region].server], table_[region].range);
  }
  index::LookupsOutcome lookups =
      index::AskServers(column_map_->directory(), column_map_->store(), terms, routes);
  plan.total_time = Clock::now() - start;
  plan.num_candidates = static_cast<uint32_t>(candidates.size());
  std::set<size_t> regions;
  for (const index::Row& row : lookups.rows) regions.insert(table_.Find(row.key));
  plan.num_regions_with_rows = static_cast<uint32_t>(regions.size());
  plan.num_servers_asked = static_cast<uint32_t>(lookups.servers_asked.size());
  plan.num_servers_with_rows = static_cast<uint32_t>(lookups.servers_with_rows.size());
  plan.num_lookups = lookups.num_lookups;
  plan.num_retries = lookups.num_retries;
  plan.num_entries_read = lookups.num_entries_read;
  plan.num_rows_read = lookups.num_rows_read;
  outcome.rows = std::move(lookups.rows);
  std::ranges::sort(outcome.rows, {}, &index::Row::key);
  outcome.unanswered = std::move(lookups.unanswered);
  return outcome;
}

Status IndexSides::WritePlain(std::span<const index::Mutation> mutations, PlainSeconds& seconds) {
  Clock::time_point start = Clock::now();
  std::map<size_t, std::vector<const index::Mutation*>> parts;
  for (const index::Mutation& each : mutations) parts[table_.Find(each.key)].push_back(&each);
  for (auto& [position, part] : parts) {
    std::ranges::sort(part, {}, &index::Mutation::key);
    std::vector<std::string> keys;
    for (const index::Mutation* const mutation : part) keys.push_back(mutation->key);
    index::RocksRowStore& store = *plain_[table_[position].server];
    const Result<std::vector<index::Versions>> old_rows = store.Read(keys);
    if (!old_rows) return old_rows.error();
    std::vector<index::RowChange> rows;
    std::vector<index::EntryChange> entries;
    for (size_t i = 0; i < keys.size(); ++i) {
      index::Versions after = (*old_rows)[i];
      index::Apply(*part[i], 1, after);
      if (after == (*old_rows)[i]) continue;
      index::AppendEntryChanges(keys[i], (*old_rows)[i], after, is_indexed_, entries);
      rows.push_back({keys[i], std::move(after)});
    }
    Lap(start, seconds.read);
    if (Status status = store.Commit(rows, entries, store.incarnation()); !status) return status;
    Lap(start, seconds.commit);
    for (const index::EntryChange& entry : entries) {
      const auto region = static_cast<uint16_t>(position);
      if (entry.is_added) {
        map_.Insert(entry.attribute, entry.value, region);
        continue;
      }
      const Result<bool> has_value =
          store.HasValue(entry.attribute, entry.value, table_[position].range);
      if (!has_value) return has_value.error();
      if (!*has_value) map_.Erase(entry.attribute, entry.value, region);
    }
    Lap(start, seconds.map);
  }
  return Ok();
}

void ExactMap::Insert(uint32_t attribute, std::string_view value, uint16_t region) {
  Map& map = attributes_[attribute];
  auto found = map.find(value);
  if (found == map.end()) found = map.emplace(value, RegionList()).first;
  RegionList& regions = found->second;
  const auto place = std::ranges::lower_bound(regions, region);
  if (place != regions.end() && *place == region) return;
  regions.insert(place, region);
  ++num_pairs_;
}

void ExactMap::Erase(uint32_t attribute, std::string_view value, uint16_t region) {
  Map& map = attributes_[attribute];
  const auto found = map.find(value);
  if (found == map.end()) return;
  RegionList& regions = found->second;
  const auto place = std::ranges::lower_bound(regions, region);
  if (place == regions.end() || *place != region) return;
  regions.erase(place);
  --num_pairs_;
  if (regions.empty()) map.erase(found);
}

RegionList ExactMap::RegionsOf(uint32_t attribute, std::string_view value) const {
  const auto found = attributes_[attribute].find(value);
  return found == attributes_[attribute].end() ? RegionList() : found->second;
}

RegionList ExactMap::RegionsOf(std::span<const index::Condition> conditions) const {
  RegionList regions = RegionsOf(conditions[0].attribute, conditions[0].value);
  for (const index::Condition& condition : conditions.subspan(1)) {
    const RegionList others = RegionsOf(condition.attribute, condition.value);
    RegionList both;
    std::ranges::set_intersection(regions, others, std::back_inserter(both));
    regions = both;
  }
  return regions;
}

std::vector<std::string_view> ExactMap::ValuesOf(uint32_t attribute) const {
  std::vector<std::string_view> values;
  for (const auto& [value, regions] : attributes_[attribute]) values.emplace_back(value);
  std::ranges::sort(values);  // the same order on every machine
  return values;
}

uint64_t ExactMap::num_values() const noexcept {
  uint64_t num_values = 0;
  for (const Map& map : attributes_) num_values += map.size();
  return num_values;
}

uint64_t ExactMap::num_bytes() const noexcept {
  constexpr uint64_t kNodeBytes = sizeof(Map::value_type) + 2 * sizeof(void*);  // next, hash
  uint64_t num_bytes = 0;
  for (const Map& map : attributes_) {
    num_bytes += map.bucket_count() * sizeof(void*) + map.size() * kNodeBytes;
    for (const auto& [value, regions] : map) {
      if (value.capacity() > std::string().capacity()) num_bytes += value.capacity() + 1;
      if (regions.capacity() > RegionList().capacity()) {
        num_bytes += (regions.capacity() + 1) * sizeof(char16_t);
      }
    }
  }
  return num_bytes;
}

}  // namespace trommel::bench
