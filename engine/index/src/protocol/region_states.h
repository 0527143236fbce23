// RegionStates: what the operations on a region share beside the directory: the gate, the locks of
// rows, and a flight table per attribute. Order of locks: gates by region id, rows by stripe, one
// flight table.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/index/src/protocol/gate.h"

namespace trommel::index {

// A value that operations under way gain or lose.
struct Flight {
  uint32_t num_operations = 0;  // that have entered it and not left
  bool is_present = false;  // whether its pair is in the directory, as far as that is maintained
};

// The values in flight of one region and attribute.
struct FlightTable {
  std::mutex mutex;  // over `flights`, and over the column's cursor
  std::unordered_map<std::string, Flight> flights;
};

struct RegionState {
  explicit RegionState(size_t num_attributes) : flight_tables(new FlightTable[num_attributes]) {}

  Gate gate;  // shared by operations on rows and chunks of builders; exclusive to switch the region
  std::unique_ptr<FlightTable[]> flight_tables;  // by attribute
};

// The states of all regions, by id. Thread safety: Of may be called by any thread at any time.
class RegionStates {
 public:
  RegionStates(size_t num_regions, size_t num_attributes);
  RegionState& Of(uint32_t region_id) { return *states_[region_id]; }
  size_t size() const { return states_.size(); }

 private:
  std::vector<std::unique_ptr<RegionState>> states_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_STATES_H_
