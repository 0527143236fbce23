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
  const Result<DigestKey> key = ReadGivenKey(options.key_file);
  if (!key.ok()) return FailOnRequest(key.error());
  Result<FilterOutput> output = FilterOutput::ClaimUpdate(
      options.filter, options.output, options.input.AllInputs(options.key_file), settings.quiet);
  if (!output.ok()) return FailOnRequest(output.error());
  Result<FilterFile> file = FilterFile::Load(options.filter, *key, options.memory_limit_bytes);
  if (!file.ok()) return FailOnRequest(file.error());
  NoteInterrupts();  // loading may take seconds, and an interrupt may end it
  FamilyFilter& filter = file->filter();
  const KeyOptions& format = options.input.options;
  // What the filter's type rules out, no key mends.
  Status fit = steps.check ? steps.check(filter, format.time_column.has_value()) : Ok();
  if (fit.ok()) fit = CheckKeysFit(filter.digest_policy(), format.format);
  if (fit.ok()) fit = CheckKeyGiven(filter.digest_policy());
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

  const auto save = [&] { return output->Save(*file); };
  return FinishChange(output->path(), settings.json, save, [&](Report& report) {
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
