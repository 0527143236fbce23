// trommel stats: what filter files are and hold.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

struct StatsOptions {
  std::vector<std::string> filters;
  uint64_t memory_limit_bytes = 0;
  NowOption now;
};

// Loads the filter as of the time that was asked for; what it holds goes to the report. Returns
// kDone, or the exit code after saying why not.
int Describe(const std::string& path, const StatsOptions& options, std::optional<FilterFile>& file,
             Report& report) {
  Result<FilterFile> loaded = FilterFile::Load(path, {}, options.memory_limit_bytes);
  if (!loaded.ok()) return FailOnInput(loaded.error());
  file.emplace(*std::move(loaded));
  if (Status moved = ApplyNow(options.now, file->filter()); !moved.ok()) {
    return FailOnRequest(moved.error());
  }
  report.Add("filter", path, "filter", path);
  DescribeFilter(file->filter(), report);
  if (!file->metadata().empty()) {
    report.Add("metadata_bytes", file->metadata().size(), "user metadata",
               FormatBytes(file->metadata().size()));
  }
  return kDone;
}

// A line per file, or the objects of all files. A file that cannot be described is passed over.
int RunTable(const StatsOptions& options, const Settings& settings) {
  size_t width = 6;
  for (const std::string& path : options.filters) width = std::max(width, path.size());
  const auto line = [width](std::string_view path, std::string_view type, std::string_view keys,
                            std::string_view memory, std::string_view fpr) {
    return fmt::format("{:<{}}  {:<9}  {:>13}  {:>9}  {:>11}", path, width, type, keys, memory,
                       fpr);
  };
  Report table;
  table.AddLine(line("filter", "type", "keys", "memory", "false now"));
  Json all = Json::Array();
  int code = kDone;
  for (const std::string& path : options.filters) {
    std::optional<FilterFile> file;
    Report report;
    const int described = Describe(path, options, file, report);
    code = std::max(code, described);
    if (described != kDone) continue;
    all.Append(report.ToJson());
    const AnyFilter& filter = file->filter();
    const Figures figures = filter.GetFigures(/*measured=*/true);
    table.AddLine(line(path, FilterTypeName(filter.type()), FormatCount(filter.num_keys()),
                       FormatBytes(CountIn(figures, "num_bytes")),
                       FormatRate(RateIn(figures, "current_fpr"))));
  }
  table.AddField("filters", std::move(all));
  return Finish(table, settings.json, static_cast<ExitCode>(code));
}

int RunStats(const StatsOptions& options, const Settings& settings) {
  if (options.filters.size() > 1) return RunTable(options, settings);
  std::optional<FilterFile> file;
  Report report;
  const int code = Describe(options.filters.front(), options, file, report);
  return code == kDone ? Finish(report, settings.json, kDone) : code;
}

}  // namespace

void AddStatsCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "stats",
      "Show what a filter holds: keys, rates, memory, geometry.\n"
      "Of several filters, a line each; with --json all of it, as {\"filters\": [...]}.");
  auto options = std::make_shared<StatsOptions>();
  command.Arguments("FILTERS", options->filters, "Filter files").Required();
  AddReadLimit(command, options->memory_limit_bytes);
  AddNow(command, options->now);
  command.SetAction([&settings, options] { return RunStats(*options, settings); });
}

}  // namespace trommel::tool
