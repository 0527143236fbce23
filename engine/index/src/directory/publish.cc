// Versions: how they are made, published and freed.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/directory/server_index_impl.h"
#include "engine/index/src/model/misuse.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/sizing.h"

namespace trommel::index {

ServerIndex::Impl::Draft ServerIndex::Impl::BeginDraft() const {
  const Version& now = *versions.back();
  auto version = std::make_unique<Version>();
  version->number = now.number;
  version->table = now.table;
  version->num_words = now.num_words;
  version->attributes = now.attributes;
  return {std::move(version), std::vector<bool>(now.attributes.size())};
}

AttributeColumns& ServerIndex::Impl::Change(Draft& draft, uint32_t attribute) const {
  std::shared_ptr<AttributeColumns>& columns = draft.version->attributes[attribute];
  if (!draft.is_changed[attribute]) {
    auto copy = std::make_shared<AttributeColumns>();
    copy->state = columns->state;
    copy->pairs_per_region = columns->pairs_per_region;
    copy->structure = columns->structure;
    copy->regions = columns->regions;
    columns = std::move(copy);
    draft.is_changed[attribute] = true;
  }
  return *columns;
}

void ServerIndex::Impl::Publish(Draft draft) {
  for (size_t a = 0; a < draft.is_changed.size(); ++a) {
    if (draft.is_changed[a]) draft.version->attributes[a]->Prepare(draft.version->num_words);
  }
  ++draft.version->number;
  const Version* const version = draft.version.get();
  versions.push_back(std::move(draft.version));
  current.store(version, std::memory_order_seq_cst);
}

void ServerIndex::Impl::Retire(const AttributeColumns& columns, uint32_t attribute,
                               uint32_t column) {
  if (column != kNoColumn) retired.push_back({columns.structure, column, attribute});
}

uint32_t ServerIndex::Impl::OpenColumn(AttributeColumns& columns, uint32_t attribute) {
  std::vector<uint32_t>& free = free_columns[attribute];
  if (columns.structure == nullptr || free.empty()) return kNoColumn;
  const uint32_t column = free.back();
  if (!columns.structure->Open(column)) return kNoColumn;
  free.pop_back();
  return column;
}

void ServerIndex::Impl::Replace(Draft& draft, uint32_t attribute, std::vector<size_t> positions) {
  AttributeColumns& columns = Change(draft, attribute);
  const RegionTable& table = *draft.version->table;
  const bool is_shared = config.structure == Structure::kServerFilters;
  if (is_shared) {
    // All regions of the servers, one server's after the other's.
    std::vector<bool> is_concerned(table.num_servers());
    for (const size_t position : positions) is_concerned[table[position].server] = true;
    positions.clear();
    for (size_t i = 0; i < table.size(); ++i) {
      if (is_concerned[table[i].server]) positions.push_back(i);
    }
    std::stable_sort(positions.begin(), positions.end(),
                     [&](size_t a, size_t b) { return table[a].server < table[b].server; });
  } else {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  }

  std::vector<uint32_t> replaced;
  uint32_t column = kNoColumn;
  for (size_t i = 0; i < positions.size(); ++i) {
    const size_t position = positions[i];
    const bool is_next_server = i == 0 || table[positions[i - 1]].server != table[position].server;
    if (!is_shared || is_next_server) column = OpenColumn(columns, attribute);
    replaced.push_back(columns.regions[position]->column);
    columns.regions[position] = std::make_shared<RegionColumn>(next_column_id++, column);
  }
  std::sort(replaced.begin(), replaced.end());
  replaced.erase(std::unique(replaced.begin(), replaced.end()), replaced.end());
  for (const uint32_t old : replaced) Retire(columns, attribute, old);
}

void ServerIndex::MarkUnbuilt(std::span<const ColumnName> columns) {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  Impl::Draft draft = impl_->BeginDraft();
  std::vector<std::vector<size_t>> positions(impl_->config.attributes.size());
  for (const ColumnName& name : columns) {
    CheckUse(name.attribute < positions.size(), "the schema has no such attribute");
    const size_t position = draft.version->table->FindId(name.region_id);
    if (position != draft.version->table->size()) positions[name.attribute].push_back(position);
  }
  for (uint32_t a = 0; a < positions.size(); ++a) {
    if (!positions[a].empty()) impl_->Replace(draft, a, std::move(positions[a]));
  }
  impl_->Publish(std::move(draft));
}

std::vector<ColumnName> ServerIndex::ColumnsToBuild() {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  Impl::Draft draft = impl_->BeginDraft();
  bool is_changed = false;
  std::vector<ColumnName> names;
  for (uint32_t a = 0; a < impl_->config.attributes.size(); ++a) {
    const AttributeColumns& columns = *draft.version->attributes[a];
    if (columns.state != AttributeState::kIndexed || columns.structure == nullptr) continue;
    std::vector<size_t> without;
    for (size_t i = 0; i < columns.regions.size(); ++i) {
      const RegionColumn& region = *columns.regions[i];
      if (region.column == kNoColumn && !region.has_given_up) without.push_back(i);
    }
    if (!without.empty() && !impl_->free_columns[a].empty()) {
      impl_->Replace(draft, a, std::move(without));
      is_changed = true;
    }
    const AttributeColumns& now = *draft.version->attributes[a];
    for (size_t i = 0; i < now.regions.size(); ++i) {
      const RegionColumn& region = *now.regions[i];
      if (region.column == kNoColumn || region.is_built.load(std::memory_order_acquire)) continue;
      names.push_back({(*draft.version->table)[i].id, a});
    }
  }
  if (is_changed) impl_->Publish(std::move(draft));
  return names;
}

std::vector<size_t> ServerIndex::Impl::SharersOf(const AttributeColumns& columns, size_t position) {
  std::vector<size_t> sharers;
  for (size_t i = 0; i < columns.regions.size(); ++i) {
    if (columns.regions[i]->column == columns.regions[position]->column) sharers.push_back(i);
  }
  return sharers;
}

void ServerIndex::Impl::GiveUp(ColumnName name, uint64_t column_id) {
  const std::lock_guard<std::mutex> lock(mutex);
  Draft draft = BeginDraft();
  const size_t position = draft.version->table->FindId(name.region_id);
  if (position == draft.version->table->size()) return;
  AttributeColumns& columns = Change(draft, name.attribute);
  if (columns.regions[position]->id != column_id) return;  // replaced meanwhile
  const uint32_t column = columns.regions[position]->column;
  for (const size_t sharer : SharersOf(columns, position)) {
    columns.regions[sharer] = std::make_shared<RegionColumn>(next_column_id++, kNoColumn);
    columns.regions[sharer]->has_given_up = true;
  }
  Retire(columns, name.attribute, column);
  Publish(std::move(draft));
}

void ServerIndex::Impl::SetBuilt(ColumnName name, uint64_t column_id) {
  const std::lock_guard<std::mutex> lock(mutex);
  const Version& version = *versions.back();
  const size_t position = version.table->FindId(name.region_id);
  if (position == version.table->size()) return;
  AttributeColumns& columns = *version.attributes[name.attribute];
  if (columns.regions[position]->id != column_id) return;  // replaced: older queries only
  columns.regions[position]->is_built.store(true, std::memory_order_release);
  columns.SetBuilt(position);
}

Status ServerIndex::Impl::MakeStructure(Draft& draft, uint32_t attribute,
                                        uint64_t pairs_per_region) {
  const RegionTable& table = *draft.version->table;
  const bool is_shared = config.structure == Structure::kServerFilters;
  // While a server's filter is replaced it has two.
  const uint32_t num_columns = is_shared ? 2 * num_servers : max_columns;
  // A generation holds the pairs of a server's regions.
  const uint64_t regions_per_column =
      is_shared ? (table.size() + num_servers - 1) / num_servers : 1;
  if (pairs_per_region > kMaxCapacity / regions_per_column) {
    return Error{ErrorCode::kInvalidArgument,
                 "pairs_per_region must be at most " +
                     std::to_string(kMaxCapacity / regions_per_column) + "; got " +
                     std::to_string(pairs_per_region)};
  }
  Result<std::shared_ptr<PairStructure>> structure =
      is_shared ? MakeServerFilters(config, pairs_per_region * regions_per_column, num_columns)
                : MakeTransposedStructure(config, pairs_per_region, num_columns);
  if (!structure) return structure.error();
  AttributeColumns& columns = Change(draft, attribute);
  // Columns of the structure before go with it, when no version has it any more.
  std::erase_if(retired,
                [&](const RetiredColumn& column) { return column.attribute == attribute; });
  for (std::shared_ptr<RegionColumn>& region : columns.regions) {
    region = std::make_shared<RegionColumn>(next_column_id++, kNoColumn);
  }
  columns.structure = *std::move(structure);
  columns.pairs_per_region = pairs_per_region;
  free_columns[attribute].clear();
  for (uint32_t c = num_columns; c > 0; --c) free_columns[attribute].push_back(c - 1);
  return Ok();
}

Status ServerIndex::Resize(uint32_t attribute, uint64_t pairs_per_region) {
  CheckUse(attribute < impl_->config.attributes.size(), "the schema has no such attribute");
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  Impl::Draft draft = impl_->BeginDraft();
  Status status = impl_->MakeStructure(draft, attribute, pairs_per_region);
  if (!status) return status;
  std::vector<size_t> positions(draft.version->table->size());
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  impl_->Replace(draft, attribute, std::move(positions));
  impl_->Publish(std::move(draft));
  return Ok();
}

size_t ServerIndex::Reclaim() {
  uint64_t num_waits = 0;
  const auto wait = [&num_waits] { YieldThroughSteps("wait for readers", num_waits++); };
  std::vector<std::unique_ptr<const Version>> old_versions;
  std::vector<Impl::RetiredColumn> old_columns;
  {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    old_versions.assign(std::make_move_iterator(impl_->versions.begin()),
                        std::make_move_iterator(impl_->versions.end() - 1));
    impl_->versions.erase(impl_->versions.begin(), impl_->versions.end() - 1);
    old_columns.swap(impl_->retired);
  }
  if (old_versions.empty()) return 0;
  impl_->grace_periods.Synchronize(wait);  // no reader has an old version now
  Step("close columns");
  old_versions.clear();

  std::vector<std::shared_ptr<const void>> remains;
  {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    const Version& now = *impl_->versions.back();
    for (const Impl::RetiredColumn& old : old_columns) {
      remains.push_back(old.structure->Close(old.column));
      if (now.attributes[old.attribute]->structure == old.structure) {
        impl_->free_columns[old.attribute].push_back(old.column);
      }
    }
  }
  std::erase(remains, nullptr);
  // Readers of the current version may have come upon the closed columns, too.
  if (!remains.empty()) impl_->grace_periods.Synchronize(wait);
  return old_columns.size();
}

Status ServerIndex::Publish(RegionTable table) {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  if (table.size() > impl_->max_columns) {
    return Error{ErrorCode::kInvalidArgument,
                 "the table must have at most " + std::to_string(impl_->max_columns) +
                     " regions (max_columns); got " + std::to_string(table.size())};
  }
  const bool is_shared = impl_->config.structure == Structure::kServerFilters;
  const RegionTable& before = *impl_->versions.back()->table;
  if (is_shared && table.num_servers() > impl_->num_servers) {
    return Error{ErrorCode::kInvalidArgument,
                 "filters of servers are for " + std::to_string(impl_->num_servers) +
                     " servers; got " + std::to_string(table.num_servers())};
  }
  // Where each region was before; before.size(): nowhere, or elsewhere.
  std::vector<size_t> origins(table.size());
  std::vector<size_t> changed;
  std::vector<bool> is_kept(before.size());
  std::vector<bool> is_concerned(
      std::max(before.num_servers(), table.num_servers()));  // servers that gain or lose a region
  for (size_t i = 0; i < table.size(); ++i) {
    const size_t origin = before.FindId(table[i].id);
    const bool is_same = origin != before.size() && before[origin].range == table[i].range &&
                         (!is_shared || before[origin].server == table[i].server);
    origins[i] = is_same ? origin : before.size();
    if (is_same) {
      is_kept[origin] = true;
    } else {
      changed.push_back(i);
      if (is_shared) is_concerned[table[i].server] = true;
    }
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (!is_kept[i] && is_shared) is_concerned[before[i].server] = true;
  }
  for (size_t i = 0; i < table.size() && is_shared; ++i) {
    if (is_concerned[table[i].server]) changed.push_back(i);
  }

  Impl::Draft draft = impl_->BeginDraft();
  const std::vector<std::shared_ptr<AttributeColumns>> old_columns = draft.version->attributes;
  draft.version->table = std::make_shared<const RegionTable>(std::move(table));
  for (uint32_t a = 0; a < old_columns.size(); ++a) {
    AttributeColumns& columns = impl_->Change(draft, a);
    columns.regions.clear();
    for (const size_t origin : origins) {
      columns.regions.push_back(origin != before.size() ? old_columns[a]->regions[origin]
                                                        : std::make_shared<RegionColumn>(
                                                              impl_->next_column_id++, kNoColumn));
    }
    // Columns that no region has any more; Replace retires those that some region still has.
    std::vector<uint32_t> gone;
    for (size_t i = 0; i < before.size(); ++i) {
      if (!is_kept[i]) gone.push_back(old_columns[a]->regions[i]->column);
    }
    std::sort(gone.begin(), gone.end());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    for (const auto& region : columns.regions) std::erase(gone, region->column);
    for (const uint32_t column : gone) impl_->Retire(*old_columns[a], a, column);
    impl_->Replace(draft, a, changed);
  }
  impl_->Publish(std::move(draft));
  return Ok();
}

}  // namespace trommel::index
