#include "engine/index/src/protocol/flight_table.h"

#include <new>

#include "engine/index/src/sync/steps.h"

namespace trommel::index {

std::unique_lock<std::mutex> FlightTable::Lock() {
  // A builder locks the table again as soon as it has released it, long before a thread that waits
  // for it has woken. Such a thread has the turn, so the builder waits for it in between: an
  // operation waits for a chunk or two, not for the whole column.
  const auto turn = LockThroughSteps(turn_, "wait for flight table");
  return LockThroughSteps(mutex_, "lock flight table");
}

Status FlightTable::Enter(const FlightPlace& place, const ValueChange& change) {
  const auto lock = Lock();
  // Rows that the operation has read may be lost, and the pairs of their values be missing from
  // columns that were built since. If the store stops only now, they are built after this.
  if (place.store.incarnation() != place.incarnation) {
    return Error{ErrorCode::kIo, "the server stopped meanwhile"};
  }
  const auto flight = num_operations_.find(change.value);
  if (flight != num_operations_.end()) {
    ++flight->second;
    return Ok();
  }
  // A value that is lost needs no question: a row of the operation has it, and is locked, so its
  // pair is in. Nor does one whose pair is not maintained: until this lock is released, its builder
  // cannot come to it, and then finds it in flight.
  bool is_new = false;
  if (!change.is_lost && place.directory.IsMaintained(place.column, change.value)) {
    const Result<bool> has_value =
        place.store.HasValue(place.column.attribute, change.value, place.range);
    if (!has_value) return has_value.error();
    is_new = !*has_value;
  }
  num_operations_.emplace(change.value, 1);
  // Before the commit: a query that begins after the commit finds the pair.
  if (is_new) {
    Step("gain pair");
    place.directory.GainPair(place.column, change.value);
  }
  return Ok();
}

bool FlightTable::Leave(const FlightPlace& place, const ValueChange& change,
                        CommitOutcome outcome) noexcept {
  const auto lock = Lock();
  const auto flight = num_operations_.find(change.value);
  if (--flight->second != 0) return true;  // the last one out knows more
  num_operations_.erase(flight);
  // A store that has stopped meanwhile may have lost what the operation read or wrote. If it stops
  // only now, its columns are marked later, and built without this value in flight.
  if (place.store.incarnation() != place.incarnation) outcome = CommitOutcome::kUnknown;
  // No question if a locked row of the operation has the value for certain.
  if (outcome == CommitOutcome::kDone && change.is_gained) return true;
  if (outcome == CommitOutcome::kNotBegun && change.is_lost) return true;
  // Nor if its pair is not maintained, which only the holder of this lock can change.
  if (!place.directory.IsMaintained(place.column, change.value)) return true;
  bool has_value = false;
  try {
    const Result<bool> answer =
        place.store.HasValue(place.column.attribute, change.value, place.range);
    if (!answer) return false;
    has_value = *answer;
  } catch (const std::bad_alloc&) {
    return false;
  }
  // No row can get the value before this lock is released: it would be in flight.
  if (!has_value) {
    Step("lose pair");
    place.directory.LosePair(place.column, change.value);
  }
  return true;
}

void FlightTable::AppendInFlight(const std::optional<std::string>& after,
                                 const std::optional<std::string>& last,
                                 std::vector<std::string>& values) const {
  for (const auto& [value, num_operations] : num_operations_) {
    if ((!after || value > *after) && (!last || value <= *last)) values.push_back(value);
  }
}

}  // namespace trommel::index
