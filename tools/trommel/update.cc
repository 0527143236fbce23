// What insert and erase share.
#include "tools/trommel/update.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/describe_filter.h"
#include "tools/trommel/digest_gatherer.h"
#include "tools/trommel/filter_output.h"
#include "tools/trommel/interrupt.h"
#include "tools/trommel/key_file.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/rate_report.h"

namespace trommel::tool {

void AddUpdateOptions(CLI::App& command, UpdateOptions& options) {
  AddUpdateOutput(command, options.filter, options.output);
  AddFileMemoryLimit(command, options.memory_limit_bytes);
  AddKeyFile(command, options.key_file);
  AddKeyInput(command, options.input, options.input_text);
  AddKeyTimes(command, options.input_text);
}

int RunUpdate(std::string_view what, const UpdateOptions& options, const Settings& settings,
              const UpdateSteps& steps) {
  std::vector<std::string> inputs = options.input.paths;
  if (options.input.reads_stdin()) inputs.push_back("-");
  if (!options.key_file.empty()) inputs.push_back(options.key_file);
  Result<FilterOutput> output =
      FilterOutput::ClaimUpdate(options.filter, options.output, std::move(inputs), settings.quiet);
  if (!output.ok()) return FailOnRequest(output.error());
  Result<FilterFile> file =
      LoadWithKey(options.filter, options.key_file, options.memory_limit_bytes);
  if (!file.ok()) return FailOnLoad(file.error());
  NoteInterrupts();  // loading may take seconds, and an interrupt may end it
  FamilyFilter& filter = file->filter();
  const KeyOptions& format = options.input.options;
  Status fit = CheckKeysFit(filter.digest_policy(), format.format);
  if (fit.ok()) fit = CheckKeyGiven(filter.digest_policy());
  if (fit.ok() && steps.check) fit = steps.check(filter, format.time_column.has_value());
  if (!fit.ok()) return FailOnRequest(fit.error());
  const std::shared_ptr<Executor> executor = options.input.MakeExecutor();
  filter.UseExecutor(executor);
  DigestGatherer gatherer(DigestGatherer::NumKeysFor(filter.num_keys_worth_splitting()),
                          [&](std::span<const uint64_t> digests, std::span<const uint64_t> times) {
                            steps.apply(filter, digests, times);
                          });
  const Result<PassTotals> totals = RunPass(what, options.input, settings, executor.get(),
                                            gatherer.Stages(filter.digest_policy()));
  if (!totals.ok()) return FailOnInput(totals.error());
  gatherer.Flush();
  if (Status saved = output->Save(*file); !saved.ok()) return FailOnRequest(saved.error());

  return FinishChange(output->path(), settings.json, [&](Report& report) {
    report.Add("filter", output->path(), "written", output->path());
    report.AddField("type", std::string(FilterTypeName(filter.type())));
    DescribePass(*totals, report);
    report.Add("num_keys", filter.num_keys(), "keys now", FormatCount(filter.num_keys()));
    DescribeGrowth(filter.any(), report);
    DescribeRate(filter, report);
    WarnOfWindowRate(filter);
    if (filter.capacity() > 0 && filter.num_keys() > filter.capacity()) {
      report.AddLine("It holds more keys than it was sized for (" + FormatCount(filter.capacity()) +
                     "): its false-positive rate rises; see trommel stats.");
    }
    return steps.describe(report);
  });
}

}  // namespace trommel::tool
