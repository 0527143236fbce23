// trommel build: a new filter from keys.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/key_updates.h"
#include "tools/trommel/filters/window_rate.h"
#include "tools/trommel/input/digest_gatherer.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/key_pass.h"

namespace trommel::tool {
namespace {

struct BuildOptions {
  OutputOptions output;
  FamilyOptions filter;
  KeyInput input;
};

int RunBuild(BuildOptions& options, const Settings& settings) {
  NoteInterrupts();
  FilterOptions& filter_options = options.filter.filter;
  if (Status keyed = ReadDigestKey(filter_options); !keyed.ok()) {
    return FailOnRequest(keyed.error());
  }
  Result<FilterOutput> output = FilterOutput::Claim(
      options.output, options.input.AllInputs(filter_options.key_file), settings.quiet);
  if (!output.ok()) return FailOnRequest(output.error());
  const std::shared_ptr<Executor> executor = options.input.MakeExecutor();
  AnyFilterPtr made;
  if (const int code = MakeFilter(options.input, settings, executor, options.filter, made);
      code != kDone) {
    return code;
  }
  AnyFilter& filter = *made;
  KeyUpdates updates(filter);
  Applied applied;
  DigestGatherer gatherer(NumKeysToGather(filter),
                          [&](std::span<const uint64_t> digests, std::span<const uint64_t> times) {
                            applied += updates.Insert(digests, times);
                          });
  const Result<PassTotals> totals = RunPass("building", options.input, settings, executor.get(),
                                            gatherer.Stages(filter.digest_policy()));
  if (!totals.ok()) return FailOnInput(totals.error());
  gatherer.Flush();

  const auto save = [&] { return output->Save(filter); };
  return FinishChange(output->path(), settings.json, save, [&](Report& report) {
    report.Add("filter", output->path(), "built", output->path());
    DescribePass(*totals, report);
    DescribeInserted(applied, report);
    DescribeFilter(filter, report);
    const Figures figures = filter.GetFigures(/*measured=*/true);
    DescribeHighestRate(figures, updates.window_rate(), report);
    WarnOfWindowRate(figures, updates.window_rate());
    if (const std::string warning = CapacityWarning(figures); !warning.empty()) {
      report.AddLine(warning + ": build it with a larger -n.");
    }
    return applied.CodeOfInsert();
  });
}

}  // namespace

void AddBuildCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand("build",
                                         "Build a filter from keys and save it.\n"
                                         "Without -n the filter grows with its keys; with it, it "
                                         "is sized for them, and smaller.");
  auto options = std::make_shared<BuildOptions>();
  AddOutput(command, options->output);
  AddFamily(command, options->filter, 0.01);
  AddMemoryLimit(command, options->filter.memory_limit_bytes);
  AddDigest(command, options->filter.filter);
  AddKeyInput(command, options->input);
  AddKeyTimes(command, options->input);
  AddMaxLeap(command, options->input);
  command.SetAction([&settings, options, command] {
    options->filter.FinishToFill(command);
    FinishDigest(command, options->filter.filter);
    options->input.Finish();
    return RunBuild(*options, settings);
  });
}

}  // namespace trommel::tool
