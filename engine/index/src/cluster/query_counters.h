// QueryCounters: what queries cost, in all.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_QUERY_COUNTERS_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_QUERY_COUNTERS_H_

#include <atomic>
#include <cstdint>

#include "trommel/index/cluster.h"
#include "trommel/index/query.h"

namespace trommel::index {

// Thread safety: any thread.
class QueryCounters {
 public:
  void Add(const QueryOutcome& outcome) {
    const QueryPlan& plan = outcome.plan;
    Add(num_queries_, 1);
    Add(num_candidates_, plan.num_candidates);
    Add(num_unbuilt_, plan.num_unbuilt);
    // A region that was not answered may have rows.
    if (outcome.unanswered.empty()) {
      Add(num_false_, plan.num_candidates - plan.num_regions_with_rows);
    }
    Add(num_retries_, plan.num_retries);
    Add(num_unanswered_, outcome.unanswered.size());
  }
  QueryTotals Totals() const {
    return {.num_queries = num_queries_,
            .num_candidates = num_candidates_,
            .num_unbuilt = num_unbuilt_,
            .num_false = num_false_,
            .num_retries = num_retries_,
            .num_unanswered = num_unanswered_};
  }

 private:
  static void Add(std::atomic<uint64_t>& count, uint64_t n) {
    count.fetch_add(n, std::memory_order_relaxed);
  }

  std::atomic<uint64_t> num_queries_ = 0;
  std::atomic<uint64_t> num_candidates_ = 0;
  std::atomic<uint64_t> num_unbuilt_ = 0;
  std::atomic<uint64_t> num_false_ = 0;
  std::atomic<uint64_t> num_retries_ = 0;
  std::atomic<uint64_t> num_unanswered_ = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_QUERY_COUNTERS_H_
