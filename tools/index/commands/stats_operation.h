// What an operator watches: what is left to do, what waits, and what failed.
#ifndef TROMMEL_TOOLS_INDEX_STATS_OPERATION_H_
#define TROMMEL_TOOLS_INDEX_STATS_OPERATION_H_

#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {

// Adds all figures as fields. Of the text, those that are 0 are left out.
void DescribeOperation(const index::ClusterStats& stats, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_STATS_OPERATION_H_
