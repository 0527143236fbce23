// trommel stats: what a filter file is and holds.
#include <memory>
#include <string>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

struct StatsOptions {
  ReadOptions read;
  NowOption now;
};

int RunStats(const StatsOptions& options, const Settings& settings) {
  Result<FilterFile> file =
      FilterFile::Load(options.read.filter, {}, options.read.memory_limit_bytes);
  if (!file.ok()) return FailOnInput(file.error());
  if (Status moved = ApplyNow(options.now, file->filter()); !moved.ok()) {
    return FailOnRequest(moved.error());
  }
  Report report;
  report.Add("filter", options.read.filter, "filter", options.read.filter);
  file->filter().Describe(report);
  if (!file->metadata().empty()) {
    report.Add("metadata_bytes", file->metadata().size(), "user metadata",
               FormatBytes(file->metadata().size()));
  }
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddStatsCommand(Command& parent, const Settings& settings) {
  Command command =
      parent.AddSubcommand("stats", "Show what a filter holds: keys, rates, memory, geometry");
  auto options = std::make_shared<StatsOptions>();
  AddFilterFile(command, options->read);
  AddNow(command, options->now);
  command.SetAction([&settings, options] { return RunStats(*options, settings); });
}

}  // namespace trommel::tool
