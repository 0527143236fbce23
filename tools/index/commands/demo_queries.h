// The queries of the demo: each by the directory and by broadcast, side by side.
#ifndef TROMMEL_TOOLS_INDEX_DEMO_QUERIES_H_
#define TROMMEL_TOOLS_INDEX_DEMO_QUERIES_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"
#include "trommel/index/query.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

struct DemoQuery {
  std::string text;  // "brand=brand-0037 colour=red"
  std::vector<index::Condition> conditions;
};

struct DemoFigures {
  std::string query;          // its text
  index::QueryOutcome found;  // by the directory; its rows are dropped
  size_t num_rows = 0;
  double directory_ms = 0;  // medians
  double broadcast_ms = 0;
  bool do_agree = false;  // both found the same rows, and all servers answered
};

// Runs the queries in this order, each at most `most_times`, with progress. Fails as Cluster::Find
// does, and when an interrupt is noted.
Result<std::vector<DemoFigures>> RunDemoQueries(const index::Cluster& table,
                                                std::span<const DemoQuery> queries,
                                                size_t most_times, bool quiet);

// A table with a line per query.
void DescribeDemoQueries(std::span<const DemoFigures> figures, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_DEMO_QUERIES_H_
