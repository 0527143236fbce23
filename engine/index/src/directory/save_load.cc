// Save and LoadColumns: a directory across a clean restart.
#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/directory/directory_file.h"
#include "engine/index/src/directory/server_index_impl.h"

namespace trommel::index {
namespace {

Error CannotWrite(const std::filesystem::path& path) {
  return {ErrorCode::kIo, path.string() + ": cannot be written"};
}

// The positions of each column of the version that is built for all of its regions.
std::vector<std::vector<size_t>> BuiltColumns(const ColumnSet& set) {
  std::vector<std::vector<size_t>> positions(set.structure->num_columns());
  std::vector<bool> is_whole(positions.size(), true);
  for (size_t i = 0; i < set.regions.size(); ++i) {
    const RegionColumn& region = *set.regions[i];
    if (region.column == kNoColumn) continue;
    positions[region.column].push_back(i);
    if (!region.is_built.load(std::memory_order_acquire)) is_whole[region.column] = false;
  }
  for (size_t c = 0; c < positions.size(); ++c) {
    if (!is_whole[c]) positions[c].clear();
  }
  return positions;
}

// The columns to save, so many at a time that their bytes take little memory: a map passes over all
// of its pairs for each portion.
std::vector<std::vector<uint32_t>> Portions(const PairStructure& structure,
                                            const std::vector<std::vector<size_t>>& built) {
  constexpr uint64_t kPairsPerPortion = 4'000'000;
  std::vector<std::vector<uint32_t>> portions;
  uint64_t num_pairs = kPairsPerPortion;
  for (uint32_t c = 0; c < built.size(); ++c) {
    if (built[c].empty()) continue;
    if (num_pairs >= kPairsPerPortion) {
      portions.emplace_back();
      num_pairs = 0;
    }
    portions.back().push_back(c);
    num_pairs += structure.StatsOf(c).num_pairs;
  }
  return portions;
}

// Of a column for so many pairs. Filters have all of their blocks in a file, and at any rate that
// there can be more than half a byte per pair; a map's column has its pairs alone.
uint64_t LeastBytes(Structure structure, uint64_t num_pairs) {
  return structure == Structure::kMap ? 0 : num_pairs / 2;
}

}  // namespace

Status ServerIndex::Save(const std::filesystem::path& path,
                         std::span<const StoreStamp> servers) const {
  const auto lock = impl_->Lock();
  const Version& version = *impl_->versions.back();
  if (servers.size() < version.table->num_servers()) {
    return Error{ErrorCode::kInvalidArgument,
                 "a directory of " + std::to_string(version.table->num_servers()) +
                     " servers needs a stamp for each; got " + std::to_string(servers.size())};
  }
  DirectoryContents contents{.structure = impl_->config.structure,
                             .target_fpr = impl_->config.target_fpr,
                             .digest_kind = impl_->config.digest.kind,
                             .digest_seed = impl_->config.digest.seed,
                             .num_attributes = static_cast<uint32_t>(version.attributes.size()),
                             .servers = {servers.begin(), servers.end()},
                             .attributes = {}};
  // What is written, in the order of the contents.
  std::vector<std::pair<const PairStructure*, std::vector<uint32_t>>> portions;
  for (uint32_t a = 0; a < version.attributes.size(); ++a) {
    const ColumnSet& columns = version.attributes[a]->now;
    if (columns.structure == nullptr) continue;
    if (version.attributes[a]->state != AttributeState::kIndexed) continue;
    SavedAttribute& saved = contents.attributes.emplace_back();
    saved.attribute = a;
    saved.pairs_per_region = columns.pairs_per_region;
    saved.shape = columns.structure->shape();
    const std::vector<std::vector<size_t>> built = BuiltColumns(columns);
    for (const std::vector<uint32_t>& some : Portions(*columns.structure, built)) {
      portions.emplace_back(columns.structure.get(), some);
      for (const uint32_t c : some) {
        SavedColumn& column = saved.columns.emplace_back();
        for (const size_t position : built[c]) column.regions.push_back((*version.table)[position]);
      }
    }
  }
  const std::filesystem::path temporary = path.string() + ".new";
  DirectoryWriter writer(temporary, contents);
  for (const auto& [structure, columns] : portions) {
    for (const std::vector<std::byte>& bytes : structure->Serialize(columns)) {
      writer.AppendColumn(bytes);
    }
  }
  const bool is_written = writer.Finish();
  std::error_code error;
  if (is_written) std::filesystem::rename(temporary, path, error);
  if (!is_written || error) {
    std::filesystem::remove(temporary, error);
    return CannotWrite(path);
  }
  return Ok();
}

Result<size_t> ServerIndex::LoadColumns(const std::filesystem::path& path,
                                        std::span<const StoreStamp> servers) {
  std::ifstream file;
  Result<DirectoryContents> contents = ReadContents(path, file);
  if (!contents) return contents.error();
  const auto lock = impl_->Lock();
  const ServerIndexConfig& config = impl_->config;
  if (contents->structure != config.structure || contents->target_fpr != config.target_fpr ||
      contents->digest_kind != config.digest.kind || contents->digest_seed != config.digest.seed ||
      contents->num_attributes != config.attributes.size()) {
    return Error{ErrorCode::kMismatch,
                 path.string() + ": the directory in the file has another configuration"};
  }

  Impl::Draft draft = impl_->BeginDraft();
  const RegionTable& table = *draft.version->table;
  const auto is_current = [&](const Region& region) {
    const size_t position = table.FindId(region.id);
    return position != table.size() && table[position] == region &&
           region.server < servers.size() && region.server < contents->servers.size() &&
           !servers[region.server].identity.empty() &&
           servers[region.server] == contents->servers[region.server];
  };
  size_t num_loaded = 0;
  for (const SavedAttribute& saved : contents->attributes) {
    if (saved.attribute >= draft.version->attributes.size()) continue;
    if (draft.version->attributes[saved.attribute]->state != AttributeState::kIndexed) continue;
    // Memory for columns of this capacity is taken only if the file has one as large, of whatever
    // time: old ones tell the capacity, too.
    const uint64_t least_bytes = LeastBytes(config.structure, saved.pairs_per_region);
    if (std::ranges::none_of(saved.columns, [least_bytes](const SavedColumn& column) {
          return column.bytes.num_bytes >= least_bytes;
        })) {
      continue;
    }
    Result<ColumnSet> set = impl_->MakeSet(table, saved.pairs_per_region, 1, saved.shape);
    if (!set) continue;
    AttributeColumns& changed = impl_->Change(draft, saved.attribute);
    Impl::Drop(draft, changed.now);
    if (changed.next) Impl::Drop(draft, *changed.next);
    changed.next.reset();
    changed.now = *std::move(set);
    ColumnSet& columns = changed.now;
    std::vector<uint32_t>& free = columns.structure->free_columns;
    for (const SavedColumn& column : saved.columns) {
      if (free.empty()) break;
      if (!std::all_of(column.regions.begin(), column.regions.end(), is_current)) continue;
      // A server's filter must have all regions of the server, and a region one column.
      size_t num_sharers = 1;
      if (config.structure == Structure::kServerFilters) {
        num_sharers = static_cast<size_t>(std::count_if(
            table.regions().begin(), table.regions().end(),
            [&](const Region& r) { return r.server == column.regions.front().server; }));
      }
      const bool is_taken =
          std::any_of(column.regions.begin(), column.regions.end(), [&](const Region& region) {
            return columns.regions[table.FindId(region.id)]->column != kNoColumn;
          });
      if (column.regions.size() != num_sharers || is_taken) continue;
      const std::vector<std::byte> bytes = ReadColumn(column, file);
      if (!columns.structure->Load(free.back(), bytes)) continue;
      for (const Region& region : column.regions) {
        auto& entry = columns.regions[table.FindId(region.id)];
        entry = impl_->NewRegionColumn(free.back());
        entry->is_built.store(true, std::memory_order_release);
        ++num_loaded;
      }
      free.pop_back();
    }
    std::vector<size_t> without;
    for (size_t i = 0; i < columns.regions.size(); ++i) {
      if (columns.regions[i]->column == kNoColumn) without.push_back(i);
    }
    if (!without.empty()) impl_->Replace(draft, saved.attribute, std::move(without));
  }
  impl_->Publish(draft);
  return num_loaded;
}

}  // namespace trommel::index
