// trommel verify: is this file a whole, valid filter, and does it know all the keys it should?
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/filter_file.h"
#include "tools/trommel/key_file.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/report.h"

namespace trommel::tool {
namespace {

struct VerifyOptions {
  std::string filter;
  std::string key_file;
  KeyInput input;
  KeyInputText input_text;
};

int RunVerify(const VerifyOptions& options, const Settings& settings) {
  const Result<FilterFile> file = LoadWithKey(options.filter, options.key_file);
  if (!file.ok()) return FailOnRequest(file.error());
  const FamilyFilter& filter = file->filter();
  if (!options.input.paths.empty()) {
    if (Status keys = filter.CheckTakesKeys("query --print-absent"); !keys.ok()) {
      return FailOnRequest(keys.error());
    }
    const Status fit = CheckKeysFit(filter.digest_policy(), options.input.options.format);
    if (!fit.ok()) return FailOnRequest(fit.error());
    if (Status given = CheckKeyGiven(filter.digest_policy()); !given.ok()) {
      return FailOnRequest(given.error());
    }
  }
  Report report;
  report.Add(
      "filter", options.filter, "filter",
      fmt::format("{} is a whole, valid {} filter", options.filter, FilterTypeName(filter.type())));
  report.AddField("type", std::string(FilterTypeName(filter.type())));
  report.Add("num_keys", filter.num_keys(), "keys", FormatCount(filter.num_keys()));
  uint64_t num_missing = 0;
  if (!options.input.paths.empty()) {
    const KeyStages stages = {[&filter](KeyBatch& batch) { AskFor(batch, filter); },
                              [&num_missing](const KeyBatch& batch) {
                                num_missing += batch.records().size() - batch.num_present;
                                return Ok();
                              }};
    const Result<PassTotals> totals =
        RunPass("verifying", options.input, settings, options.input.MakeExecutor().get(), stages);
    if (!totals.ok()) return FailOnInput(totals.error());
    DescribePass(*totals, report);
    report.Add("num_missing", num_missing, "missing",
               num_missing == 0 ? "0 (no false negative)"
                                : FormatCount(num_missing) + " keys are certainly not in it");
  }
  return Finish(report, settings.json, num_missing == 0 ? kDone : kNegativeAnswer);
}

}  // namespace

void AddVerifyCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "Check that a filter file is whole and valid and, if key files are given (- is standard\n"
      "input), that none of their keys is missing. Exits 1 if one is.");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("FILTER", options->filter, "Filter file")->required();
  AddKeyFile(*command, options->key_file);
  AddKeyInput(*command, options->input, options->input_text);
  command->callback([&settings, &run, options] {
    FinishKeyInput(options->input, options->input_text);
    run = [&settings, options] { return RunVerify(*options, settings); };
  });
}

}  // namespace trommel::tool
