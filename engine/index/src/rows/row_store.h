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
#include <memory>
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

// A walk over rows as they were at one moment, in the order of keys.
class RowScan {
 public:
  virtual ~RowScan() = default;
  // Returns the next rows, at most max_rows; none: there are no more. Requires max_rows > 0.
  virtual Result<std::vector<RowChange>> Next(size_t max_rows) = 0;
};

// A store may stop, as a server does that fails, and start again, perhaps without writes that were
// not synced. Each life of it is an *incarnation*: what an operation has read in one says nothing
// about the next, so it commits in the one in which it began.
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
  // Changes rows and entries in one atomic write. Fails, changing nothing, if the store is stopped
  // or of another incarnation. A write that failed otherwise was done or will never be done by this
  // process; reads of the local index show which. So is one that throws std::bad_alloc.
  virtual Status Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries,
                        uint64_t incarnation) = 0;
  // Returns what the database is now.
  virtual Result<StoreStamp> Stamp() const = 0;
  // Makes everything that was committed durable.
  virtual Status Sync() = 0;

  // --- Rows as a whole, for moving regions and for making indexes.

  // Begins a walk over the rows of the range as they are now. It must end before the store is
  // destroyed, and fails when the store stops.
  virtual Result<std::unique_ptr<RowScan>> Scan(const KeyRange& range) const = 0;
  // Removes all entries of the attribute.
  virtual Status RemoveEntries(uint32_t attribute) = 0;
  // Returns a key that divides the rows of the range about in half: in the range, and not its
  // first. None: there are fewer than two rows. Cost: one pass over the keys of the range.
  virtual Result<std::optional<std::string>> MiddleKey(const KeyRange& range) const = 0;
  // Returns about how many bytes the rows and entries of the range take. Cost: none that grows.
  virtual Result<uint64_t> EstimateBytes(const KeyRange& range) const = 0;

  // --- Failing and returning. Any thread may call these at any time.

  // From now on every call fails with kIo; waits for those under way. Has no effect on a store that
  // is stopped.
  virtual void Stop() = 0;
  // Opens the database again. Requires that the store is stopped; if it fails, it still is.
  virtual Status Start() = 0;
  virtual bool is_stopped() const = 0;
  // Rises when the store stops: after calls have begun to fail, so that nothing is written in the
  // new incarnation before the store has started again; and before Stop returns.
  virtual uint64_t incarnation() const = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROWS_ROW_STORE_H_
