// Values of the catalogue (bench/sides/catalogue.h) from those of one region to those of all.
#include "tools/index/commands/demo_queries.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <utility>

#include "tools/index/rows/attribute_names.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

constexpr std::array kDemoQueries = {
    "ean=4000000001234",
    "ean=0000000000000",
    "supplier=S0100",
    "series=brand-0037/series-07",
    "brand=brand-0037",
    "brand=brand-0037 colour=red",
    "brand=brand-1999",
    "tag=tag-2500",
    "tag=tag-2500 tag=tag-0002",
    "category=category-250",
    "category=category-250 country=country-40",
    "warehouse=W007 year=2012 price=band-11 material=material-07",
    "colour=teal year=2012 price=band-11",
};
constexpr size_t kNumTimes = 7;  // each way; the median counts

Result<index::QueryRequest> RequestOf(const index::Schema& schema, const char* query) {
  index::QueryRequest request;
  std::istringstream words(query);
  for (std::string word; words >> word;) {
    Result<index::Condition> condition = ParseCondition(schema, word);
    if (!condition.ok()) return condition.error();
    request.conditions.push_back(std::move(*condition));
  }
  return request;
}

double Median(std::vector<double>& times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

Result<DemoFigures> RunDemoQuery(const index::Cluster& table, const char* query) {
  Result<index::QueryRequest> request = RequestOf(table.config().schema, query);
  if (!request.ok()) return request.error();
  DemoFigures figures;
  figures.query = query;
  std::vector<double> by_directory;
  std::vector<double> by_broadcast;
  for (size_t time = 0; time < kNumTimes; ++time) {
    if (NotedInterrupt() != 0) return Error{ErrorCode::kIo, "interrupted"};
    request->routing = index::Routing::kDirectory;
    Result<index::QueryOutcome> found = table.Find(*request);
    if (!found.ok()) return found.error();
    request->routing = index::Routing::kBroadcast;
    const Result<index::QueryOutcome> all = table.Find(*request);
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

Json FiguresJson(const DemoFigures& figures) {
  const index::QueryPlan& plan = figures.found.plan;
  return {{"query", figures.query},
          {"num_rows", figures.num_rows},
          {"num_candidates", plan.num_candidates},
          {"num_regions_with_rows", plan.num_regions_with_rows},
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

Result<std::vector<DemoFigures>> RunDemoQueries(const index::Cluster& table) {
  std::vector<DemoFigures> all;
  for (const char* const query : kDemoQueries) {
    Result<DemoFigures> figures = RunDemoQuery(table, query);
    if (!figures.ok()) return figures.error();
    all.push_back(std::move(*figures));
  }
  return all;
}

void DescribeDemoQueries(std::span<const DemoFigures> figures, Report& report) {
  size_t width = 0;
  for (const DemoFigures& each : figures) width = std::max(width, each.query.size());
  constexpr const char* kFormat = "{:<{}}  {:>6}  {:>7}  {:>6}  {:>7}  {:>6}  {:>6}  {:>9}  {:>9}";
  report.AddLine(fmt::format(fmt::runtime(kFormat), "", width, "", "regions", "with", "servers",
                             "with", "RPCs", "directory", "broadcast"));
  report.AddLine(fmt::format(fmt::runtime(kFormat), "query", width, "rows", "asked", "rows",
                             "asked", "rows", "saved", "ms", "ms"));
  Json list = Json::Array();
  bool do_agree = true;
  for (const DemoFigures& each : figures) {
    const index::QueryPlan& plan = each.found.plan;
    report.AddLine(fmt::format(
        fmt::runtime(kFormat), each.query, width, FormatCount(each.num_rows), plan.num_candidates,
        plan.num_regions_with_rows, plan.num_servers_asked, plan.num_servers_with_rows,
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
