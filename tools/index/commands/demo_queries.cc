// Each way is timed several times in turn, and the rows of both are compared each time.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "tools/index/commands/demo.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {
namespace {

// Values that many rows have are asked for less often.
constexpr std::chrono::seconds kMostTime{2};
// A slow disk is no reason to find fewer rows.
constexpr std::chrono::minutes kTimeout{10};

double Median(std::vector<double>& times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

Result<DemoFigures> RunDemoQuery(const index::Cluster& table, const DemoQuery& query,
                                 size_t most_times) {
  index::QueryRequest request;
  request.conditions = query.conditions;
  request.timeout = kTimeout;
  DemoFigures figures;
  figures.query = query.text;
  std::vector<double> by_directory;
  std::vector<double> by_broadcast;
  const auto start = std::chrono::steady_clock::now();
  for (size_t time = 0; time < most_times; ++time) {
    if (time > 0 && std::chrono::steady_clock::now() - start > kMostTime) break;
    if (NotedInterrupt() != 0) return Error{ErrorCode::kIo, "interrupted"};
    request.routing = index::Routing::kDirectory;
    Result<index::QueryOutcome> found = table.Find(request);
    if (!found.ok()) return found.error();
    request.routing = index::Routing::kBroadcast;
    const Result<index::QueryOutcome> all = table.Find(request);
    if (!all.ok()) return all.error();
    using Milliseconds = std::chrono::duration<double, std::milli>;
    by_directory.push_back(Milliseconds(found->plan.total_time).count());
    by_broadcast.push_back(Milliseconds(all->plan.total_time).count());
    const bool agrees =
        found->rows == all->rows && found->unanswered.empty() && all->unanswered.empty();
    figures.do_agree = agrees && (time == 0 || figures.do_agree);
    figures.num_rows = found->rows.size();
    figures.found = std::move(*found);
    figures.found.rows.clear();
  }
  figures.directory_ms = Median(by_directory);
  figures.broadcast_ms = Median(by_broadcast);
  return figures;
}

// Regions that were asked and had no row.
uint32_t NumFalseRegions(const index::QueryPlan& plan) {
  return plan.num_candidates - plan.num_regions_with_rows;
}

Json FiguresJson(const DemoFigures& figures) {
  const index::QueryPlan& plan = figures.found.plan;
  return {{"query", figures.query},
          {"num_rows", figures.num_rows},
          {"num_candidates", plan.num_candidates},
          {"num_regions_with_rows", plan.num_regions_with_rows},
          {"num_false_regions", NumFalseRegions(plan)},
          {"num_regions", plan.num_regions},
          {"num_servers_asked", plan.num_servers_asked},
          {"num_servers_with_rows", plan.num_servers_with_rows},
          {"num_servers", plan.num_servers},
          {"num_lookups", plan.num_lookups},
          {"directory_ms", figures.directory_ms},
          {"broadcast_ms", figures.broadcast_ms},
          {"do_agree", figures.do_agree}};
}

}  // namespace

Result<std::vector<DemoFigures>> RunDemoQueries(const index::Cluster& table,
                                                std::span<const DemoQuery> queries,
                                                size_t most_times, bool quiet) {
  Progress progress("querying", quiet, std::nullopt);
  std::vector<DemoFigures> all;
  for (const DemoQuery& query : queries) {
    progress.Steps(all.size(), queries.size(), "query");
    Result<DemoFigures> figures = RunDemoQuery(table, query, most_times);
    if (!figures.ok()) return figures.error();
    all.push_back(std::move(*figures));
  }
  return all;
}

void DescribeDemoQueries(std::span<const DemoFigures> figures, Report& report) {
  size_t width = 0;
  for (const DemoFigures& each : figures) width = std::max(width, each.query.size());
  constexpr const char* kFormat = "{:<{}}  {:>6}  {:>7}  {:>6}  {:>7}  {:>6}  {:>6}  {:>9}  {:>9}";
  report.AddLine(fmt::format(fmt::runtime(kFormat), "", width, "", "regions", "false", "servers",
                             "with", "RPCs", "directory", "broadcast"));
  report.AddLine(fmt::format(fmt::runtime(kFormat), "query", width, "rows", "asked", "regions",
                             "asked", "rows", "saved", "ms", "ms"));
  Json list = Json::Array();
  bool do_agree = true;
  for (const DemoFigures& each : figures) {
    const index::QueryPlan& plan = each.found.plan;
    report.AddLine(fmt::format(
        fmt::runtime(kFormat), each.query, width, FormatCount(each.num_rows), plan.num_candidates,
        NumFalseRegions(plan), plan.num_servers_asked, plan.num_servers_with_rows,
        int64_t{plan.num_servers} - int64_t{plan.num_lookups},
        fmt::format("{:.3f}", each.directory_ms), fmt::format("{:.3f}", each.broadcast_ms)));
    list.Append(FiguresJson(each));
    do_agree &= each.do_agree;
  }
  report.AddField("queries", std::move(list));
  report.AddField("do_agree", do_agree);
  report.AddLine(do_agree ? "Both ways found the same rows for each query."
                          : "THE TWO WAYS FOUND DIFFERENT ROWS.");
}

}  // namespace trommel::tool
