#include "engine/index/src/protocol/region_write.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

#include "engine/index/src/model/misuse.h"
#include "engine/index/src/protocol/row_changes.h"
#include "engine/index/src/rows/out_of_memory.h"
#include "engine/index/src/sync/steps.h"

namespace trommel::index {
namespace {

// The distinct keys of mutations that are sorted by key.
std::vector<std::string> KeysOf(std::span<const Mutation* const> mutations) {
  std::vector<std::string> keys;
  keys.reserve(mutations.size());
  for (const Mutation* mutation : mutations) {
    if (keys.empty() || keys.back() != mutation->key) keys.push_back(mutation->key);
  }
  return keys;
}

}  // namespace

RegionWrite::RegionWrite(const WriteContext& context, uint32_t region_id,
                         std::vector<const Mutation*> mutations)
    : context_(context),
      region_id_(region_id),
      region_(context.regions.Find(region_id)),
      mutations_(std::move(mutations)) {
  std::stable_sort(mutations_.begin(), mutations_.end(),
                   [](const Mutation* a, const Mutation* b) { return a->key < b->key; });
}

Status RegionWrite::Run() {
  if (region_ == nullptr) {
    // States are made before their regions are published, and removed after those that follow.
    const ServerIndex::Pin pin = context_.directory.PinVersion();
    CheckUse(pin.table().FindId(region_id_) == pin.table().size(),
             "a published region has no state");
    rerouted_.swap(mutations_);
    return Ok();
  }
  // To the end: nothing may switch the region between the commit and the last value left.
  const Gate::Shared gate(region_->gate);
  return RunInGate();
}

Status RegionWrite::RunInGate() {
  const auto row_locks = context_.regions.LockRows(KeysOf(mutations_));
  ReadVersion();
  if (mutations_.empty()) return Ok();
  if (region_->is_in_doubt) {
    return WithPlace(
        {ErrorCode::kIo,
         "cannot write: whether its rows have moved is not known, since a write of the "
         "region table failed"});
  }
  if (Status status = ComputeChanges(); !status) return status;
  if (rows_.empty()) return Ok();

  const std::vector<ValueChange> changes = ValueChangesOf(entries_);
  size_t num_entered = 0;
  CommitOutcome outcome = CommitOutcome::kNotBegun;
  Status status = Ok();
  try {
    status = Enter(changes, num_entered);
    if (status.ok()) {
      outcome = CommitOutcome::kUnknown;
      status = context_.servers[server_]->Commit(rows_, entries_, incarnation_);
      if (status.ok()) outcome = CommitOutcome::kDone;
    }
  } catch (const std::bad_alloc&) {
    // What was entered leaves all the same: a value that stayed in flight would keep its pair. So
    // nothing below may need memory.
    status = OutOfMemory();
  }
  if (outcome != CommitOutcome::kNotBegun) {
    region_->notes.Note(rows_);  // after the commit
    region_->num_writes.fetch_add(rows_.size(), std::memory_order_relaxed);
  }
  // A write that failed takes nothing back: the local index says what happened.
  Leave(std::span(changes).first(num_entered), outcome);
  if (!status) return WithPlace(status.error());
  return Ok();
}

void RegionWrite::ReadVersion() {
  Step("read version");
  // No pin is held while waiting for anything, because Reclaim waits for pins.
  const ServerIndex::Pin pin = context_.directory.PinVersion();
  const RegionTable& table = pin.table();
  const size_t position = table.FindId(region_id_);
  if (position == table.size()) {
    rerouted_.swap(mutations_);
    return;
  }
  range_ = table[position].range;
  server_ = table[position].server;
  incarnation_ = context_.servers[server_]->incarnation();
  const auto moved = std::stable_partition(
      mutations_.begin(), mutations_.end(),
      [this](const Mutation* mutation) { return range_.Contains(mutation->key); });
  rerouted_.assign(moved, mutations_.end());
  mutations_.erase(moved, mutations_.end());

  // Under the rows' locks: the next operation that overwrites these rows sees no older states.
  is_maintained_.resize(context_.schema.attributes.size());
  for (uint32_t attribute = 0; attribute < is_maintained_.size(); ++attribute) {
    const AttributeState state = pin.state(attribute);
    is_maintained_[attribute] =
        state == AttributeState::kIndexed || state == AttributeState::kBuilding;
  }
}

Status RegionWrite::ComputeChanges() {
  const std::vector<std::string> keys = KeysOf(mutations_);
  const Result<std::vector<Versions>> old_rows = context_.servers[server_]->Read(keys);
  if (!old_rows) return WithPlace(old_rows.error());
  auto mutation = mutations_.begin();
  for (size_t i = 0; i < keys.size(); ++i) {
    const Versions& before = (*old_rows)[i];
    Versions after = before;
    for (; mutation != mutations_.end() && (*mutation)->key == keys[i]; ++mutation) {
      Apply(**mutation, context_.schema.max_versions, after);
    }
    if (after == before) continue;
    AppendEntryChanges(keys[i], before, after, is_maintained_, entries_);
    rows_.push_back({keys[i], std::move(after)});
  }
  return Ok();
}

Status RegionWrite::Enter(std::span<const ValueChange> changes, size_t& num_entered) {
  for (const ValueChange& change : changes) {
    Status status = FlightTableOf(change).Enter(PlaceOf(change), change);
    if (!status) return status;
    ++num_entered;
  }
  return Ok();
}

void RegionWrite::Leave(std::span<const ValueChange> entered, CommitOutcome outcome) noexcept {
  bool is_doubtful = false;  // the column of the attribute whose values are being left
  for (size_t i = 0; i < entered.size(); ++i) {
    const ValueChange& change = entered[i];
    const FlightPlace place = PlaceOf(change);
    if (!FlightTableOf(change).Leave(place, change, outcome)) is_doubtful = true;
    // Changes are in the order of attributes. A column is marked when the last value has left: the
    // new one would get pairs of those in flight, and nothing would say that it is doubtful, too.
    const bool is_last = i + 1 == entered.size() || entered[i + 1].attribute != change.attribute;
    if (!is_last || !std::exchange(is_doubtful, false)) continue;
    try {
      Step("mark unbuilt");
      context_.directory.MarkUnbuilt({&place.column, 1});
    } catch (const std::bad_alloc&) {
      // The pair too many stays, until the column is built again: it costs a question, no row.
    }
  }
}

FlightTable& RegionWrite::FlightTableOf(const ValueChange& change) {
  return region_->flight_tables[change.attribute];
}

FlightPlace RegionWrite::PlaceOf(const ValueChange& change) {
  return {context_.directory,
          *context_.servers[server_],
          incarnation_,
          {region_id_, change.attribute},
          range_};
}

Error RegionWrite::WithPlace(const Error& error) const {
  return {error.code, "region " + std::to_string(region_id_) + ", server " +
                          std::to_string(server_) + ": " + error.message};
}

}  // namespace trommel::index
