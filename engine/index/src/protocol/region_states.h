// RegionStates: what the operations on a region share beside the directory: the gate, the locks of
// rows, and a flight table per attribute. Order of locks: gates by region id, rows by stripe, one
// flight table.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/index/src/model/misuse.h"
#include "engine/index/src/protocol/flight_table.h"
#include "engine/index/src/protocol/gate.h"

namespace trommel::index {

struct RegionState {
  explicit RegionState(size_t num_attributes) : flight_tables(new FlightTable[num_attributes]) {}

  Gate gate;  // shared by operations on rows and chunks of builders; exclusive to switch the region
  std::unique_ptr<FlightTable[]> flight_tables;  // by attribute
};

// The states of all regions, by id. Thread safety: any thread may call anything at any time.
class RegionStates {
 public:
  // Rows share num_row_locks locks.
  RegionStates(size_t num_regions, size_t num_attributes, size_t num_row_locks = 4096);
  // Requires region_id < size().
  RegionState& Of(uint32_t region_id) {
    CheckUse(region_id < states_.size(), "there is no state of a region with this id");
    return *states_[region_id];
  }
  size_t size() const { return states_.size(); }

  // Locks rows, of any regions, for the lifetime of what it returns. Requires that the thread has
  // no rows locked.
  std::vector<std::unique_lock<std::mutex>> LockRows(std::span<const std::string> keys);

 private:
  std::vector<std::unique_ptr<RegionState>> states_;
  std::vector<std::mutex> row_locks_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_
