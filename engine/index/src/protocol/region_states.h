// RegionStates: what the operations on a region share beside the directory: the gate, the locks of
// rows, a flight table per attribute, and notes for a copy. Order of locks: gates by region id,
// rows by stripe, one flight table.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/index/src/protocol/change_notes.h"
#include "engine/index/src/protocol/flight_table.h"
#include "engine/index/src/protocol/gate.h"

namespace trommel::index {

struct RegionState {
  RegionState(size_t num_attributes, std::shared_ptr<GateTimes> times_of_gates)
      : gate_times(std::move(times_of_gates)),
        gate(gate_times.get()),
        flight_tables(new FlightTable[num_attributes]) {}

  const std::shared_ptr<GateTimes> gate_times;  // of all regions
  Gate gate;  // shared by operations on rows and chunks of builders; exclusive to switch the region
  std::unique_ptr<FlightTable[]> flight_tables;  // by attribute
  ChangeNotes notes;                             // of a move that copies the region's rows
  // Which server has the region is not known, because a record of the table failed: no row may
  // change. Becomes true with the gate held alone, and false when a record is durable: no gate is
  // needed then, because that record has the owner that is published.
  std::atomic<bool> is_in_doubt = false;
  std::atomic<uint64_t> num_writes = 0;  // rows that writes have changed, or tried to
};

// The states of all regions, by id. Thread safety: any thread may call anything at any time.
class RegionStates {
 public:
  // Rows share num_row_locks locks.
  explicit RegionStates(size_t num_attributes, size_t num_row_locks = 4096);

  // Makes the state of a region, before the region is published.
  void Add(uint32_t region_id);
  // Forgets it, when no version that can be read has the region. Threads that found it may still
  // use it.
  void Remove(uint32_t region_id);
  // Returns null if there is no such region any more.
  std::shared_ptr<RegionState> Find(uint32_t region_id) const;

  // Locks rows, of any regions, for the lifetime of what it returns: and with them all others that
  // share a lock. Requires that the thread has no rows locked.
  std::vector<std::unique_lock<std::mutex>> LockRows(std::span<const std::string> keys);
  const GateTimes& gate_times() const { return *gate_times_; }

 private:
  const size_t num_attributes_;
  const std::shared_ptr<GateTimes> gate_times_ = std::make_shared<GateTimes>();
  mutable std::shared_mutex mutex_;  // over states_
  std::unordered_map<uint32_t, std::shared_ptr<RegionState>> states_;
  std::vector<std::mutex> row_locks_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_
