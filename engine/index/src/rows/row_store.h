// RowStore: the rows of one server and the local index beside them, as the protocol of writes and
// the builders see them. engine/index/src/rocks has the one on RocksDB; tests have one in memory.
//
// The local index has one entry (attribute, value, row key) for each value that a readable version
// of a row has, of the attributes that are maintained. It is exact: rows and entries change in one
// atomic commit.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROWS_ROW_STORE_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROWS_ROW_STORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// The readable versions of a row, newest first; none: there is no row. Each has one list of values
// per attribute of the schema, sorted, each value once.
using Versions = std::vector<std::vector<Values>>;

// Returns the values of an attribute that a readable version has: sorted, each once.
Values ValuesOf(const Versions& versions, uint32_t attribute);

// Returns the row with the values of all its readable versions. Requires that there is one.
Row MergedRow(std::string_view key, const Versions& versions);

// An entry that a commit adds or removes.
struct EntryChange {
  uint32_t attribute = 0;
  std::string value;
  std::string row_key;
  bool is_added = false;
};

struct RowChange {
  std::string key;
  Versions versions;  // none: the row is deleted
};

// Values of the local index, in order.
struct ValueWalk {
  std::vector<std::string> values;  // of rows of the range, ascending
  // The walk has seen all values up to and with this one; none: all that there are.
  std::optional<std::string> reached;
};

class RowStore {
 public:
  virtual ~RowStore() = default;

  // Returns the versions of each row, in order; none for rows that are not there.
  virtual Result<std::vector<Versions>> Read(std::span<const std::string> keys) const = 0;
  // Returns whether a row of the range has the value, by the local index.
  virtual Result<bool> HasValue(uint32_t attribute, std::string_view value,
                                const KeyRange& range) const = 0;
  // Walks over the values beyond `after` (none: from the least) in the local index, as it was at
  // one moment of the call. Stops at the last of max_values values that rows of the range have; and
  // at any value, of the range or not, once it has taken as long as other threads should wait for a
  // lock that the caller holds. Requires max_values > 0.
  // Cost: bounded by max_values, however many values other ranges have.
  virtual Result<ValueWalk> WalkValues(uint32_t attribute, const std::optional<std::string>& after,
                                       const KeyRange& range, size_t max_values) const = 0;
  // Changes rows and entries in one atomic write. A write that failed was either done or will never
  // be done by this process; reads of the local index show which.
  virtual Status Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries) = 0;
  // Returns what the database is now.
  virtual Result<StoreStamp> Stamp() const = 0;
  // Makes everything that was committed durable.
  virtual Status Sync() = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROWS_ROW_STORE_H_
