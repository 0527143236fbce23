// trommel attr: queries for any of a row's columns. All its subcommands but stats are files of
// their own.
#include <memory>
#include <string>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/row_pass.h"

namespace trommel::tool {
namespace {

int RunAttrStats(const ReadOptions& options, const Settings& settings) {
  const std::string& path = options.filter;
  Result<FilterFile> file = LoadAttributeFile(path, {}, options.memory_limit_bytes);
  if (!file.ok()) return FailOnRequest(file.error());
  Report report;
  report.Add("filter", path, "filter", path);
  DescribeFilter(file->filter(), report);
  return Finish(report, settings.json, kDone);
}

void AddAttrStatsCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "stats", "Show what a filter holds: its rows, and the rate and memory of every set");
  auto options = std::make_shared<ReadOptions>();
  AddFilterFile(command, *options);
  command.SetAction([&settings, options] { return RunAttrStats(*options, settings); });
}

}  // namespace

void AddAttrCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "attr",
      "Filters of rows of columns, queried by any of the columns.\n"
      "Was there a row with this source and that domain? Rows are tab-separated lines; the first\n"
      "line names the columns.");
  AddAttrBuildCommand(command, settings);
  AddAttrInsertCommand(command, settings);
  AddAttrEraseCommand(command, settings);
  AddAttrQueryCommand(command, settings);
  AddAttrStatsCommand(command, settings);
  AddAttrSizeCommand(command, settings);
}

}  // namespace trommel::tool
