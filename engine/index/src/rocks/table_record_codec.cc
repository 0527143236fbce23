#include "engine/index/src/rocks/table_record_codec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/byte_codec.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

// Of a bound between keys: the least key beyond a longest one has a byte more.
constexpr size_t kMaxBoundBytes = kMaxKeyBytes + 1;

Error DamagedTable(std::string_view reason) {
  return Error{ErrorCode::kCorrupt, "its region table is damaged: " + std::string(reason)};
}

Result<RegionTable> ReadRegions(ByteReader& reader, uint32_t num_servers, uint32_t largest_id) {
  const uint64_t num_regions = reader.Number(kMaxRegions).value_or(0);
  std::vector<Region> regions;
  for (uint64_t i = 0; i < num_regions; ++i) {
    const std::optional<uint64_t> id = reader.Number(largest_id);
    const std::optional<uint64_t> server = id ? reader.Number(num_servers - 1) : std::nullopt;
    const std::optional<std::string_view> begin =
        server ? reader.String(kMaxBoundBytes) : std::nullopt;
    if (!begin) return DamagedTable("region " + std::to_string(i));
    if (!regions.empty()) regions.back().range.end = *begin;
    regions.push_back({.id = static_cast<uint32_t>(*id),
                       .range = {.begin = std::string(*begin), .end = ""},
                       .server = static_cast<uint32_t>(*server)});
  }
  Result<RegionTable> table = RegionTable::Create(std::move(regions));
  if (!table) return DamagedTable(table.error().message);
  return table;
}

// Returns whether the attribute was read.
bool ReadAttribute(ByteReader& reader, AttributeRecord& attribute) {
  const std::optional<uint64_t> state =
      reader.Number(static_cast<uint64_t>(AttributeState::kDropping));
  if (!state) return false;
  attribute.state = static_cast<AttributeState>(*state);
  if (attribute.state != AttributeState::kBuilding) return true;
  const std::optional<uint64_t> has_rows = reader.Number(1);
  if (!has_rows) return false;
  if (*has_rows == 0) return true;
  const std::optional<std::string_view> backfilled = reader.String(kMaxBoundBytes);
  if (backfilled) attribute.backfilled = *backfilled;
  return backfilled.has_value();
}

bool ReadLeftovers(ByteReader& reader, uint32_t num_servers, std::vector<Leftover>& leftovers) {
  const std::optional<uint64_t> num_leftovers = reader.Number(reader.num_left());
  if (!num_leftovers) return false;
  for (uint64_t i = 0; i < *num_leftovers; ++i) {
    const std::optional<uint64_t> server = reader.Number(num_servers - 1);
    const std::optional<std::string_view> begin =
        server ? reader.String(kMaxBoundBytes) : std::nullopt;
    const std::optional<std::string_view> end =
        begin ? reader.String(kMaxBoundBytes) : std::nullopt;
    if (!end) return false;
    leftovers.push_back({.server = static_cast<uint32_t>(*server),
                         .range = {.begin = std::string(*begin), .end = std::string(*end)}});
  }
  return true;
}

}  // namespace

TableRecord FirstRecord(const Schema& schema, RegionTable table) {
  TableRecord record{.table = std::move(table),
                     .next_region_id = 0,
                     .attributes = std::vector<AttributeRecord>(schema.attributes.size()),
                     .leftovers = {}};
  for (const Region& region : record.table.regions()) {
    record.next_region_id = std::max(record.next_region_id, region.id + 1);
  }
  for (size_t i = 0; i < schema.attributes.size(); ++i) {
    if (schema.attributes[i].is_indexed) record.attributes[i].state = AttributeState::kIndexed;
  }
  return record;
}

std::string EncodeTableRecord(const TableRecord& record) {
  std::string bytes;
  AppendNumber(record.next_region_id, bytes);
  AppendNumber(record.table.size(), bytes);
  for (const Region& region : record.table.regions()) {
    AppendNumber(region.id, bytes);
    AppendNumber(region.server, bytes);
    AppendString(region.range.begin, bytes);
  }
  AppendNumber(record.attributes.size(), bytes);
  for (const AttributeRecord& attribute : record.attributes) {
    AppendNumber(static_cast<uint64_t>(attribute.state), bytes);
    if (attribute.state != AttributeState::kBuilding) continue;
    AppendNumber(attribute.backfilled ? 1 : 0, bytes);
    if (attribute.backfilled) AppendString(*attribute.backfilled, bytes);
  }
  AppendNumber(record.leftovers.size(), bytes);
  for (const Leftover& leftover : record.leftovers) {
    AppendNumber(leftover.server, bytes);
    AppendString(leftover.range.begin, bytes);
    AppendString(leftover.range.end, bytes);
  }
  return bytes;
}

Result<TableRecord> DecodeTableRecord(std::string_view bytes, const ClusterConfig& config) {
  ByteReader reader(bytes);
  TableRecord record;
  record.next_region_id = static_cast<uint32_t>(reader.Number(UINT32_MAX).value_or(0));
  if (record.next_region_id == 0) return DamagedTable("id of the next region");
  Result<RegionTable> table = ReadRegions(reader, config.num_servers, record.next_region_id - 1);
  if (!table) return table.error();
  record.table = *std::move(table);

  record.attributes.resize(config.schema.attributes.size());
  if (reader.Number(kMaxAttributes) != record.attributes.size()) {
    return DamagedTable("number of attributes");
  }
  for (size_t i = 0; i < record.attributes.size(); ++i) {
    if (!ReadAttribute(reader, record.attributes[i])) {
      return DamagedTable("attribute " + std::to_string(i));
    }
  }
  if (!ReadLeftovers(reader, config.num_servers, record.leftovers)) {
    return DamagedTable("leftovers");
  }
  if (reader.num_left() != 0) return DamagedTable("bytes behind its end");
  if (const Status status = Validate(record, config.num_servers); !status) {
    return DamagedTable(status.error().message);
  }
  return record;
}

Result<TableRecord> DecodeTableRecord1(std::string_view bytes, const ClusterConfig& config) {
  ByteReader reader(bytes);
  Result<RegionTable> table = ReadRegions(reader, config.num_servers, kMaxRegions - 1);
  if (!table) return table.error();
  if (reader.num_left() != 0) return DamagedTable("bytes behind its end");
  return FirstRecord(config.schema, *std::move(table));
}

}  // namespace trommel::index
