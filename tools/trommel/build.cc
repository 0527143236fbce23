// trommel build: a new filter from keys.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/digest_gatherer.h"
#include "tools/trommel/digest_options.h"
#include "tools/trommel/family_filter.h"
#include "tools/trommel/family_options.h"
#include "tools/trommel/filter_output.h"
#include "tools/trommel/interrupt.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/rate_report.h"
#include "tools/trommel/report.h"

namespace trommel::tool {
namespace {

struct BuildOptions {
  OutputOptions output;
  FamilyOptions filter;
  KeyInput input;
  KeyInputText input_text;
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
  if (const int code = CountCapacity(options.input, settings, executor.get(), options.filter);
      code != kDone) {
    return code;
  }
  Result<AnyFilter> made = options.filter.Create(executor);
  if (!made.ok()) return FailOnRequest(made.error());
  FamilyFilter filter(*std::move(made));
  const bool has_times = options.input.options.time_column.has_value();
  if (Status timely = filter.CheckTimes(has_times); !timely.ok()) {
    return FailOnRequest(timely.error());
  }
  Applied applied;
  DigestGatherer gatherer(DigestGatherer::NumKeysFor(filter.num_keys_worth_splitting()),
                          [&](std::span<const uint64_t> digests, std::span<const uint64_t> times) {
                            applied += filter.Insert(digests, times);
                          });
  const Result<PassTotals> totals = RunPass("building", options.input, settings, executor.get(),
                                            gatherer.Stages(filter.digest_policy()));
  if (!totals.ok()) return FailOnInput(totals.error());
  gatherer.Flush();

  const auto save = [&] { return output->Save(filter.any()); };
  return FinishChange(output->path(), settings.json, save, [&](Report& report) {
    report.Add("filter", output->path(), "built", output->path());
    DescribePass(*totals, report);
    DescribeInserted(applied, report);
    filter.Describe(report);
    DescribeHighestRate(filter, report);
    WarnOfWindowRate(filter);
    if (filter.num_keys() > filter.capacity()) {
      report.AddLine(
          fmt::format("It holds more keys than it was sized for ({}): build it with a "
                      "larger -n.",
                      FormatCount(filter.capacity())));
    }
    return applied.CodeOfInsert();
  });
}

}  // namespace

void AddBuildCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "build",
      "Build a filter from keys and save it.\n"
      "Without -n the inputs, which must be regular files, are read once more to count the keys.");
  auto options = std::make_shared<BuildOptions>();
  AddOutput(*command, options->output);
  AddFamily(*command, options->filter, 0.01);
  AddDigest(*command, options->filter.filter);
  AddKeyInput(*command, options->input, options->input_text);
  AddKeyTimes(*command, options->input_text);
  command->callback([&settings, &run, options, command] {
    FinishFamily(*command, options->filter);
    FinishDigest(*command, options->filter.filter);
    FinishKeyInput(options->input, options->input_text);
    run = [&settings, options] { return RunBuild(*options, settings); };
  });
}

}  // namespace trommel::tool
