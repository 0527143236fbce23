// A plan is a dozen figures; those that are 0 are left out of the text, never of the JSON.
#include "tools/index/table/answer_output.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/index/rows/table_columns.h"
#include "tools/trommel/output/line_writer.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

void AppendCell(std::string_view text, std::string& line) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      default:
        line += c;
    }
  }
}

}  // namespace

Status PrintRows(const index::Schema& schema, std::span<const index::Row> rows) {
  LineWriter writer(STDOUT_FILENO, "\n");
  std::string line = "key";
  for (const index::Attribute& attribute : schema.attributes) {
    line += '\t';
    AppendCell(attribute.name, line);
  }
  if (Status written = writer.Write(line); !written.ok()) return written;
  for (const index::Row& row : rows) {
    line.clear();
    AppendCell(KeyText(schema, row.key), line);
    for (const index::Values& values : row.attributes) {
      line += '\t';
      for (size_t i = 0; i < values.size(); ++i) {
        if (i > 0) line += ',';
        AppendCell(values[i], line);
      }
    }
    if (Status written = writer.Write(line); !written.ok()) return written;
  }
  return writer.Flush();
}

Json RowJson(const index::Schema& schema, const index::Row& row) {
  Json attributes = Json::Object();
  for (size_t i = 0; i < row.attributes.size(); ++i) {
    attributes.Add(schema.attributes[i].name, Json::Array(row.attributes[i]));
  }
  return {{"key", KeyText(schema, row.key)}, {"attributes", std::move(attributes)}};
}

namespace {

double Milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string TimeText(std::chrono::nanoseconds time) {
  return fmt::format("{:.3f} ms", Milliseconds(time));
}

void DescribeIndexes(const index::Schema& schema, const index::QueryPlan& plan, Report& report) {
  std::vector<std::string> names;
  for (const uint32_t attribute : plan.not_indexed) {
    names.push_back(schema.attributes[attribute].name);
  }
  report.AddField("not_indexed", Json::Array(names));
  report.AddField("is_broadcast", plan.is_broadcast);
  if (!names.empty()) report.AddLine(fmt::format("without an index: {}", fmt::join(names, ", ")));
  if (plan.is_broadcast) {
    report.AddLine(fmt::format("broadcast: all regions were asked{}",
                               names.empty() ? "" : ", because no condition has an index"));
  }
}

void DescribeCounts(const index::QueryPlan& plan, Report& report) {
  report.Add("num_candidates", plan.num_candidates, "regions asked",
             fmt::format("{} of {}; {} had rows", FormatCount(plan.num_candidates),
                         FormatCount(plan.num_regions), FormatCount(plan.num_regions_with_rows)));
  report.AddField("num_regions", plan.num_regions);
  report.AddField("num_regions_with_rows", plan.num_regions_with_rows);
  report.AddField("num_unbuilt", plan.num_unbuilt);
  if (plan.num_unbuilt > 0) {
    report.AddLine(
        fmt::format("{} of them because a column is not built (trommel-index verify "
                    "builds it)",
                    FormatCount(plan.num_unbuilt)));
  }
  report.Add("num_servers_asked", plan.num_servers_asked, "servers asked",
             fmt::format("{} of {}; {} had rows", FormatCount(plan.num_servers_asked),
                         FormatCount(plan.num_servers), FormatCount(plan.num_servers_with_rows)));
  report.AddField("num_servers", plan.num_servers);
  report.AddField("num_servers_with_rows", plan.num_servers_with_rows);
  const int64_t saved = int64_t{plan.num_servers} - int64_t{plan.num_lookups};
  std::string rpcs = fmt::format("{}; {} saved against {} of a broadcast",
                                 FormatCount(plan.num_lookups), saved, plan.num_servers);
  if (plan.num_retries > 0) rpcs += fmt::format("; {} retried", plan.num_retries);
  report.Add("num_lookups", plan.num_lookups, "RPCs", std::move(rpcs));
  report.AddField("num_lookups_saved", saved);
  report.AddField("num_retries", plan.num_retries);
  report.Add("num_entries_read", plan.num_entries_read, "read",
             fmt::format("{} index entries, {}", FormatCount(plan.num_entries_read),
                         FormatCount(plan.num_rows_read, "row")));
  report.AddField("num_rows_read", plan.num_rows_read);
}

}  // namespace

void DescribeAnswer(const index::Schema& schema, const index::QueryOutcome& outcome,
                    Report& report) {
  const index::QueryPlan& plan = outcome.plan;
  report.Add("num_rows", outcome.rows.size(), "rows", FormatCount(outcome.rows.size()));
  report.Add("version", plan.version, "table version", FormatCount(plan.version));
  DescribeIndexes(schema, plan, report);
  DescribeCounts(plan, report);
  report.Add("total_ms", Milliseconds(plan.total_time), "time",
             fmt::format("{}, of it {} in the directory", TimeText(plan.total_time),
                         TimeText(plan.directory_time)));
  report.AddField("directory_ms", Milliseconds(plan.directory_time));
  Json unanswered = Json::Array();
  for (const index::Unanswered& part : outcome.unanswered) {
    unanswered.Append(Json{{"begin", KeyText(schema, part.range.begin)},
                           {"end", KeyText(schema, part.range.end)},
                           {"server", part.server},
                           {"reason", part.reason.message}});
    report.AddLine(fmt::format("NOT ANSWERED: keys {}, server {}: {}",
                               RangeText(schema, part.range), part.server, part.reason.message));
  }
  report.AddField("unanswered", std::move(unanswered));
}

}  // namespace trommel::tool
