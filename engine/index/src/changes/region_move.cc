// RegionChanges::Move.
//
//   old server   rows change, keys are noted after commits ....|          | not mine | removed
//   new server   removed | rows of a snapshot | noted rows ....| the last | rows change ...
//                        |                    | in rounds      | synced   |
//   gate         shared for each commit of copied rows ........| alone ---+
//   leftover     at the new server ............................| at the old server ..| none
//
// The record of the new owner decides after a crash: before it the copy is a leftover, after it
// what the old server has. So nothing that one owner acknowledged is lost: the copy has it, synced,
// before the record. And no answer comes from a copy that is not whole or no longer current,
// because servers answer only for what they have held throughout.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/changes/region_changes.h"
#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/protocol/gate.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/index/server_index.h"

namespace trommel::index {
namespace {

constexpr size_t kRowsPerCopy = 256;
constexpr size_t kFewKeys = 64;
constexpr int kMostRounds = 32;

Error WithMove(const Error& error, const Region& region, uint32_t destination) {
  return {error.code, "region " + std::to_string(region.id) + " cannot move from server " +
                          std::to_string(region.server) + " to server " +
                          std::to_string(destination) + ": " + error.message};
}

// Bytes of a row's key and values.
uint64_t BytesOf(const RowChange& row) {
  uint64_t num_bytes = row.key.size();
  for (const auto& version : row.versions) {
    for (const Values& values : version) {
      for (const std::string& value : values) num_bytes += value.size();
    }
  }
  return num_bytes;
}

// Notes the keys that change for its lifetime.
class Noting {
 public:
  explicit Noting(ChangeNotes& notes) : notes_(notes) { notes_.Begin(); }
  Noting(const Noting&) = delete;
  Noting& operator=(const Noting&) = delete;
  ~Noting() { notes_.End(); }

 private:
  ChangeNotes& notes_;
};

}  // namespace

Status RegionChanges::VerifyMove(const Region& region, uint32_t server) const {
  if (server >= context_.servers.size()) {
    return Error{ErrorCode::kInvalidArgument, "server must be between 0 and " +
                                                  std::to_string(context_.servers.size() - 1) +
                                                  "; got " + std::to_string(server)};
  }
  if (server == region.server) {
    return Error{ErrorCode::kInvalidArgument, "region " + std::to_string(region.id) +
                                                  " is on server " + std::to_string(server) +
                                                  " already"};
  }
  return Ok();
}

Result<bool> RegionChanges::Move(uint32_t region_id, uint32_t server, const Watch& watch) {
  const Result<BusyRegions::Hold> busy =
      busy_.Take(region_id, "moved to server " + std::to_string(server));
  if (!busy) return busy.error();
  const Result<Region> region = FindRegion(region_id);
  if (!region) return region.error();
  if (Status status = VerifyMove(*region, server); !status) return status.error();
  const Moved moved{*region, server, StateOf(region_id)};
  const auto turn = LockThroughSteps(copies_, "wait for other copies");

  const Result<bool> is_prepared = PrepareDestination(moved, watch);
  if (!is_prepared) return WithMove(is_prepared.error(), *region, server);
  if (!*is_prepared) return false;
  Result<bool> is_moved = [&]() -> Result<bool> {
    const Noting noting(moved.state->notes);
    RowCopy copy(context_.directory, context_.num_attributes, *context_.servers[region->server],
                 *context_.servers[server]);
    Result<bool> is_copied = CopySnapshot(moved, copy, watch);
    if (!is_copied || !*is_copied) return is_copied;
    Result<bool> is_current = CopyChanged(moved, copy, watch);
    if (!is_current || !*is_current) return is_current;
    if (Status status = Switch(moved, copy); !status) return status.error();
    return true;
  }();
  // What the old server has now, or the copy that is not used. If it cannot be removed now, or the
  // watch ends that, too, its record stays, and the next RemoveLeftovers tries again.
  const bool has_switched = is_moved && *is_moved;
  static_cast<void>(
      Remove({has_switched ? region->server : server, region->range}, {nullptr, watch.keep_going}));
  if (!is_moved) return WithMove(is_moved.error(), *region, server);
  return is_moved;
}

Result<bool> RegionChanges::PrepareDestination(const Moved& moved, const Watch& watch) {
  for (const Leftover& leftover : context_.keeper.Read().leftovers) {
    if (leftover.server != moved.destination) continue;
    if (Intersection(leftover.range, moved.region.range).empty()) continue;
    Result<bool> is_removed = Remove(leftover, Watch{nullptr, watch.keep_going});
    if (!is_removed || !*is_removed) return is_removed;
  }
  TableChange change(context_.keeper);
  // Before the first row: a crash from here on leaves a copy that is known.
  change.record().leftovers.push_back({moved.destination, moved.region.range});
  if (Status status = change.Record().status; !status) return status.error();
  return true;
}

Result<bool> RegionChanges::CopySnapshot(const Moved& moved, RowCopy& copy, const Watch& watch) {
  const RowStore& from = *context_.servers[moved.region.server];
  const Result<uint64_t> estimate = from.EstimateBytes(moved.region.range);
  if (!estimate) return estimate.error();
  Result<std::unique_ptr<RowScan>> scan = from.Scan(moved.region.range);
  if (!scan) return scan.error();
  uint64_t num_bytes = 0;
  for (;;) {
    watch.Report(std::min(num_bytes, *estimate), *estimate);
    if (!watch.MayGoOn()) return false;
    Result<std::vector<RowChange>> rows = (*scan)->Next(kRowsPerCopy);
    if (!rows) return rows.error();
    if (rows->empty()) return true;
    for (const RowChange& row : *rows) num_bytes += BytesOf(row);
    const Gate::Shared gate(moved.state->gate);
    if (Status status = copy.CopyRows(*rows); !status) return status.error();
  }
}

Result<bool> RegionChanges::CopyChanged(const Moved& moved, RowCopy& copy, const Watch& watch) {
  // Each round copies what changed during the one before, which is less and less.
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<std::string> keys = moved.state->notes.Take();
    for (size_t begin = 0; begin < keys.size(); begin += kRowsPerCopy) {
      if (!watch.MayGoOn()) return false;
      const Gate::Shared gate(moved.state->gate);
      const auto part = std::span(keys).subspan(begin, std::min(kRowsPerCopy, keys.size() - begin));
      if (Status status = copy.CopyKeys(part); !status) return status.error();
    }
    if (keys.size() <= kFewKeys) break;
  }
  // The bulk of the copy reaches the disk while writes go on, not under the gate.
  if (Status status = copy.Finish(); !status) return status.error();
  return watch.MayGoOn();
}

void RegionChanges::BeginSwitch(std::optional<TableChange>& change) {
  for (;;) {
    const uint64_t num_drops = context_.keeper.num_drops();
    const TableRecord record = context_.keeper.Read();
    const bool is_dropping = std::ranges::any_of(record.attributes, [](const auto& attribute) {
      return attribute.state == AttributeState::kDropping;
    });
    // Not inside a change: queries may wait for a server that needs one to come back.
    if (is_dropping) context_.directory.WaitForPins();
    change.emplace(context_.keeper);
    if (context_.keeper.num_drops() == num_drops) return;
    change.reset();
  }
}

Status RegionChanges::Switch(const Moved& moved, RowCopy& copy) {
  const Region& region = moved.region;
  std::optional<TableChange> begun;
  BeginSwitch(begun);
  TableChange& change = *begun;
  TableRecord& record = change.record();
  std::vector<Region> regions(record.table.regions().begin(), record.table.regions().end());
  regions[record.table.FindId(region.id)].server = moved.destination;
  Result<RegionTable> table = RegionTable::Create(std::move(regions));
  if (!table) return table.error();
  record.table = *std::move(table);
  std::erase(record.leftovers, Leftover{moved.destination, region.range});
  record.leftovers.push_back({region.server, region.range});

  const Gate::Exclusive gate(moved.state->gate);
  const std::vector<std::string> keys = moved.state->notes.Take();
  if (keys.size() > kMostLastKeys || !moved.state->notes.is_whole()) {
    return Error{ErrorCode::kBusy,
                 "its rows change faster than they can be copied; try again later"};
  }
  if (Status status = copy.CopyKeys(keys); !status) return status;
  if (Status status = copy.Finish(); !status) return status;
  std::vector<KeyRange> of_new = RangesOf(record.table, moved.destination);
  std::vector<KeyRange> of_old = RangesOf(record.table, region.server);
  ServerIndex::NextVersion next = PrepareVersion(record.table);
  const RecordOutcome outcome = change.Record(moved.state);
  if (outcome.recorded != Recorded::kDone) return outcome.status;

  // The old server last: at any time one of the two answers for the range.
  Step("hold at new server");
  context_.lookups.SetHeld(moved.destination, std::move(of_new));
  Step("no longer hold at old server");
  context_.lookups.SetHeld(region.server, std::move(of_old));
  Step("publish move");
  std::move(next).Publish();
  ++num_moves_;
  return Ok();
}

Result<bool> RegionChanges::Remove(const Leftover& leftover, const Watch& watch) {
  // Else it may be the only copy that a crash leaves to its owner.
  if (!context_.keeper.Settle()) {
    return Error{ErrorCode::kIo,
                 "which server has its rows is not known, since a write of the region "
                 "table failed"};
  }
  Result<bool> is_removed = RemoveRows(*context_.servers[leftover.server], context_.num_attributes,
                                       leftover.range, watch.keep_going);
  if (!is_removed || !*is_removed) return is_removed;
  TableChange change(context_.keeper);
  std::erase(change.record().leftovers, leftover);
  const RecordOutcome outcome = change.Record();
  if (outcome.recorded != Recorded::kDone) return outcome.status.error();
  return true;
}

Result<bool> RegionChanges::RemoveLeftovers(const Watch& watch) {
  const auto turn = LockThroughSteps(copies_, "wait for other copies");
  const std::vector<Leftover> leftovers = context_.keeper.Read().leftovers;
  std::optional<Error> first_failure;
  for (size_t i = 0; i < leftovers.size(); ++i) {
    watch.Report(i, leftovers.size());
    const Result<bool> is_removed = Remove(leftovers[i], Watch{nullptr, watch.keep_going});
    if (is_removed && !*is_removed) return false;
    if (!is_removed && !first_failure) first_failure = is_removed.error();
  }
  if (first_failure) return *std::move(first_failure);
  return true;
}

}  // namespace trommel::index
