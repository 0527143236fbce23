/// @file
/// PrometheusText, the statistics of a Cluster for a monitoring system.
#ifndef TROMMEL_INDEX_METRICS_H_
#define TROMMEL_INDEX_METRICS_H_

#include <string>

#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"

namespace trommel::index {

/// The media type of PrometheusText, for the header Content-Type of an HTTP response.
inline constexpr const char* kPrometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the statistics in Prometheus text format (exposition format 0.0.4), to be served as one
/// page. Names begin with "trommel_index_"; counters, which begin at 0 when the cluster is opened,
/// end in "_total"; times are seconds and sizes bytes. Metrics of an attribute have the label
/// `attribute`, its name, in which bytes that are not UTF-8 are written \\xNN; metrics of a server
/// have the label `server`, its number. INDEX.md lists all of them.
///
/// The names do not tell tables apart: a process that embeds several clusters serves a page for
/// each. Requires statistics of a cluster with this schema.
std::string PrometheusText(const Schema& schema, const ClusterStats& stats);

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_METRICS_H_
