// The statistics of a table as one HTML file.
#ifndef TROMMEL_TOOLS_INDEX_STATS_REPORT_H_
#define TROMMEL_TOOLS_INDEX_STATS_REPORT_H_

#include <string>

#include "trommel/index/cluster.h"

namespace trommel::tool {

// Where rows and entries are, by server; what each attribute costs in the directory.
std::string TableStatsHtml(const index::ClusterConfig& config, const index::ClusterStats& stats,
                           const std::string& command);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_STATS_REPORT_H_
