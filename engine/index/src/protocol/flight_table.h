// FlightTable: the values that operations under way on a region gain or lose, of one attribute.
//
// A region's pair (value, region) is in the directory while a row of the region has the value. The
// operations that change this are each slower than the directory: they enter the value before their
// commit, and leave after it. While a value is in flight, its pair is in:
//
//   enter A: no row has it, insert pair -+                        +- leave A: B is still inside
//   enter B:        in flight, nothing to do -+             +- leave B, the last: read the index,
//                                             +-- commits --+    erase the pair if no row has it
//
// This holds for pairs that are maintained. Those that the column's builder has not reached are
// neither inserted nor erased; the builder inserts the pairs of values in flight when it reaches
// them. So the table needs only the number of operations of each value in flight.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_FLIGHT_TABLE_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_FLIGHT_TABLE_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// A value that rows of one operation gain or lose. Several rows: it may be both.
struct ValueChange {
  uint32_t attribute = 0;
  std::string value;
  bool is_gained = false;
  bool is_lost = false;
};

// What became of an operation's commit.
enum class CommitOutcome : uint8_t {
  kNotBegun,
  kDone,
  kUnknown,  // it failed, and was done or not
};

// Where a value is in flight.
struct FlightPlace {
  ServerIndex& directory;
  const RowStore& store;
  uint64_t incarnation;  // of the store, in which the operation began
  ColumnName column;
  const KeyRange& range;  // of the region
};

// Thread safety: any thread; calls for one table wait for each other. Order of locks: the region's
// gate and the locks of the rows that have or get the value come first and are held from Enter to
// Leave.
class FlightTable {
 public:
  // Enters an operation. Fails, without having entered it, if the local index cannot be read, or
  // the store has stopped since the operation began.
  Status Enter(const FlightPlace& place, const ValueChange& change);
  // Ends it. Returns false if the local index cannot be read, also for want of memory: then the
  // column may have a pair too many, and must be marked unbuilt.
  bool Leave(const FlightPlace& place, const ValueChange& change, CommitOutcome outcome) noexcept;

  // Locks the table, and the cursor of its column, for the lifetime of what it returns.
  std::unique_lock<std::mutex> Lock();
  // Appends the values in flight beyond `after` (none: from the least) up to and with `last` (none:
  // to the greatest). Requires that the caller has locked the table.
  void AppendInFlight(const std::optional<std::string>& after,
                      const std::optional<std::string>& last,
                      std::vector<std::string>& values) const;

 private:
  std::mutex turn_;  // of the thread that locks mutex_ next; held only until it has
  std::mutex mutex_;
  std::unordered_map<std::string, uint32_t> num_operations_;  // by value; none is 0
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_FLIGHT_TABLE_H_
