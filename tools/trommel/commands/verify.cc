// trommel verify: is this file a complete, valid filter, and are all its keys present?
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/filters/key_updates.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/key_pass.h"

namespace trommel::tool {
namespace {

struct VerifyOptions {
  ReadOptions read;
  std::string key_file;
  KeyInput input;
};

int RunVerify(const VerifyOptions& options, const Settings& settings) {
  const std::string& path = options.read.filter;
  const Result<FilterFile> file =
      LoadWithKey(path, options.key_file, options.read.memory_limit_bytes);
  if (!file.ok()) return FailOnRequest(file.error());
  const AnyFilter& filter = file->filter();
  if (!options.input.paths.empty()) {
    Status fit = CheckTakesKeys(filter, "query --print-absent");
    if (fit.ok()) fit = CheckCanHash(filter.digest_policy(), options.input.options.format);
    if (!fit.ok()) return FailOnRequest(fit.error());
  }
  Report report;
  report.Add("filter", path, "filter",
             fmt::format("{} is a whole, valid {} filter", path, FilterTypeName(filter.type())));
  report.AddField("type", std::string(FilterTypeName(filter.type())));
  report.Add("num_keys", filter.num_keys(), "keys", FormatCount(filter.num_keys()));
  uint64_t num_missing = 0;
  if (!options.input.paths.empty()) {
    const KeyStages stages = {[&filter](KeyBatch& batch) { QueryBatch(batch, filter); },
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
                                : FormatCount(num_missing) + " keys are certainly absent");
  }
  return Finish(report, settings.json, num_missing == 0 ? kDone : kNegativeAnswer);
}

}  // namespace

void AddVerifyCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "verify",
      "Check that a filter file is complete and valid, and that no given key is missing.\n"
      "Without key files (- is standard input), only the file is checked. Exits 1 if a key is\n"
      "missing.");
  auto options = std::make_shared<VerifyOptions>();
  AddFilterFile(command, options->read);
  AddKeyFile(command, options->key_file);
  AddKeyInput(command, options->input);
  command.SetAction([&settings, options] {
    options->input.Finish();
    return RunVerify(*options, settings);
  });
}

}  // namespace trommel::tool
