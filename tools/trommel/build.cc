// trommel build: a new filter from keys.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/digest_gatherer.h"
#include "tools/trommel/filter_file.h"
#include "tools/trommel/interrupt.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/report.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

struct BuildOptions {
  std::string output;
  bool force = false;
  FilterOptions filter;
  KeyInput input;
  KeyInputText input_text;
};

int RunBuild(BuildOptions& options, const Settings& settings) {
  NoteInterrupts();
  std::vector<std::string> inputs = options.input.paths;
  if (options.input.reads_stdin()) inputs.push_back("-");
  if (Status apart = CheckNoInput(options.output, inputs); !apart.ok()) {
    return FailOnRequest(apart.error());
  }
  if (Status free = CheckNewFile(options.output, options.force); !free.ok()) {
    return FailOnRequest(free.error());
  }
  const std::shared_ptr<Executor> executor = options.input.MakeExecutor();
  if (const int code = CountCapacity(options.input, settings, executor.get(), options.filter);
      code != kDone) {
    return code;
  }
  Config config = options.filter.ToConfig();
  config.executor = executor;
  Result<CountingFilter> filter = CountingFilter::Create(config);
  if (!filter.ok()) return FailOnRequest(filter.error());
  DigestGatherer gatherer(DigestGatherer::NumKeysFor(*filter),
                          [&filter](Keys digests) { filter->Insert(digests); });
  const Result<PassTotals> totals =
      RunPass("building", options.input, settings, executor.get(), gatherer.Stages(config.digest));
  if (!totals.ok()) return FailOnInput(totals.error());
  gatherer.Flush();
  if (Status saved = SaveFilter(*filter, options.output); !saved.ok()) {
    return FailOnInput(saved.error());
  }

  Report report;
  report.Add("filter", options.output, "built", options.output);
  DescribePass(*totals, report);
  DescribeFilter(*filter, report);
  if (filter->num_keys() > filter->capacity()) {
    report.AddLine(
        fmt::format("It holds more keys than it was sized for ({}): build it with a "
                    "larger -n.",
                    FormatCount(filter->capacity())));
  }
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddBuildCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "build",
      "Build a filter from keys and save it.\n"
      "Without -n the inputs, which must be regular files, are read once more to count the keys.");
  auto options = std::make_shared<BuildOptions>();
  command->add_option("-o,--output", options->output, "The filter file to write")->required();
  command->add_flag("-f,--force", options->force, "Overwrite the file if it exists");
  AddSizing(*command, options->filter, 0.01);
  AddDigest(*command, options->filter);
  AddKeyInput(*command, options->input, options->input_text);
  command->callback([&settings, &run, options] {
    FinishKeyInput(options->input, options->input_text);
    run = [&settings, options] { return RunBuild(*options, settings); };
  });
}

}  // namespace trommel::tool
