// Creation, pairs and building. Each operation looks up its column in the current version, as a
// reader.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/index/src/directory/server_index_impl.h"
#include "engine/index/src/model/misuse.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/filter_columns.h"
#include "trommel/sizing.h"

namespace trommel::index {
namespace {

Error Invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

std::string_view StructureName(Structure structure) noexcept {
  return structure == Structure::kTransposed ? "transposed" : "server-filters";
}

ServerIndex::ServerIndex(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
ServerIndex::ServerIndex(ServerIndex&&) noexcept = default;
ServerIndex& ServerIndex::operator=(ServerIndex&&) noexcept = default;
ServerIndex::~ServerIndex() = default;

Result<ServerIndex> ServerIndex::Create(const ServerIndexConfig& config, RegionTable table) {
  if (config.attributes.empty() || config.attributes.size() > kMaxAttributes) {
    return Invalid("the number of attributes must be between 1 and " +
                   std::to_string(kMaxAttributes) + "; got " +
                   std::to_string(config.attributes.size()));
  }
  if (!(config.target_fpr >= kMinTargetFpr && config.target_fpr <= kMaxTargetFpr)) {
    return Invalid("target_fpr must be between " + std::to_string(kMinTargetFpr) + " and " +
                   std::to_string(kMaxTargetFpr) + "; got " + std::to_string(config.target_fpr));
  }
  if (!(config.largest_fpr >= 0 && config.largest_fpr < 1)) {
    return Invalid("largest_fpr must be at least 0 and below 1; got " +
                   std::to_string(config.largest_fpr));
  }
  if (!config.digest.can_hash()) {
    return Invalid(
        "the digest policy must be able to hash values; kCaller, and kSipHash without its "
        "key, cannot");
  }
  const size_t num_regions = table.size();
  const uint64_t max_columns =
      config.max_columns != 0 ? config.max_columns : num_regions + num_regions / 64 + 1;
  if (max_columns < num_regions || max_columns > kMaxColumns) {
    return Invalid("max_columns must be between " + std::to_string(num_regions) +
                   " (regions) and " + std::to_string(kMaxColumns) + "; got " +
                   std::to_string(max_columns));
  }

  // While a server's filter is replaced it has two.
  if (config.structure == Structure::kServerFilters && table.num_servers() > kMaxColumns / 2) {
    return Invalid("filters of servers are for at most " + std::to_string(kMaxColumns / 2) +
                   " servers; got " + std::to_string(table.num_servers()));
  }

  auto impl = std::make_unique<Impl>();
  impl->config = config;
  impl->max_columns = static_cast<uint32_t>(max_columns);
  impl->num_servers = table.num_servers();
  impl->free_columns.resize(config.attributes.size());
  auto version = std::make_unique<Version>();
  version->table = std::make_shared<const RegionTable>(std::move(table));
  version->num_words = RowWords(max_columns);
  for (const AttributeState state : config.attributes) {
    auto columns = std::make_shared<AttributeColumns>();
    columns->state = state;
    for (size_t i = 0; i < num_regions; ++i) {
      columns->regions.push_back(std::make_shared<RegionColumn>(impl->next_column_id++, kNoColumn));
    }
    columns->Prepare(version->num_words);
    version->attributes.push_back(std::move(columns));
  }
  const std::lock_guard<std::mutex> lock(impl->mutex);
  impl->Publish({std::move(version), std::vector<bool>(config.attributes.size())});
  return ServerIndex(std::move(impl));
}

ServerIndex::Pin ServerIndex::PinVersion() const noexcept {
  Impl::Reading reading = impl_->Read();
  return Pin(std::move(reading.reader), *reading.version, impl_->config.digest);
}

const DigestPolicy& ServerIndex::digest_policy() const noexcept { return impl_->config.digest; }
Structure ServerIndex::structure() const noexcept { return impl_->config.structure; }

RegionColumn* ServerIndex::Impl::Find(const Version& version, ColumnName name) {
  CheckUse(name.attribute < version.attributes.size(), "the schema has no such attribute");
  const size_t position = version.table->FindId(name.region_id);
  if (position == version.table->size()) return nullptr;
  return version.attributes[name.attribute]->regions[position].get();
}

void ServerIndex::Insert(ColumnName column, Keys values) noexcept {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  if (region == nullptr || region->column == kNoColumn) return;
  PairStructure& structure = *reading.version->attributes[column.attribute]->structure;
  if (!structure.Insert(region->column, values)) impl_->GiveUp(column, region->id);
}

void ServerIndex::Erase(ColumnName column, Keys values) noexcept {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  if (region == nullptr || region->column == kNoColumn) return;
  PairStructure& structure = *reading.version->attributes[column.attribute]->structure;
  // A refusal shows that the column and the rows disagree.
  if (!structure.Erase(region->column, values)) MarkUnbuilt({&column, 1});
}

bool ServerIndex::IsMaintained(ColumnName column, std::string_view value) const noexcept {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  return region != nullptr && region->Maintains(value);
}

void ServerIndex::GainPair(ColumnName column, std::string_view value) noexcept {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  if (region == nullptr || !region->Maintains(value)) return;
  PairStructure& structure = *reading.version->attributes[column.attribute]->structure;
  Step("insert pair");
  if (!structure.Insert(region->column, std::span(&value, 1))) impl_->GiveUp(column, region->id);
}

void ServerIndex::LosePair(ColumnName column, std::string_view value) noexcept {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  if (region == nullptr || !region->Maintains(value)) return;
  PairStructure& structure = *reading.version->attributes[column.attribute]->structure;
  Step("erase pair");
  if (!structure.Erase(region->column, std::span(&value, 1))) MarkUnbuilt({&column, 1});
}

BuildState ServerIndex::GetBuildState(ColumnName column) const {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  if (region == nullptr || region->column == kNoColumn) return {};
  const std::lock_guard<std::mutex> lock(region->mutex);
  return {.column_id = region->id,
          .is_built = region->is_built.load(std::memory_order_acquire),
          .cursor = region->cursor};
}

bool ServerIndex::AdvanceBuild(ColumnName column, uint64_t column_id,
                               std::span<const std::string> values,
                               const std::optional<std::string>& new_cursor) noexcept {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  if (region == nullptr || region->column == kNoColumn || region->id != column_id) return false;
  PairStructure& structure = *reading.version->attributes[column.attribute]->structure;
  Step("insert pairs");
  if (!structure.Insert(region->column, values)) {
    impl_->GiveUp(column, column_id);
    return false;
  }
  Step("move cursor");
  if (!new_cursor.has_value()) {
    impl_->SetBuilt(column, column_id);
    return true;
  }
  const std::lock_guard<std::mutex> lock(region->mutex);
  region->cursor = new_cursor;
  return true;
}

void ServerIndex::FinishBuild(ColumnName column) noexcept {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column);
  if (region != nullptr && region->column != kNoColumn) impl_->SetBuilt(column, region->id);
}

ServerIndexStats ServerIndex::GetStats() const {
  ServerIndexStats stats;
  // Columns of the current version are open for as long as a reader is inside; replaced ones, whose
  // bytes are counted too, as long as none is closed.
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  const Version& version = *impl_->versions.back();
  stats.version = version.number;
  stats.num_regions = static_cast<uint32_t>(version.table->size());
  stats.num_retired_columns = static_cast<uint32_t>(impl_->retired.size());
  for (const std::shared_ptr<AttributeColumns>& columns : version.attributes) {
    AttributeStats& attribute = stats.attributes.emplace_back();
    attribute.state = columns->state;
    attribute.num_unbuilt = columns->num_unbuilt.load(std::memory_order_acquire);
    if (columns->structure == nullptr) continue;
    attribute.pairs_per_region = columns->pairs_per_region;
    attribute.num_bytes = columns->structure->num_bytes();
    attribute.row_bytes = columns->structure->row_bytes();
    stats.num_bytes += attribute.num_bytes;
    std::vector<uint32_t> regions_of_column(columns->structure->num_columns());
    for (const std::shared_ptr<RegionColumn>& region : columns->regions) {
      if (region->column != kNoColumn) ++regions_of_column[region->column];
    }
    for (uint32_t c = 0; c < regions_of_column.size(); ++c) {
      if (regions_of_column[c] == 0) continue;
      const PairStructure::ColumnStats column = columns->structure->StatsOf(c);
      attribute.num_pairs += column.num_pairs;
      attribute.largest_column = std::max(attribute.largest_column, column.num_pairs);
      attribute.predicted_false_regions += column.predicted_fpr * regions_of_column[c];
      if (column.num_generations >= attribute.most_generations) {
        attribute.most_generations = column.num_generations;
        attribute.largest_fpr = column.largest_fpr;
      }
    }
  }
  return stats;
}

}  // namespace trommel::index
