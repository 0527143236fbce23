// What `trommel-index stats` shows beside its lines.
#ifndef TROMMEL_TOOLS_INDEX_STATS_H_
#define TROMMEL_TOOLS_INDEX_STATS_H_

#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {

// What an operator watches: what is left to do, what waits, and what failed. Adds all figures as
// fields. Of the text, those that are 0 are left out.
void DescribeOperation(const index::ClusterStats& stats, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_STATS_H_
