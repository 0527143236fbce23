// trommel stats: what a filter file is and holds.
#include <memory>
#include <string>

#include "tools/trommel/commands.h"
#include "tools/trommel/filter_file.h"
#include "tools/trommel/now_option.h"
#include "tools/trommel/report.h"

namespace trommel::tool {
namespace {

struct StatsOptions {
  std::string filter;
  NowOption now;
};

int RunStats(const StatsOptions& options, const Settings& settings) {
  Result<FilterFile> file = FilterFile::Load(options.filter);
  if (!file.ok()) return FailOnInput(file.error());
  if (Status moved = ApplyNow(options.now, file->filter()); !moved.ok()) {
    return FailOnRequest(moved.error());
  }
  Report report;
  report.Add("filter", options.filter, "filter", options.filter);
  file->filter().Describe(report);
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddStatsCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command =
      app.add_subcommand("stats", "Show what a filter holds: keys, rates, memory, geometry");
  auto options = std::make_shared<StatsOptions>();
  command->add_option("FILTER", options->filter, "Filter file")->required();
  AddNow(*command, options->now);
  command->callback([&settings, &run, options] {
    run = [&settings, options] { return RunStats(*options, settings); };
  });
}

}  // namespace trommel::tool
