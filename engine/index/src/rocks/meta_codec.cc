#include "engine/index/src/rocks/meta_codec.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/directory/pair_structure.h"
#include "engine/index/src/rocks/byte_codec.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kMaxClusterIdBytes = 64;
constexpr uint64_t kFormatWithoutKeyColumns = 2;

Error DamagedRecord(std::string_view reason) {
  return Error{ErrorCode::kCorrupt, "its record is damaged: " + std::string(reason)};
}

void AppendFraction(double fraction, std::string& bytes) {
  const auto bits = std::bit_cast<uint64_t>(fraction);
  for (int shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<char>(bits >> shift & 0xff));
  }
}

std::optional<double> ReadFraction(ByteReader& reader) {
  const std::optional<std::string_view> text = reader.Bytes(8);
  if (!text) return std::nullopt;
  uint64_t bits = 0;
  for (size_t i = 8; i-- > 0;) bits = bits << 8 | static_cast<uint8_t>((*text)[i]);
  return std::bit_cast<double>(bits);
}

// Returns whether all attributes were read.
bool ReadSchema(ByteReader& reader, Schema& schema) {
  schema.max_versions = static_cast<uint32_t>(reader.Number(kMaxVersions).value_or(0));
  if (schema.max_versions == 0) return false;
  const uint64_t num_attributes = reader.Number(kMaxAttributes).value_or(0);
  for (uint64_t i = 0; i < num_attributes; ++i) {
    const std::optional<std::string_view> name = reader.String(reader.num_left());
    const std::optional<uint64_t> is_indexed = name ? reader.Number(1) : std::nullopt;
    if (!is_indexed) return false;
    schema.attributes.push_back({.name = std::string(*name), .is_indexed = *is_indexed == 1});
  }
  return num_attributes > 0;
}

// Returns whether all were read, and there are some.
bool ReadKeyColumns(ByteReader& reader, Schema& schema) {
  const uint64_t num_columns = reader.Number(kMaxAttributes).value_or(0);
  for (uint64_t i = 0; i < num_columns; ++i) {
    const std::optional<std::string_view> name = reader.String(reader.num_left());
    if (!name) return false;
    schema.key_columns.emplace_back(*name);
  }
  return num_columns > 0;
}

bool ReadSplits(ByteReader& reader, std::vector<std::string>& splits) {
  const std::optional<uint64_t> num_splits = reader.Number(kMaxRegions - 1);
  if (!num_splits) return false;
  for (uint64_t i = 0; i < *num_splits; ++i) {
    const std::optional<std::string_view> split = reader.String(kMaxKeyBytes);
    if (!split) return false;
    splits.emplace_back(*split);
  }
  return true;
}

}  // namespace

Status ValidateConfig(const ClusterConfig& config) {
  if (Status status = Validate(config.schema); !status) return status;
  if (config.num_servers < 1 || config.num_servers > kMaxServers) {
    return Error{ErrorCode::kInvalidArgument, "num_servers must be between 1 and " +
                                                  std::to_string(kMaxServers) + "; got " +
                                                  std::to_string(config.num_servers)};
  }
  if (!(config.target_fpr > 0 && config.target_fpr < 1)) {
    return Error{ErrorCode::kInvalidArgument,
                 "target_fpr must be between 0 and 1; got " + std::to_string(config.target_fpr)};
  }
  for (const std::string& split : config.splits) {
    if (split.size() > kMaxKeyBytes) {
      return Error{ErrorCode::kInvalidArgument, "splits must have at most " +
                                                    std::to_string(kMaxKeyBytes) + " bytes; got " +
                                                    std::to_string(split.size())};
    }
  }
  const Result<RegionTable> table = RegionTable::Split(config.splits, config.num_servers);
  if (!table) return table.error();
  return Ok();
}

std::string EncodeCluster(const ClusterRecord& record) {
  const ClusterConfig& config = record.config;
  std::string bytes;
  const bool has_key_columns = !config.schema.key_columns.empty();
  AppendNumber(has_key_columns ? kClusterFormat : kFormatWithoutKeyColumns, bytes);
  AppendString(record.cluster_id, bytes);
  AppendNumber(config.num_servers, bytes);
  AppendNumber(static_cast<uint64_t>(config.structure), bytes);
  AppendFraction(config.target_fpr, bytes);
  AppendNumber(config.schema.max_versions, bytes);
  AppendNumber(config.schema.attributes.size(), bytes);
  for (const Attribute& attribute : config.schema.attributes) {
    AppendString(attribute.name, bytes);
    AppendNumber(attribute.is_indexed ? 1 : 0, bytes);
  }
  AppendNumber(config.splits.size(), bytes);
  for (const std::string& split : config.splits) AppendString(split, bytes);
  if (!has_key_columns) return bytes;
  AppendNumber(config.schema.key_columns.size(), bytes);
  for (const std::string& name : config.schema.key_columns) AppendString(name, bytes);
  return bytes;
}

Result<ClusterRecord> DecodeCluster(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::optional<uint64_t> format = reader.Number(UINT64_MAX);
  if (!format || *format == 0) return DamagedRecord("format");
  if (*format > kClusterFormat) {
    return Error{ErrorCode::kVersion,
                 "a newer program made it: it has format " + std::to_string(*format) +
                     ", this one reads formats up to " + std::to_string(kClusterFormat)};
  }
  ClusterRecord record;
  record.format = *format;
  record.cluster_id = reader.String(kMaxClusterIdBytes).value_or("");
  if (record.cluster_id.empty()) return DamagedRecord("identity of the cluster");
  ClusterConfig& config = record.config;
  config.num_servers = static_cast<uint32_t>(reader.Number(kMaxServers).value_or(0));
  if (config.num_servers == 0) return DamagedRecord("number of servers");
  const std::optional<uint64_t> structure = reader.Number(static_cast<uint64_t>(Structure::kMap));
  if (!structure) return DamagedRecord("structure of the directory");
  if (*structure == kTransposedStructure) {
    return Error{ErrorCode::kVersion,
                 "its directory has transposed columns, a structure that this program reads no "
                 "longer: load its rows into a new table"};
  }
  config.structure = static_cast<Structure>(*structure);
  const std::optional<double> target_fpr = ReadFraction(reader);
  if (!target_fpr) return DamagedRecord("false-positive rate");
  config.target_fpr = *target_fpr;
  if (!ReadSchema(reader, config.schema)) return DamagedRecord("schema");
  if (!ReadSplits(reader, config.splits)) return DamagedRecord("splits");
  if (record.format > kFormatWithoutKeyColumns && !ReadKeyColumns(reader, config.schema)) {
    return DamagedRecord("key columns");
  }
  if (reader.num_left() != 0) return DamagedRecord("bytes behind its end");
  if (const Status status = ValidateConfig(config); !status) {
    return DamagedRecord(status.error().message);
  }
  return record;
}

}  // namespace trommel::index
