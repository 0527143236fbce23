// Structures of attributes: how they are made, replaced beside queries, and removed.
//
//   Resize      a structure, with new columns; or, if there is one, a successor beside it
//   SetBuilt    of the successor's last column: the switch
//   SetState    to and from kIndexed: neither structure nor successor
#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/directory/server_index_impl.h"
#include "engine/index/src/model/misuse.h"
#include "trommel/column_map.h"
#include "trommel/outcomes.h"
#include "trommel/sizing.h"

namespace trommel::index {

uint32_t ServerIndex::Impl::NumColumns(size_t num_regions) const {
  const size_t least = std::min<size_t>(
      kMaxMapColumns, std::max<size_t>(config.min_columns, num_regions + num_regions / 64 + 1));
  const size_t num_columns = 64 * BitmapWords(least);
  // One less than a power of two has a bit less in the slots of a map.
  const bool is_one_less = std::has_single_bit(num_columns) && least < num_columns;
  return static_cast<uint32_t>(is_one_less ? num_columns - 1 : num_columns);
}

ColumnSet ServerIndex::Impl::EmptySet(size_t num_regions) {
  ColumnSet set;
  for (size_t i = 0; i < num_regions; ++i) set.regions.push_back(NewRegionColumn(kNoColumn));
  return set;
}

Result<ColumnSet> ServerIndex::Impl::MakeSet(const RegionTable& table, uint64_t pairs_per_region,
                                             double slots_per_pair, const StructureShape& shape) {
  const bool is_shared = config.structure == Structure::kServerFilters;
  // While a server's filter is replaced it has two.
  const uint32_t num_columns = is_shared ? 2 * num_servers : NumColumns(table.size());
  // One capacity is for the pairs of so many regions: a filter's of a server's, a map's of all.
  const uint64_t num_together =
      is_shared ? (table.size() + num_servers - 1) / num_servers : table.size();
  if (pairs_per_region > kMaxCapacity / num_together) {
    return Error{ErrorCode::kInvalidArgument, "pairs_per_region must be at most " +
                                                  std::to_string(kMaxCapacity / num_together) +
                                                  "; got " + std::to_string(pairs_per_region)};
  }
  const uint64_t num_pairs = pairs_per_region * num_together;
  Result<std::shared_ptr<PairStructure>> structure =
      is_shared ? MakeServerFilters(config, num_pairs, num_columns)
                : MakeMapStructure(config, num_pairs, slots_per_pair, num_columns, shape);
  if (!structure) return structure.error();
  ColumnSet set = EmptySet(table.size());
  set.pairs_per_region = pairs_per_region;
  set.structure = *std::move(structure);
  for (uint32_t c = num_columns; c > 0; --c) set.structure->free_columns.push_back(c - 1);
  return set;
}

Status ServerIndex::Resize(uint32_t attribute, uint64_t pairs_per_region) {
  CheckUse(attribute < impl_->config.attributes.size(), "the schema has no such attribute");
  const auto lock = impl_->Lock();
  Impl::Draft draft = impl_->BeginDraft();
  const RegionTable& table = *draft.version->table;
  const PairStructure* const before = draft.version->attributes[attribute]->now.structure.get();
  Result<ColumnSet> set =
      impl_->MakeSet(table, pairs_per_region, before == nullptr ? 1 : before->slots_per_pair(), {});
  if (!set) return set.error();
  std::vector<size_t> positions(table.size());
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  impl_->ReplaceIn(draft, *set, table, impl_->WholeServers(table, std::move(positions)), true);
  AttributeColumns& columns = impl_->Change(draft, attribute);
  if (columns.now.structure == nullptr) {
    columns.now = *std::move(set);  // some columns are better than none
  } else {
    const auto num_closed =
        std::count_if(set->regions.begin(), set->regions.end(),
                      [](const auto& region) { return region->column == kNoColumn; });
    if (num_closed != 0) {
      return Error{ErrorCode::kOutOfMemory,
                   "no memory for " + std::to_string(num_closed) + " of " +
                       std::to_string(table.size()) + " columns of " +
                       std::to_string(pairs_per_region) +
                       " pairs: raise memory_limit_bytes, or keep the structure as it is"};
    }
    if (columns.next) Impl::Drop(draft, *columns.next);
    columns.next = *std::move(set);
  }
  impl_->Publish(draft);
  return Ok();
}

void ServerIndex::SetState(uint32_t attribute, AttributeState state) {
  Prepare(attribute, state).Publish();
}

ServerIndex::NextVersion ServerIndex::Prepare(uint32_t attribute, AttributeState state) {
  CheckUse(attribute < impl_->config.attributes.size(), "the schema has no such attribute");
  auto next = std::make_unique<NextVersion::Impl>(*impl_);
  Impl::Draft& draft = next->draft;
  AttributeColumns& columns = impl_->Change(draft, attribute);
  if ((columns.state == AttributeState::kIndexed) != (state == AttributeState::kIndexed)) {
    Impl::Drop(draft, columns.now);
    if (columns.next) Impl::Drop(draft, *columns.next);
    columns.now = impl_->EmptySet(draft.version->table->size());
    columns.next.reset();
  }
  columns.state = state;
  impl_->Complete(draft);
  return NextVersion(std::move(next));
}

void ServerIndex::Impl::Switch(Draft& draft, uint32_t attribute) {
  AttributeColumns& columns = Change(draft, attribute);
  Drop(draft, columns.now);
  columns.now = *std::move(columns.next);
  columns.next.reset();
  ++draft.num_switches;
}

void ServerIndex::Impl::SetBuilt(ColumnName name, uint64_t column_id) {
  const auto lock = Lock();
  const Version& version = *versions.back();
  const size_t position = version.table->FindId(name.region_id);
  if (position == version.table->size()) return;
  AttributeColumns& columns = *version.attributes[name.attribute];
  const bool is_of_next = columns.next && columns.next->regions[position]->id == column_id;
  RegionColumn& region = *(is_of_next ? *columns.next : columns.now).regions[position];
  if (region.id != column_id) return;  // replaced: older queries only
  const bool was_built = region.is_built.exchange(true, std::memory_order_acq_rel);
  if (!is_of_next) {
    columns.SetBuilt(position);
  } else if (!was_built && --columns.num_unbuilt_next == 0) {
    Draft draft = BeginDraft();
    Switch(draft, name.attribute);
    Publish(draft);
  }
}

std::vector<size_t> ServerIndex::Impl::SharersOf(const ColumnSet& set, size_t position) {
  std::vector<size_t> sharers;
  for (size_t i = 0; i < set.regions.size(); ++i) {
    if (set.regions[i]->column == set.regions[position]->column) sharers.push_back(i);
  }
  return sharers;
}

void ServerIndex::Impl::GiveUp(ColumnName name, uint64_t column_id) {
  const auto lock = Lock();
  Draft draft = BeginDraft();
  const size_t position = draft.version->table->FindId(name.region_id);
  if (position == draft.version->table->size()) return;
  AttributeColumns& columns = Change(draft, name.attribute);
  const bool is_of_next = columns.next && columns.next->regions[position]->id == column_id;
  ColumnSet& set = is_of_next ? *columns.next : columns.now;
  if (set.regions[position]->id != column_id) return;  // replaced meanwhile
  const uint32_t column = set.regions[position]->column;
  for (const size_t sharer : SharersOf(set, position)) {
    set.regions[sharer] = NewRegionColumn(kNoColumn);
    set.regions[sharer]->has_given_up = true;
  }
  Retire(draft, set, column);
  if (is_of_next && std::all_of(set.regions.begin(), set.regions.end(), [](const auto& region) {
        return region->is_built.load(std::memory_order_acquire) || region->has_given_up;
      })) {
    Switch(draft, name.attribute);
  }
  Publish(draft);
}

}  // namespace trommel::index
