// trommel attr stats: what the filter of each set of columns is and holds.
#include <memory>
#include <string>

#include "tools/trommel/attr_commands.h"
#include "tools/trommel/attr_file.h"
#include "tools/trommel/describe_filter.h"
#include "tools/trommel/report.h"

namespace trommel::tool {
namespace {

int RunAttrStats(const std::string& path, const Settings& settings) {
  Result<FilterFile> file = LoadAttributeFile(path);
  if (!file.ok()) return FailOnRequest(file.error());
  Report report;
  report.Add("filter", path, "filter", path);
  file->filter().Describe(report);
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddAttrStatsCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "stats", "Show what a filter of columns holds: rows, and rates and memory of every set");
  auto path = std::make_shared<std::string>();
  command->add_option("FILTER", *path, "Filter file")->required();
  command->callback([&settings, &run, path] {
    run = [&settings, path] { return RunAttrStats(*path, settings); };
  });
}

}  // namespace trommel::tool
