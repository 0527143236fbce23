// Creation, pairs and building. Each operation looks up its column in the current version, as a
// reader.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/index/src/directory/server_index_impl.h"
#include "engine/index/src/model/misuse.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/column_map.h"
#include "trommel/outcomes.h"
#include "trommel/sizing.h"

namespace trommel::index {
namespace {

Error Invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

std::string_view StructureName(Structure structure) noexcept {
  return structure == Structure::kServerFilters ? "server-filters" : "map";
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
  if (!config.digest.can_hash()) {
    return Invalid(
        "the digest policy must be able to hash values; kCaller, and kSipHash without its "
        "key, cannot");
  }
  const size_t num_regions = table.size();
  if (config.min_columns > kMaxMapColumns) {
    return Invalid("min_columns must be at most " + std::to_string(kMaxMapColumns) + "; got " +
                   std::to_string(config.min_columns));
  }

  // While a server's filter is replaced it has two.
  const uint32_t num_servers = std::max(config.num_servers, table.num_servers());
  if (config.structure == Structure::kServerFilters && num_servers > kMaxMapColumns / 2) {
    return Invalid("filters of servers are for at most " + std::to_string(kMaxMapColumns / 2) +
                   " servers; got " + std::to_string(num_servers));
  }

  auto impl = std::make_unique<Impl>();
  impl->config = config;
  impl->num_servers = num_servers;
  auto version = std::make_unique<Version>();
  version->table = std::make_shared<const RegionTable>(std::move(table));
  version->num_words = BitmapWords(impl->NumColumns(num_regions));
  for (const AttributeState state : config.attributes) {
    auto columns = std::make_shared<AttributeColumns>();
    columns->state = state;
    columns->now = impl->EmptySet(num_regions);
    columns->Prepare(version->num_words);
    version->attributes.push_back(std::move(columns));
  }
  {
    const auto lock = impl->Lock();
    Impl::Draft draft(*impl, std::move(version));
    impl->Publish(draft);
  }
  return ServerIndex(std::move(impl));
}

ServerIndex::Pin ServerIndex::PinVersion() const noexcept {
  Impl::Reading reading = impl_->Read();
  return Pin(std::move(reading.reader), *reading.version, impl_->config.digest);
}

const DigestPolicy& ServerIndex::digest_policy() const noexcept { return impl_->config.digest; }
Structure ServerIndex::structure() const noexcept { return impl_->config.structure; }

ServerIndex::Impl::Places ServerIndex::Impl::Find(const Version& version, ColumnName name) {
  CheckUse(name.attribute < version.attributes.size(), "the schema has no such attribute");
  const size_t position = version.table->FindId(name.region_id);
  if (position == version.table->size()) return {};
  const AttributeColumns& columns = *version.attributes[name.attribute];
  const auto place_in = [position](const ColumnSet& set) -> Place {
    RegionColumn* const region = set.regions[position].get();
    if (region->column == kNoColumn) return {};
    return {set.structure.get(), region};
  };
  Places places;
  places.now = place_in(columns.now);
  places.is_growing = columns.next.has_value();
  if (places.is_growing) places.next = place_in(*columns.next);
  return places;
}

// Without cursors, a column of a successor follows the rows from when it is built: AdvanceBuild
// fills it with what the region has then.

void ServerIndex::Insert(ColumnName column, Keys values) noexcept {
  const Impl::Reading reading = impl_->Read();
  const auto [now, next, is_growing] = Impl::Find(*reading.version, column);
  if (now.region != nullptr && !now.structure->Insert(now.region->column, values)) {
    impl_->GiveUp(column, now.region->id);
  }
  if (next.region == nullptr || !next.region->is_built.load(std::memory_order_acquire)) return;
  if (!next.structure->Insert(next.region->column, values)) impl_->GiveUp(column, next.region->id);
}

void ServerIndex::Erase(ColumnName column, Keys values) noexcept {
  const Impl::Reading reading = impl_->Read();
  const auto [now, next, is_growing] = Impl::Find(*reading.version, column);
  bool is_refused = now.region != nullptr && !now.structure->Erase(now.region->column, values);
  if (next.region != nullptr && next.region->is_built.load(std::memory_order_acquire)) {
    is_refused = !next.structure->Erase(next.region->column, values) || is_refused;
  }
  if (!is_refused) return;
  // A refusal shows that the column and the rows disagree.
  impl_->num_refused_pairs.fetch_add(1, std::memory_order_relaxed);
  MarkUnbuilt({&column, 1});
}

bool ServerIndex::IsMaintained(ColumnName column, std::string_view value) const noexcept {
  const Impl::Reading reading = impl_->Read();
  const Impl::Places places = Impl::Find(*reading.version, column);
  return places.now.Maintains(value) || places.next.Maintains(value);
}

void ServerIndex::GainPair(ColumnName column, std::string_view value) noexcept {
  const Impl::Reading reading = impl_->Read();
  const Impl::Places places = Impl::Find(*reading.version, column);
  for (const Impl::Place& place : {places.now, places.next}) {
    if (!place.Maintains(value)) continue;
    Step("insert pair");
    if (!place.structure->Insert(place.region->column, std::span(&value, 1))) {
      impl_->GiveUp(column, place.region->id);
    }
  }
}

void ServerIndex::LosePair(ColumnName column, std::string_view value) noexcept {
  const Impl::Reading reading = impl_->Read();
  const Impl::Places places = Impl::Find(*reading.version, column);
  bool is_refused = false;
  for (const Impl::Place& place : {places.now, places.next}) {
    if (!place.Maintains(value)) continue;
    Step("erase pair");
    is_refused |= !place.structure->Erase(place.region->column, std::span(&value, 1));
  }
  if (!is_refused) return;
  // A refusal shows that the column and the rows disagree.
  impl_->num_refused_pairs.fetch_add(1, std::memory_order_relaxed);
  MarkUnbuilt({&column, 1});
}

BuildState ServerIndex::GetBuildState(ColumnName column) const {
  const Impl::Reading reading = impl_->Read();
  RegionColumn* const region = Impl::Find(*reading.version, column).to_fill().region;
  if (region == nullptr) return {};
  const std::lock_guard<std::mutex> lock(region->mutex);
  return {.column_id = region->id,
          .is_built = region->is_built.load(std::memory_order_acquire),
          .cursor = region->cursor};
}

bool ServerIndex::AdvanceBuild(ColumnName column, uint64_t column_id,
                               std::span<const std::string> values,
                               const std::optional<std::string>& new_cursor) noexcept {
  const Impl::Reading reading = impl_->Read();
  const auto [structure, region] = Impl::Find(*reading.version, column).to_fill();
  if (region == nullptr || region->id != column_id) return false;
  Step("insert pairs");
  if (!structure->Insert(region->column, values)) {
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
  const RegionColumn* const region = Impl::Find(*reading.version, column).to_fill().region;
  if (region != nullptr) impl_->SetBuilt(column, region->id);
}

ServerIndexStats ServerIndex::GetStats() const {
  ServerIndexStats stats;
  // Columns of the current version are open for as long as a reader is inside; replaced ones, whose
  // bytes are counted too, as long as none is closed.
  const auto lock = impl_->Lock();
  const Version& version = *impl_->versions.back();
  stats.version = version.number;
  stats.num_regions = static_cast<uint32_t>(version.table->size());
  stats.num_retired_columns = static_cast<uint32_t>(impl_->retired.size());
  stats.num_switches = impl_->num_switches;
  stats.num_refused_pairs = impl_->num_refused_pairs.load(std::memory_order_relaxed);
  for (const std::shared_ptr<AttributeColumns>& columns : version.attributes) {
    AttributeStats& attribute = stats.attributes.emplace_back();
    attribute.state = columns->state;
    attribute.num_unbuilt = columns->num_unbuilt.load(std::memory_order_acquire);
    if (columns->now.structure == nullptr) continue;
    const PairStructure& structure = *columns->now.structure;
    attribute.pairs_per_region = columns->now.pairs_per_region;
    attribute.num_columns = structure.num_columns();
    attribute.num_bytes = structure.num_bytes();
    attribute.share_in_lists = structure.share_in_lists();
    attribute.successor_share =
        structure.SuccessorShare(columns->now.pairs_per_region * version.table->size());
    if (columns->next) {
      attribute.is_growing = true;
      attribute.next_pairs_per_region = columns->next->pairs_per_region;
      attribute.next_num_columns = columns->next->structure->num_columns();
      attribute.next_num_unbuilt = columns->num_unbuilt_next;
      attribute.num_bytes += columns->next->structure->num_bytes();
    }
    stats.num_bytes += attribute.num_bytes;
    std::vector<uint32_t> regions_of_column(structure.num_columns());
    for (const std::shared_ptr<RegionColumn>& region : columns->now.regions) {
      if (region->column != kNoColumn) ++regions_of_column[region->column];
    }
    for (uint32_t c = 0; c < regions_of_column.size(); ++c) {
      if (regions_of_column[c] == 0) continue;
      const PairStructure::ColumnStats column = structure.StatsOf(c);
      attribute.num_pairs += column.num_pairs;
      attribute.largest_column = std::max(attribute.largest_column, column.num_pairs);
      attribute.predicted_false_regions += column.predicted_fpr * regions_of_column[c];
    }
  }
  return stats;
}

}  // namespace trommel::index
