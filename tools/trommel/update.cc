// What insert and erase share.
#include "tools/trommel/update.h"

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/digest_gatherer.h"
#include "tools/trommel/interrupt.h"
#include "tools/trommel/key_file.h"
#include "tools/trommel/number_text.h"

namespace trommel::tool {

void AddUpdateOptions(CLI::App& command, UpdateOptions& options) {
  command.add_option("FILTER", options.filter, "Filter file; replaced in one step at the end")
      ->required();
  CLI::Option* output =
      command.add_option("-o,--output", options.output, "Write here and leave FILTER as it is");
  command.add_flag("-f,--force", options.force, "Overwrite the output if it exists")->needs(output);
  AddKeyFile(command, options.key_file);
  AddKeyInput(command, options.input, options.input_text);
  AddKeyTimes(command, options.input_text);
}

int ApplyUpdate(std::string_view what, const UpdateOptions& options, const Settings& settings,
                const UpdateSteps& steps, Report& report) {
  std::vector<std::string> inputs = options.input.paths;
  if (options.input.reads_stdin()) inputs.push_back("-");
  if (!options.key_file.empty()) inputs.push_back(options.key_file);
  if (options.output.empty()) {
    if (Status apart = CheckNoInput(options.filter, inputs, "filter"); !apart.ok()) {
      return FailOnRequest(apart.error());
    }
    if (Status writable = CheckWritable(options.filter); !writable.ok()) {
      return FailOnInput(writable.error());
    }
  } else {
    inputs.push_back(options.filter);
    if (Status apart = CheckNoInput(options.output, inputs); !apart.ok()) {
      return FailOnRequest(apart.error());
    }
    if (Status free = CheckNewFile(options.output, options.force); !free.ok()) {
      return FailOnRequest(free.error());
    }
  }
  Result<FilterFile> file = LoadWithKey(options.filter, options.key_file);
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
  const Status saved =
      options.output.empty() ? file->SaveBack() : SaveFilter(filter.any(), options.output);
  if (!saved.ok()) return FailOnInput(saved.error());

  const std::string& written = options.output.empty() ? options.filter : options.output;
  report.Add("filter", written, "written", written);
  report.AddField("type", std::string(FilterTypeName(filter.type())));
  DescribePass(*totals, report);
  report.Add("num_keys", filter.num_keys(), "keys now", FormatCount(filter.num_keys()));
  if (filter.capacity() > 0 && filter.num_keys() > filter.capacity()) {
    report.AddLine("It holds more keys than it was sized for (" + FormatCount(filter.capacity()) +
                   "): its false-positive rate rises; see trommel stats.");
  }
  return kDone;
}

}  // namespace trommel::tool
