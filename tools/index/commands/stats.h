// What `trommel-index stats` shows beside its lines.
#ifndef TROMMEL_TOOLS_INDEX_STATS_H_
#define TROMMEL_TOOLS_INDEX_STATS_H_

#include <string>

#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {

// What an operator watches: what is left to do, what waits, and what failed. Adds all figures as
// fields. Of the text, those that are 0 are left out.
void DescribeOperation(const index::ClusterStats& stats, Report& report);

// As one HTML file: where rows and entries are, by server; what each attribute costs in the
// directory.
std::string TableStatsHtml(const index::ClusterConfig& config, const index::ClusterStats& stats,
                           const std::string& command);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_STATS_H_
