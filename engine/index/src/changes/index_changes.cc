#include "engine/index/src/changes/index_changes.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/model/misuse.h"
#include "engine/index/src/protocol/gate.h"
#include "engine/index/src/rows/row_store.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

constexpr size_t kRowsPerChunk = 128;

std::string AttributeText(uint32_t attribute) { return "attribute " + std::to_string(attribute); }

// Waits until so many rows may be done, in steps after which the watch is asked.
void KeepPace(std::chrono::steady_clock::time_point begin, uint64_t num_rows,
              uint64_t rows_per_second, const Watch& watch) {
  if (rows_per_second == 0) return;
  using Seconds = std::chrono::duration<double>;
  const auto due =
      begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                  Seconds(static_cast<double>(num_rows) / static_cast<double>(rows_per_second)));
  while (watch.MayGoOn()) {
    const auto left = due - std::chrono::steady_clock::now();
    if (left.count() <= 0) return;
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(left, std::chrono::milliseconds(50)));
  }
}

}  // namespace

Status IndexChanges::SetState(TableChange& change, uint32_t attribute, AttributeState state) {
  change.record().attributes[attribute] = {state, std::nullopt};
  ServerIndex::NextVersion next = context_.directory.Prepare(attribute, state);
  if (RecordOutcome outcome = change.Record(); outcome.recorded != Recorded::kDone) {
    return outcome.status;
  }
  if (state == AttributeState::kDropping) context_.keeper.CountDrop();
  Step("publish state");
  std::move(next).Publish();
  return Ok();
}

Status IndexChanges::End(uint32_t attribute, AttributeState expected, AttributeState state) {
  TableChange change(context_.keeper);
  // Another change may have come first; then there is nothing to end any more.
  if (change.record().attributes[attribute].state != expected) return Ok();
  return SetState(change, attribute, state);
}

Status IndexChanges::Add(uint32_t attribute) {
  CheckUse(attribute < context_.num_attributes, "the schema has no such attribute");
  TableChange change(context_.keeper);
  switch (change.record().attributes[attribute].state) {
    case AttributeState::kIndexed:
    case AttributeState::kBuilding:
      return Error{ErrorCode::kInvalidArgument, AttributeText(attribute) + " has an index already"};
    case AttributeState::kDropping:
      return Error{ErrorCode::kBusy, "the old index of " + AttributeText(attribute) +
                                         " is being dropped; try again when that has ended"};
    case AttributeState::kNone:
      break;
  }
  return SetState(change, attribute, AttributeState::kBuilding);
}

Status IndexChanges::Drop(uint32_t attribute) {
  CheckUse(attribute < context_.num_attributes, "the schema has no such attribute");
  TableChange change(context_.keeper);
  const AttributeState state = change.record().attributes[attribute].state;
  if (state == AttributeState::kNone || state == AttributeState::kDropping) {
    return Error{ErrorCode::kInvalidArgument, AttributeText(attribute) + " has no index"};
  }
  return SetState(change, attribute, AttributeState::kDropping);
}

Result<bool> IndexChanges::Finish(const Watch& watch) {
  const auto turn = LockThroughSteps(turn_, "wait for other index changes");
  for (uint32_t attribute = 0; attribute < context_.num_attributes; ++attribute) {
    const AttributeState state = context_.keeper.Read().attributes[attribute].state;
    Result<bool> is_done = true;
    if (state == AttributeState::kBuilding) is_done = Backfill(attribute, watch);
    // A backfill that was dropped meanwhile ends early.
    if (is_done && *is_done &&
        context_.keeper.Read().attributes[attribute].state == AttributeState::kDropping) {
      is_done = RemoveEntries(attribute, watch);
    }
    if (!is_done || !*is_done) return is_done;
  }
  return true;
}

Result<bool> IndexChanges::Backfill(uint32_t attribute, const Watch& watch) {
  // Writers from before the state was published do not maintain its entries. A row that one of them
  // inserts behind the backfill would have none.
  DrainGates(context_);
  Place place{context_.keeper.Read().attributes[attribute].backfilled.value_or(""), 0};
  while (place.key) {
    Result<bool> may_go_on = BackfillToSync(attribute, place, watch);
    if (!may_go_on || !*may_go_on) return may_go_on;
    if (context_.keeper.Read().attributes[attribute].state != AttributeState::kBuilding)
      return true;
  }
  // All entries are on the disk. Builders give the attribute columns from now on.
  if (Status status = End(attribute, AttributeState::kBuilding, AttributeState::kIndexed);
      !status) {
    return status.error();
  }
  return true;
}

Result<bool> IndexChanges::BackfillToSync(uint32_t attribute, Place& place, const Watch& watch) {
  const std::vector<uint64_t> incarnations = Incarnations();
  const auto begin = std::chrono::steady_clock::now();
  // The share of the regions that lie before the place: rows have no order that counts them.
  const auto report = [&] {
    const auto [position, size] = [&] {
      const ServerIndex::Pin pin = context_.directory.PinVersion();
      const RegionTable& table = pin.table();
      return std::pair(place.key ? table.Find(*place.key) : table.size(), table.size());
    }();
    watch.Report(position, size);  // without the pin: what is called may wait for pins
  };
  for (place.num_rows = 0; place.key && place.num_rows < rows_per_sync_;) {
    report();
    if (!watch.MayGoOn()) return false;
    if (Status status = BackfillChunk(attribute, place); !status) return status.error();
    KeepPace(begin, place.num_rows, rows_per_second_, watch);
  }
  report();
  // Before it is recorded: entries that are lost would not be written again.
  if (Status status = SyncAll(incarnations); !status) return status.error();
  if (!place.key) return true;
  TableChange change(context_.keeper);
  AttributeRecord& record = change.record().attributes[attribute];
  if (record.state != AttributeState::kBuilding) return true;
  record.backfilled = place.key;
  if (RecordOutcome outcome = change.Record(); outcome.recorded != Recorded::kDone) {
    return outcome.status.error();
  }
  return true;
}

Status IndexChanges::BackfillChunk(uint32_t attribute, Place& place) {
  Step("route backfill");
  const uint32_t region_id = [&] {
    const ServerIndex::Pin pin = context_.directory.PinVersion();
    return pin.table()[pin.table().Find(*place.key)].id;
  }();
  const std::shared_ptr<RegionState> state = context_.regions.Find(region_id);
  if (state == nullptr) return Ok();  // to be routed again
  const Gate::Shared gate(state->gate);
  // As it is now: for as long as the gate is held it stays so.
  std::optional<Region> region;
  bool is_building = false;
  {
    Step("read version");
    const ServerIndex::Pin pin = context_.directory.PinVersion();
    const size_t position = pin.table().FindId(region_id);
    if (position != pin.table().size()) region = pin.table()[position];
    is_building = pin.state(attribute) == AttributeState::kBuilding;
  }
  if (!is_building) {
    place.key.reset();  // it was dropped
    return Ok();
  }
  if (!region) return Ok();
  if (state->is_in_doubt) {
    return Error{ErrorCode::kIo, "region " + std::to_string(region_id) +
                                     ": whether its rows have moved is not known, since a write of "
                                     "the region table failed"};
  }

  RowStore& store = *context_.servers[region->server];
  const uint64_t incarnation = store.incarnation();
  Result<std::unique_ptr<RowScan>> scan = store.Scan({*place.key, region->range.end});
  if (!scan) return scan.error();
  const Result<std::vector<RowChange>> rows = (*scan)->Next(kRowsPerChunk);
  if (!rows) return rows.error();
  scan->reset();
  std::vector<std::string> keys;
  for (const RowChange& row : *rows) keys.push_back(row.key);
  {
    // Again, under their locks: a writer may have changed a row since, with its entries.
    const auto row_locks = context_.regions.LockRows(keys);
    Result<std::vector<Versions>> locked = store.Read(keys);
    if (!locked) return locked.error();
    std::vector<EntryChange> entries;
    for (size_t i = 0; i < keys.size(); ++i) {
      if ((*locked)[i].empty()) continue;
      for (std::string& value : ValuesOf((*locked)[i], attribute)) {
        entries.push_back({attribute, std::move(value), keys[i], true});
      }
    }
    if (!entries.empty()) {
      Status status = store.Commit({}, entries, incarnation);
      // A move that copies the region may have copied these rows without the entries.
      for (const std::string& key : keys) state->notes.Note(key);
      if (!status) return status;
    }
  }
  place.num_rows += keys.size();
  if (!keys.empty()) {
    place.key = keys.back() + '\0';
  } else if (region->range.end.empty()) {
    place.key.reset();
  } else {
    place.key = region->range.end;
  }
  return Ok();
}

Result<bool> IndexChanges::RemoveEntries(uint32_t attribute, const Watch& watch) {
  // Queries that pinned a version in which the attribute is indexed look for rows by its entries.
  context_.directory.WaitForPins();
  // Operations, backfills and copies that began by such a version may write entries.
  DrainGates(context_);
  const std::vector<uint64_t> incarnations = Incarnations();
  for (uint32_t server = 0; server < context_.servers.size(); ++server) {
    watch.Report(server, context_.servers.size());
    if (!watch.MayGoOn()) return false;
    Step("remove entries");
    if (Status status = context_.servers[server]->RemoveEntries(attribute); !status) {
      return status.error();
    }
  }
  // Before it is recorded: entries that come back would stay for ever.
  if (Status status = SyncAll(incarnations); !status) return status.error();
  if (Status status = End(attribute, AttributeState::kDropping, AttributeState::kNone); !status) {
    return status.error();
  }
  return true;
}

std::vector<uint64_t> IndexChanges::Incarnations() const {
  std::vector<uint64_t> incarnations;
  for (const RowStore* const store : context_.servers) {
    incarnations.push_back(store->incarnation());
  }
  return incarnations;
}

Status IndexChanges::SyncAll(const std::vector<uint64_t>& incarnations) const {
  for (uint32_t server = 0; server < context_.servers.size(); ++server) {
    Step("sync entries");
    if (Status status = context_.servers[server]->Sync(); !status) return status;
    if (context_.servers[server]->incarnation() != incarnations[server]) {
      return Error{ErrorCode::kIo, "server " + std::to_string(server) + " stopped meanwhile"};
    }
  }
  return Ok();
}

}  // namespace trommel::index
