// AskServers: sends lookups, waits for their answers, and sends again what was not answered.
#ifndef TROMMEL_ENGINE_INDEX_SRC_QUERY_LOOKUPS_H_
#define TROMMEL_ENGINE_INDEX_SRC_QUERY_LOOKUPS_H_

#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include "engine/index/src/query/key_ranges.h"
#include "trommel/index/query.h"
#include "trommel/index/region_store.h"
#include "trommel/index/server_index.h"

namespace trommel::index {

// What all lookups of a query have in common.
struct LookupTerms {
  std::vector<Condition> conditions;
  std::vector<uint32_t> indexed_conditions;  // positions in `conditions`
  std::chrono::milliseconds timeout;         // for messages
  std::chrono::steady_clock::time_point deadline;
};

struct LookupsOutcome {
  std::vector<Row> rows;               // in any order; a row may be there more than once
  std::vector<Unanswered> unanswered;  // in the order of their ranges
  std::set<uint32_t> servers_asked;
  std::set<uint32_t> servers_with_rows;
  uint32_t num_lookups = 0;
  uint32_t num_retries = 0;
  uint64_t num_entries_read = 0;
  uint64_t num_rows_read = 0;
};

// Sends each server of `routes` a lookup for its ranges. Ranges that a server does not hold, or
// fails to answer, are sent again by the table of the directory's latest version, after pauses that
// grow. Returns when all is answered, at the deadline, or earlier if the next attempt would come
// after it.
LookupsOutcome AskServers(const ServerIndex& index, RegionStore& store, const LookupTerms& terms,
                          const RangesOfServers& routes);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_QUERY_LOOKUPS_H_
