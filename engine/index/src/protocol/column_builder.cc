#include "engine/index/src/protocol/column_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/sync/steps.h"

namespace trommel::index {
namespace {

constexpr uint64_t kLeastCapacity = 64;   // in pairs: below, rows that come soon resize it
constexpr uint64_t kCompactionShare = 2;  // a structure so many times too large is replaced
constexpr double kLeastSuccessor = 0.6;   // a successor that takes less is worth being built
constexpr size_t kValuesPerCount = 4096;  // of one walk: it may need memory for so many

// Returns the region as the current version has it, if it exists and the attribute is indexed.
std::optional<Region> RegionToBuild(const ServerIndex& directory, ColumnName column) {
  const ServerIndex::Pin pin = directory.PinVersion();
  const size_t position = pin.table().FindId(column.region_id);
  if (position == pin.table().size()) return std::nullopt;
  if (pin.state(column.attribute) != AttributeState::kIndexed) return std::nullopt;
  return pin.table()[position];
}

Error WithRegion(const Error& error, const Region& region) {
  return {error.code, "region " + std::to_string(region.id) + ", server " +
                          std::to_string(region.server) + ": " + error.message};
}

uint64_t WithMargin(uint64_t num_pairs) {
  return std::max(kLeastCapacity, num_pairs + num_pairs / 4);
}

}  // namespace

ColumnBuilder::ColumnBuilder(ServerIndex& directory, RegionStates& regions,
                             std::span<RowStore* const> servers)
    : directory_(directory), regions_(regions), servers_(servers) {}

std::optional<uint64_t> ColumnBuilder::CapacityWanted(const AttributeStats& of,
                                                      uint32_t num_regions) const {
  const uint64_t regions_per_column = RegionsPerColumn();
  const uint64_t num_pairs = (of.largest_column + regions_per_column - 1) / regions_per_column;
  const uint64_t wanted = WithMargin(num_pairs);
  // Of the structure that queries will read.
  const uint64_t capacity = of.is_growing ? of.next_pairs_per_region : of.pairs_per_region;
  const uint32_t num_columns = of.is_growing ? of.next_num_columns : of.num_columns;
  if (num_pairs > capacity + capacity / 2) return wanted;
  // With fewer regions, Reclaim frees columns enough.
  const bool is_shared = directory_.structure() == Structure::kServerFilters;
  if (!is_shared && num_regions > num_columns) return std::max(capacity, wanted);
  // The fullest column is known if all are built.
  if (of.is_growing || of.num_unbuilt != 0) return std::nullopt;
  if (wanted < capacity / kCompactionShare) return wanted;
  if (of.successor_share < kLeastSuccessor) return capacity;
  return std::nullopt;
}

Result<bool> ColumnBuilder::SizeStructures(const std::function<bool()>& keep_going) {
  const ServerIndexStats stats = directory_.GetStats();
  bool is_resized = false;
  std::optional<Error> first_failure;  // one attribute's does not keep the others from theirs
  for (uint32_t attribute = 0; attribute < stats.attributes.size(); ++attribute) {
    const AttributeStats& of = stats.attributes[attribute];
    if (of.state != AttributeState::kIndexed) continue;
    std::optional<uint64_t> capacity;
    if (of.pairs_per_region != 0) {
      capacity = CapacityWanted(of, stats.num_regions);
      if (!capacity) continue;
    } else {
      const Result<std::optional<uint64_t>> counted = MostPairs(attribute, keep_going);
      if (!counted) {
        if (!first_failure) first_failure = counted.error();
        continue;
      }
      if (!*counted) break;
      capacity = WithMargin(**counted);
    }
    const Status status = directory_.Resize(attribute, *capacity);
    if (!status) {
      if (!first_failure) first_failure = status.error();
      continue;
    }
    is_resized = true;
  }
  if (first_failure) return *std::move(first_failure);
  return is_resized;
}

uint64_t ColumnBuilder::RegionsPerColumn() const {
  if (directory_.structure() != Structure::kServerFilters) return 1;
  const ServerIndex::Pin pin = directory_.PinVersion();
  const size_t num_servers = pin.table().num_servers();
  return (pin.table().size() + num_servers - 1) / num_servers;
}

Result<std::optional<uint64_t>> ColumnBuilder::CountPairs(
    uint32_t attribute, const Region& region, const std::function<bool()>& keep_going) const {
  uint64_t num_pairs = 0;
  std::optional<std::string> cursor;
  do {
    if (keep_going != nullptr && !keep_going()) return std::optional<uint64_t>();
    Result<ValueWalk> walk =
        servers_[region.server]->WalkValues(attribute, cursor, region.range, kValuesPerCount);
    if (!walk) return WithRegion(walk.error(), region);
    num_pairs += walk->values.size();
    cursor = std::move(walk->reached);
  } while (cursor);
  return std::optional(num_pairs);
}

Result<std::optional<uint64_t>> ColumnBuilder::MostPairs(
    uint32_t attribute, const std::function<bool()>& keep_going) const {
  const std::vector<Region> regions = [this] {
    const ServerIndex::Pin pin = directory_.PinVersion();
    const auto of_version = pin.table().regions();
    return std::vector<Region>(of_version.begin(), of_version.end());
  }();
  std::optional<uint64_t> most_pairs;
  std::optional<Error> failure;
  for (const Region& region : regions) {
    const Result<std::optional<uint64_t>> counted = CountPairs(attribute, region, keep_going);
    if (counted) {
      if (!*counted) return std::optional<uint64_t>();
      most_pairs = std::max(most_pairs.value_or(0), **counted);
    } else if (servers_[region.server]->is_stopped()) {
      // The others' columns need not wait for a server that is lost. If it has more pairs, the
      // structure grows when it is back.
      failure = counted.error();
    } else {
      return counted.error();
    }
  }
  if (!most_pairs && failure) return *std::move(failure);
  return most_pairs;
}

Result<bool> ColumnBuilder::BuildChunk(ColumnName column, size_t max_values) {
  const std::shared_ptr<RegionState> state = regions_.Find(column.region_id);
  if (state == nullptr) return true;
  const Gate::Shared gate(state->gate);
  const std::optional<Region> region = RegionToBuild(directory_, column);
  if (!region) return true;
  FlightTable& flights = state->flight_tables[column.attribute];
  const auto lock = flights.Lock();
  // Afresh for each chunk: the column may have been replaced.
  const BuildState build = directory_.GetBuildState(column);
  if (build.column_id == 0 || build.is_built) return true;

  // One walk, as of one moment. It may stop at a value that only other regions have, with few
  // values or none: the cursor moves there all the same, because this region has no pairs in
  // between but those of `values`:
  //
  //   values      b   d         g   j         of the server; those of the region: b, d, j
  //   walk        b   d         |             stops at g: its values b and d, the cursor becomes g
  //   in flight           e         h         e is before the cursor: its pair goes in, too;
  //                                           h is beyond it: a later chunk finds it
  //
  // A commit during or after the walk changes only values in flight: they entered before this lock
  // and cannot leave while it is held, and those up to the cursor go in. Operations that enter or
  // leave afterwards maintain every value up to the cursor, and no other.
  Result<ValueWalk> walk = servers_[region->server]->WalkValues(column.attribute, build.cursor,
                                                                region->range, max_values);
  if (!walk) return WithRegion(walk.error(), *region);
  std::vector<std::string>& values = walk->values;
  flights.AppendInFlight(build.cursor, walk->reached, values);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Step("advance build");
  const bool is_advanced = directory_.AdvanceBuild(column, build.column_id, values, walk->reached);
  return is_advanced && !walk->reached;
}

}  // namespace trommel::index
