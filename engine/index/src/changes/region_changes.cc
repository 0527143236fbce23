// Split and Merge. Move is in region_move.cc.
#include "engine/index/src/changes/region_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/model/misuse.h"
#include "engine/index/src/protocol/gate.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/index/server_index.h"

namespace trommel::index {
namespace {

Error Invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::string RegionText(uint32_t region_id) { return "region " + std::to_string(region_id); }

// Replaces `count` regions from `position` on by others.
Status ReplaceRegions(TableRecord& record, size_t position, size_t count,
                      std::vector<Region> replacements) {
  const auto regions = record.table.regions();
  std::vector<Region> table(regions.begin(), regions.begin() + static_cast<ptrdiff_t>(position));
  std::ranges::move(replacements, std::back_inserter(table));
  table.insert(table.end(), regions.begin() + static_cast<ptrdiff_t>(position + count),
               regions.end());
  Result<RegionTable> replaced = RegionTable::Create(std::move(table));
  if (!replaced) return replaced.error();
  record.table = *std::move(replaced);
  return Ok();
}

// Takes the next ids for new regions.
Result<uint32_t> TakeIds(TableRecord& record, uint32_t count) {
  if (record.next_region_id > std::numeric_limits<uint32_t>::max() - count) {
    return Invalid("all ids of regions have been used");
  }
  const uint32_t first = record.next_region_id;
  record.next_region_id += count;
  return first;
}

// The states of regions that are to be published; taken back unless they are.
class NewStates {
 public:
  NewStates(RegionStates& regions, std::vector<uint32_t> ids)
      : regions_(regions), ids_(std::move(ids)) {
    for (const uint32_t id : ids_) regions_.Add(id);
  }
  NewStates(const NewStates&) = delete;
  NewStates& operator=(const NewStates&) = delete;
  ~NewStates() {
    if (is_kept_) return;
    for (const uint32_t id : ids_) regions_.Remove(id);
  }
  void Keep() { is_kept_ = true; }

 private:
  RegionStates& regions_;
  const std::vector<uint32_t> ids_;
  bool is_kept_ = false;
};

}  // namespace

Result<Region> RegionChanges::FindRegion(uint32_t region_id) const {
  const ServerIndex::Pin pin = context_.directory.PinVersion();
  const size_t position = pin.table().FindId(region_id);
  if (position == pin.table().size()) return Invalid("there is no " + RegionText(region_id));
  return pin.table()[position];
}

std::shared_ptr<RegionState> RegionChanges::StateOf(uint32_t region_id) const {
  std::shared_ptr<RegionState> state = context_.regions.Find(region_id);
  // Only the one that holds the region busy removes it.
  CheckUse(state != nullptr, "a published region has no state");
  return state;
}

ServerIndex::NextVersion RegionChanges::PrepareVersion(const RegionTable& table) const {
  Result<ServerIndex::NextVersion> next = context_.directory.Prepare(table);
  CheckUse(next.ok(), "a table that fits was refused");
  return *std::move(next);
}

Result<RegionChanges::Children> RegionChanges::Split(uint32_t region_id,
                                                     const std::optional<std::string>& key) {
  const Result<BusyRegions::Hold> busy = busy_.Take(region_id, "split");
  if (!busy) return busy.error();
  const Result<Region> region = FindRegion(region_id);
  if (!region) return region.error();
  std::optional<std::string> middle = key;
  if (!middle) {
    Result<std::optional<std::string>> found =
        context_.servers[region->server]->MiddleKey(region->range);
    if (!found) return found.error();
    if (!*found) return Invalid(RegionText(region_id) + " has fewer than two rows: name a key");
    middle = **std::move(found);
  }
  if (middle->size() > kMaxKeyBytes) {
    return Invalid("the key must have at most " + std::to_string(kMaxKeyBytes) + " bytes; got " +
                   std::to_string(middle->size()));
  }
  if (!region->range.Contains(*middle) || *middle == region->range.begin) {
    return Invalid("the key must be in " + RegionText(region_id) + ", and not its first key");
  }

  TableChange change(context_.keeper);
  TableRecord& record = change.record();
  const size_t position = record.table.FindId(region_id);
  const Result<uint32_t> first_id = TakeIds(record, 2);
  if (!first_id) return first_id.error();
  const Children children{*first_id, *first_id + 1};
  if (Status status =
          ReplaceRegions(record, position, 1,
                         {Region{children.low_id, {region->range.begin, *middle}, region->server},
                          Region{children.high_id, {*middle, region->range.end}, region->server}});
      !status) {
    return status.error();
  }
  NewStates states(context_.regions, {children.low_id, children.high_id});
  const std::shared_ptr<RegionState> state = StateOf(region_id);
  const Gate::Exclusive gate(state->gate);
  ServerIndex::NextVersion next = PrepareVersion(record.table);
  if (RecordOutcome outcome = change.Record(); outcome.recorded != Recorded::kDone) {
    return outcome.status.error();
  }
  states.Keep();
  Step("publish split");
  std::move(next).Publish();
  context_.regions.Remove(region_id);
  ++num_splits_;
  return children;
}

Result<uint32_t> RegionChanges::Merge(uint32_t region_id, uint32_t other_id) {
  if (region_id == other_id) return Invalid("a region cannot be merged with itself");
  const Result<BusyRegions::Hold> busy = busy_.Take(region_id, "merged");
  if (!busy) return busy.error();
  const Result<BusyRegions::Hold> other_busy = busy_.Take(other_id, "merged");
  if (!other_busy) return other_busy.error();
  Result<Region> low = FindRegion(region_id);
  if (!low) return low.error();
  Result<Region> high = FindRegion(other_id);
  if (!high) return high.error();
  if (high->range.begin < low->range.begin) std::swap(*low, *high);
  if (low->range.end.empty() || low->range.end != high->range.begin) {
    return Invalid("regions " + std::to_string(region_id) + " and " + std::to_string(other_id) +
                   " are no neighbours");
  }
  if (low->server != high->server) {
    return Invalid(RegionText(low->id) + " is on server " + std::to_string(low->server) + ", " +
                   RegionText(high->id) + " on server " + std::to_string(high->server) +
                   ": move one of them first");
  }

  TableChange change(context_.keeper);
  TableRecord& record = change.record();
  const Result<uint32_t> id = TakeIds(record, 1);
  if (!id) return id.error();
  if (Status status =
          ReplaceRegions(record, record.table.FindId(low->id), 2,
                         {Region{*id, {low->range.begin, high->range.end}, low->server}});
      !status) {
    return status.error();
  }
  NewStates states(context_.regions, {*id});
  // In the order of ids, as all that hold several gates enter them.
  const std::shared_ptr<RegionState> first = StateOf(std::min(low->id, high->id));
  const std::shared_ptr<RegionState> second = StateOf(std::max(low->id, high->id));
  const Gate::Exclusive first_gate(first->gate);
  const Gate::Exclusive second_gate(second->gate);
  ServerIndex::NextVersion next = PrepareVersion(record.table);
  if (RecordOutcome outcome = change.Record(); outcome.recorded != Recorded::kDone) {
    return outcome.status.error();
  }
  states.Keep();
  Step("publish merge");
  std::move(next).Publish();
  context_.regions.Remove(low->id);
  context_.regions.Remove(high->id);
  ++num_merges_;
  return *id;
}

}  // namespace trommel::index
