// Versions: how they are made, published and freed.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/directory/server_index_impl.h"
#include "engine/index/src/model/misuse.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/outcomes.h"

namespace trommel::index {
namespace {

// Makes space for so many more, growing as push_back does.
template <class T>
void ReserveMore(std::vector<T>& items, size_t count) {
  if (items.capacity() - items.size() >= count) return;
  items.reserve(std::max(2 * items.capacity(), items.size() + count));
}

}  // namespace

ServerIndex::Impl::Draft::~Draft() {
  // Those of a structure that is this draft's alone go with it.
  for (StructureColumn& column : opened) {
    if (impl.IsUsed(column.structure.get())) impl.retired.push_back(std::move(column));
  }
}

bool ServerIndex::Impl::IsUsed(const PairStructure* structure) const noexcept {
  return std::ranges::any_of(versions.back()->attributes, [structure](const auto& columns) {
    return columns->now.structure.get() == structure ||
           (columns->next && columns->next->structure.get() == structure);
  });
}

ServerIndex::Impl::Draft ServerIndex::Impl::BeginDraft() {
  const Version& now = *versions.back();
  auto version = std::make_unique<Version>();
  version->number = now.number;
  version->table = now.table;
  version->num_words = now.num_words;
  version->attributes = now.attributes;
  return {*this, std::move(version)};
}

AttributeColumns& ServerIndex::Impl::Change(Draft& draft, uint32_t attribute) const {
  std::shared_ptr<AttributeColumns>& columns = draft.version->attributes[attribute];
  if (!draft.is_changed[attribute]) {
    auto copy = std::make_shared<AttributeColumns>();
    copy->state = columns->state;
    copy->now = columns->now;
    copy->next = columns->next;
    columns = std::move(copy);
    draft.is_changed[attribute] = true;
  }
  return *columns;
}

void ServerIndex::Impl::Complete(Draft& draft) {
  for (size_t a = 0; a < draft.is_changed.size(); ++a) {
    if (draft.is_changed[a]) draft.version->attributes[a]->Prepare(draft.version->num_words);
  }
  ReserveMore(versions, 1);
  ReserveMore(retired, std::max(draft.retired.size(), draft.opened.size()));
}

void ServerIndex::Impl::Commit(Draft& draft) noexcept {
  ++draft.version->number;
  const Version* const version = draft.version.get();
  versions.push_back(std::move(draft.version));
  current.store(version, std::memory_order_seq_cst);
  draft.opened.clear();
  for (StructureColumn& column : draft.retired) retired.push_back(std::move(column));
  for (const std::shared_ptr<PairStructure>& structure : draft.dropped) {
    std::erase_if(retired, [&](const auto& column) { return column.structure == structure; });
  }
  num_switches += draft.num_switches;
}

void ServerIndex::Impl::Retire(Draft& draft, const ColumnSet& set, uint32_t column) {
  if (column != kNoColumn) draft.retired.push_back({set.structure, column});
}

uint32_t ServerIndex::Impl::OpenColumn(Draft& draft, const ColumnSet& set) {
  if (set.structure == nullptr || set.structure->free_columns.empty()) return kNoColumn;
  const uint32_t column = set.structure->free_columns.back();
  if (!set.structure->Open(column)) return kNoColumn;
  set.structure->free_columns.pop_back();
  draft.opened.push_back({set.structure, column});
  return column;
}

std::vector<size_t> ServerIndex::Impl::WholeServers(const RegionTable& table,
                                                    std::vector<size_t> positions) const {
  if (config.structure != Structure::kServerFilters) {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
  }
  std::vector<bool> is_concerned(table.num_servers());
  for (const size_t position : positions) is_concerned[table[position].server] = true;
  positions.clear();
  for (size_t i = 0; i < table.size(); ++i) {
    if (is_concerned[table[i].server]) positions.push_back(i);
  }
  std::stable_sort(positions.begin(), positions.end(),
                   [&](size_t a, size_t b) { return table[a].server < table[b].server; });
  return positions;
}

void ServerIndex::Impl::Replace(Draft& draft, uint32_t attribute, std::vector<size_t> positions) {
  AttributeColumns& columns = Change(draft, attribute);
  const RegionTable& table = *draft.version->table;
  positions = WholeServers(table, std::move(positions));
  // Beside a successor, no builder fills the column of the structure before: it needs no memory.
  ReplaceIn(draft, columns.now, table, positions, !columns.next.has_value());
  if (columns.next) ReplaceIn(draft, *columns.next, table, positions, true);
}

void ServerIndex::Impl::ReplaceIn(Draft& draft, ColumnSet& set, const RegionTable& table,
                                  const std::vector<size_t>& positions, bool is_opening) {
  ReserveMore(draft.opened, positions.size());
  ReserveMore(retired, draft.opened.size() + positions.size());
  const bool is_shared = config.structure == Structure::kServerFilters;
  std::vector<uint32_t> replaced;
  uint32_t column = kNoColumn;
  for (size_t i = 0; i < positions.size(); ++i) {
    const size_t position = positions[i];
    const bool is_next_server = i == 0 || table[positions[i - 1]].server != table[position].server;
    if (is_opening && (!is_shared || is_next_server)) column = OpenColumn(draft, set);
    replaced.push_back(set.regions[position]->column);
    set.regions[position] = NewRegionColumn(column);
  }
  std::sort(replaced.begin(), replaced.end());
  replaced.erase(std::unique(replaced.begin(), replaced.end()), replaced.end());
  for (const uint32_t old : replaced) Retire(draft, set, old);
}

void ServerIndex::MarkUnbuilt(std::span<const ColumnName> columns) {
  const auto lock = impl_->Lock();
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
  impl_->Publish(draft);
}

std::vector<ColumnName> ServerIndex::ColumnsToBuild() {
  const auto lock = impl_->Lock();
  Impl::Draft draft = impl_->BeginDraft();
  bool is_changed = false;
  std::vector<ColumnName> names;
  for (uint32_t a = 0; a < impl_->config.attributes.size(); ++a) {
    const AttributeColumns& columns = *draft.version->attributes[a];
    if (columns.state != AttributeState::kIndexed || columns.now.structure == nullptr) continue;
    std::vector<size_t> without;
    for (size_t i = 0; i < columns.to_fill().regions.size(); ++i) {
      const RegionColumn& region = *columns.to_fill().regions[i];
      if (region.column == kNoColumn && !region.has_given_up) without.push_back(i);
    }
    if (!without.empty() && !columns.to_fill().structure->free_columns.empty()) {
      const RegionTable& table = *draft.version->table;
      without = impl_->WholeServers(table, std::move(without));
      ColumnSet& changed = impl_->Change(draft, a).to_fill();
      impl_->ReplaceIn(draft, changed, table, without, true);
      // Not if there was no memory for any.
      is_changed |= std::ranges::any_of(
          without, [&](size_t i) { return changed.regions[i]->column != kNoColumn; });
    }
    const ColumnSet& to_fill = draft.version->attributes[a]->to_fill();
    for (size_t i = 0; i < to_fill.regions.size(); ++i) {
      const RegionColumn& region = *to_fill.regions[i];
      if (region.column == kNoColumn || region.is_built.load(std::memory_order_acquire)) continue;
      names.push_back({(*draft.version->table)[i].id, a});
    }
  }
  if (is_changed) impl_->Publish(draft);
  return names;
}

void ServerIndex::WaitForPins() {
  uint64_t num_waits = 0;
  impl_->grace_periods.Synchronize(
      [&num_waits] { YieldThroughSteps("wait for pins", num_waits++); });
}

size_t ServerIndex::Reclaim() {
  uint64_t num_waits = 0;
  const auto wait = [&num_waits] { YieldThroughSteps("wait for readers", num_waits++); };
  std::vector<std::unique_ptr<const Version>> old_versions;
  std::vector<Impl::StructureColumn> old_columns;
  std::vector<std::shared_ptr<const void>> remains;
  std::vector<uint32_t> columns;  // of one structure
  {
    const auto lock = impl_->Lock();
    remains.reserve(impl_->retired.size());
    columns.reserve(impl_->retired.size());
    old_versions.assign(std::make_move_iterator(impl_->versions.begin()),
                        std::make_move_iterator(impl_->versions.end() - 1));
    // From here on nothing can fail: columns that are in neither list would never be closed.
    impl_->versions.erase(impl_->versions.begin(), impl_->versions.end() - 1);
    old_columns.swap(impl_->retired);
  }
  if (old_versions.empty() && old_columns.empty()) return 0;
  impl_->grace_periods.Synchronize(wait);  // no reader has an old version now
  Step("close columns");
  old_versions.clear();

  {
    const auto lock = impl_->Lock();
    // Those of a structure together: a map passes over all of its pairs.
    std::ranges::stable_sort(old_columns, {}, [](const auto& old) { return old.structure.get(); });
    for (size_t i = 0; i < old_columns.size();) {
      PairStructure& structure = *old_columns[i].structure;
      columns.clear();
      for (; i < old_columns.size() && old_columns[i].structure.get() == &structure; ++i) {
        columns.push_back(old_columns[i].column);
      }
      remains.push_back(structure.Close(columns));
      structure.free_columns.insert(structure.free_columns.end(), columns.begin(), columns.end());
    }
  }
  std::erase(remains, nullptr);
  // Readers of the current version may have come upon the closed columns, too.
  if (!remains.empty()) impl_->grace_periods.Synchronize(wait);
  return old_columns.size();
}

ServerIndex::NextVersion::NextVersion(std::unique_ptr<Impl> impl) noexcept
    : impl_(std::move(impl)) {}
ServerIndex::NextVersion::NextVersion(NextVersion&&) noexcept = default;
ServerIndex::NextVersion::~NextVersion() = default;

void ServerIndex::NextVersion::Publish() && noexcept {
  impl_->index.Commit(impl_->draft);
  impl_.reset();
}

Status ServerIndex::Publish(RegionTable table) {
  Result<NextVersion> next = Prepare(std::move(table));
  if (!next) return next.error();
  (*std::move(next)).Publish();
  return Ok();
}

Result<ServerIndex::NextVersion> ServerIndex::Prepare(RegionTable table) {
  auto next = std::make_unique<NextVersion::Impl>(*impl_);
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

  Impl::Draft& draft = next->draft;
  draft.version->num_words = BitmapWords(impl_->NumColumns(table.size()));
  draft.version->table = std::make_shared<const RegionTable>(std::move(table));
  const auto follow_regions = [&](ColumnSet& set) {
    const std::vector<std::shared_ptr<RegionColumn>> old = std::move(set.regions);
    set.regions.clear();
    for (const size_t origin : origins) {
      set.regions.push_back(origin != before.size() ? old[origin]
                                                    : impl_->NewRegionColumn(kNoColumn));
    }
    // Columns that no region has any more; Replace retires those that some region still has.
    std::vector<uint32_t> gone;
    for (size_t i = 0; i < before.size(); ++i) {
      if (!is_kept[i]) gone.push_back(old[i]->column);
    }
    std::sort(gone.begin(), gone.end());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    for (const auto& region : set.regions) std::erase(gone, region->column);
    for (const uint32_t column : gone) Impl::Retire(draft, set, column);
  };
  for (uint32_t a = 0; a < draft.version->attributes.size(); ++a) {
    AttributeColumns& columns = impl_->Change(draft, a);
    follow_regions(columns.now);
    if (columns.next) follow_regions(*columns.next);
    impl_->Replace(draft, a, changed);
  }
  impl_->Complete(draft);
  return NextVersion(std::move(next));
}

}  // namespace trommel::index
