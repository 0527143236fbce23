/// @file
/// QueryRequest and QueryOutcome: questions to a table by the values of its attributes.
#ifndef TROMMEL_INDEX_QUERY_H_
#define TROMMEL_INDEX_QUERY_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "trommel/index/region_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

/// Which servers a query asks.
enum class Routing : uint8_t {
  kDirectory,  ///< Those that the directory names.
  kBroadcast,  ///< All of them, as with local indexes alone. For comparison.
};

/// A query: which rows, and how long to look for them.
struct QueryRequest {
  std::vector<Condition> conditions;      ///< Of any attributes; a row must meet all. At least one.
  Routing routing = Routing::kDirectory;  ///< Which servers are asked.
  /// How long to wait for servers, in all. Ranges that are not answered by then are reported. Less
  /// than 0 counts as 0, more than a year as a year.
  std::chrono::milliseconds timeout{10'000};
};

/// How a query was answered.
struct QueryPlan {
  uint64_t version = 0;                ///< Of the region table that the query pinned.
  std::vector<uint32_t> not_indexed;   ///< Attributes of conditions that have no index.
  bool is_broadcast = false;           ///< Whether no condition limited the regions.
  uint32_t num_regions = 0;            ///< Of the table.
  uint32_t num_candidates = 0;         ///< Regions that may have rows, and were asked.
  uint32_t num_unbuilt = 0;            ///< Of these, candidates because a column is not built.
  uint32_t num_regions_with_rows = 0;  ///< Of these, regions that had one.
  uint32_t num_servers = 0;            ///< Of the table.
  uint32_t num_servers_asked = 0;      ///< Different servers that lookups were sent to.
  uint32_t num_servers_with_rows = 0;  ///< Of these, servers that returned a row.
  uint32_t num_lookups = 0;            ///< Lookups sent, retries included (RPCs).
  uint32_t num_retries = 0;            ///< Of these, lookups for ranges that were asked before.
  uint64_t num_entries_read = 0;       ///< By all servers, in their local indexes.
  uint64_t num_rows_read = 0;          ///< By all servers.
  std::chrono::nanoseconds directory_time{0};  ///< To find the candidates.
  std::chrono::nanoseconds total_time{0};      ///< From the call to the last answer.
};

/// A range that no server answered for.
struct Unanswered {
  KeyRange range;       ///< Its keys.
  uint32_t server = 0;  ///< The server asked last.
  Error reason;         ///< The server's error, or that it did not answer in time.
};

/// What a query found. Every row that was committed with the values before the query began, and
/// keeps them until it ends, is in `rows`, or its key is in a range of `unanswered`.
struct QueryOutcome {
  std::vector<Row> rows;               ///< In the order of keys, each once.
  std::vector<Unanswered> unanswered;  ///< Empty if the answer is complete.
  QueryPlan plan;                      ///< How it was answered.
};

/// Answers a query: pins a version of the table, intersects the candidates of its conditions, asks
/// their servers by key range, and asks again, by the latest version, for the parts that a server
/// did not hold or that failed, until the timeout.
///
/// Fails with kInvalidArgument if there is no condition, or one of an attribute that the schema
/// does not have. Thread safety: any thread. Requires that `index` and `store` outlive the store's
/// last completion.
Result<QueryOutcome> Query(const ServerIndex& index, RegionStore& store,
                           const QueryRequest& request);

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_QUERY_H_
