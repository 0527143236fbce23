// trommel stats: what a filter file is and holds.
#include <memory>
#include <string>

#include "tools/trommel/commands.h"
#include "tools/trommel/filter_file.h"
#include "tools/trommel/report.h"

namespace trommel::tool {
namespace {

int RunStats(const std::string& path, const Settings& settings) {
  const Result<FilterFile> file = FilterFile::Load(path);
  if (!file.ok()) return FailOnInput(file.error());
  Report report;
  report.Add("filter", path, "filter", path);
  file->filter().Describe(report);
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddStatsCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command =
      app.add_subcommand("stats", "Show what a filter holds: keys, rates, memory, geometry");
  auto path = std::make_shared<std::string>();
  command->add_option("FILTER", *path, "Filter file")->required();
  command->callback(
      [&settings, &run, path] { run = [&settings, path] { return RunStats(*path, settings); }; });
}

}  // namespace trommel::tool
