/// @file
/// RegionStore: what the index expects of the store that has the rows.
#ifndef TROMMEL_INDEX_REGION_STORE_H_
#define TROMMEL_INDEX_REGION_STORE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

/// A question to one server.
struct LookupRequest {
  uint32_t server = 0;           ///< Which server.
  std::vector<KeyRange> ranges;  ///< Keys of the rows, in ascending ranges that do not overlap.
  std::vector<Condition> conditions;  ///< What a row must meet: all of them; at least one.
  /// Of the conditions, those whose attributes have entries in the local indexes of the regions.
  /// The server may find rows through any of them, and must read all rows of the ranges if there
  /// are none.
  std::vector<uint32_t> indexed_conditions;
  /// When the caller no longer waits.
  std::chrono::steady_clock::time_point deadline;
};

/// What a server answers.
struct LookupAnswer {
  /// Whether the server answered. If not, the answer holds for no range, and the other members are
  /// empty.
  Status status = Ok();
  /// The rows of its ranges that met all conditions when they were read, in the order of keys; each
  /// row's values are those of all its readable versions.
  std::vector<Row> rows;
  /// The parts of the request's ranges that this server does not hold. They are not answered: a
  /// server must not answer them with "no rows".
  std::vector<KeyRange> not_mine;
  uint64_t num_entries_read = 0;  ///< Entries of the local index that the server looked at.
  uint64_t num_rows_read = 0;     ///< Rows that it read, whether they met the conditions or not.
};

/// The store that has the rows: region servers, each with a local index beside its rows.
///
/// What an implementation must do:
///
/// - *Every lookup is answered once*, by a call of its completion: with rows, or with a status that
///   says why not. The call comes from a thread of the store, or from within Lookup. A completion
///   that comes after the deadline is allowed, and is ignored; it must come before the store is
///   destroyed.
/// - *An answer is whole.* If a row of a range that the server holds was committed with the values
///   before Lookup was called, and keeps them until the completion, the answer has it. A server
///   that cannot guarantee that (it is starting, has lost writes, or its disk fails) fails.
/// - *A range is held while it is answered.* The parts of ranges that the server does not hold are
///   `not_mine`. The server decides this before it reads, and holds the range until its answer is
///   complete (or compares a number of ownership before and after): a range that moves away and
///   comes back meanwhile must not be answered from a copy that missed writes.
/// - *Rows are verified.* Entries of the local index and rows are read at two moments, so a row
///   that was found through an entry is returned only if it meets all conditions itself.
class RegionStore {
 public:
  /// Receives the answer.
  using Completion = std::function<void(LookupAnswer)>;

  virtual ~RegionStore();
  /// Asks one server. Thread safety: any thread. Returns at once: a server that is slow makes
  /// lookups wait, not callers.
  virtual void Lookup(LookupRequest request, Completion completion) = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_REGION_STORE_H_
