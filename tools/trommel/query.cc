// trommel query: which keys may be in a filter. Counts them, or passes their lines through.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/filter_file.h"
#include "tools/trommel/key_file.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/line_writer.h"
#include "tools/trommel/now_option.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/report.h"

namespace trommel::tool {
namespace {

struct QueryOptions {
  std::string filter;
  std::string key_file;
  NowOption now;
  KeyInput input;
  KeyInputText input_text;
  bool print_present = false;
  bool print_absent = false;
  bool print_counts = false;
  bool count_only = false;

  bool prints_lines() const { return print_present || print_absent || print_counts; }
};

// Passes lines through, one batch at a time.
class Printer {
 public:
  explicit Printer(const QueryOptions& options)
      : options_(options), writer_(STDOUT_FILENO, Terminator(options.input.options.format)) {}

  Status Print(const KeyBatch& batch) {
    if (!batch.header.empty()) {
      // Columns keep their names: a line has one more where counts are printed.
      const std::string header = (options_.print_counts ? "count\t" : "") + batch.header;
      if (Status written = writer_.Write(header); !written.ok()) return written;
    }
    if (options_.print_counts) return PrintCounts(batch);
    const Result<uint64_t> written =
        writer_.WriteSelected(batch.records(), batch.bitmap, options_.print_present);
    return written.ok() ? Ok() : Status(written.error());
  }

  Status Flush() { return writer_.Flush(); }

 private:
  Status PrintCounts(const KeyBatch& batch) {
    for (size_t i = 0; i < batch.counts.size(); ++i) {
      line_.clear();
      fmt::format_to(std::back_inserter(line_), "{}\t", batch.counts[i]);
      line_ += batch.records()[i];
      if (Status written = writer_.Write(line_); !written.ok()) return written;
    }
    return Ok();
  }

  const QueryOptions& options_;
  LineWriter writer_;
  std::string line_;
};

int Describe(const QueryOptions& options, const FamilyFilter& filter, const PassTotals& totals,
             uint64_t num_present, const Settings& settings) {
  const uint64_t num_absent = totals.num_keys - num_present;
  const double fpr = filter.current_fpr();
  Report report;
  DescribePass(totals, report);
  report.Add("num_maybe_present", num_present, "maybe present", FormatCount(num_present));
  report.Add("num_absent", num_absent, "absent", FormatCount(num_absent));
  report.Add("current_fpr", fpr, "false positives",
             fmt::format("{} of strangers are among \"maybe present\"", FormatRate(fpr)));
  const ExitCode code = num_present > 0 ? kDone : kNegativeAnswer;
  if (!options.prints_lines()) return Finish(report, settings.json, code);
  return settings.json ? Finish(report, true, code, stderr) : code;
}

int RunQuery(const QueryOptions& options, const Settings& settings) {
  Result<FilterFile> file = LoadWithKey(options.filter, options.key_file);
  if (!file.ok()) return FailOnRequest(file.error());
  if (Status keys = file->filter().CheckTakesKeys("query"); !keys.ok()) {
    return FailOnRequest(keys.error());
  }
  if (Status moved = ApplyNow(options.now, file->filter()); !moved.ok()) {
    return FailOnRequest(moved.error());
  }
  const FamilyFilter& filter = file->filter();
  if (Status fit = CheckKeysFit(filter.digest_policy(), options.input.options.format); !fit.ok()) {
    return FailOnRequest(fit.error());
  }
  if (Status given = CheckKeyGiven(filter.digest_policy()); !given.ok()) {
    return FailOnRequest(given.error());
  }
  if (options.print_counts) {
    if (Status counts = filter.CheckHasCounts(); !counts.ok()) return FailOnRequest(counts.error());
  }
  Printer printer(options);
  uint64_t num_present = 0;
  // Nobody writes to the filter, so batches are asked for side by side.
  const KeyStages stages = {
      [&](KeyBatch& batch) {
        AskFor(batch, filter);
        if (!options.print_counts) return;
        batch.counts.resize(batch.records().size());
        filter.CountEstimates(batch.KeysFor(filter.digest_policy()), batch.counts);
      },
      [&](const KeyBatch& batch) {
        num_present += batch.num_present;
        if (!options.prints_lines()) return Ok();
        Status printed = printer.Print(batch);
        // Somebody who types keys, or tails a log into us, wants the answers now.
        return printed.ok() && batch.piece.is_input_idle ? printer.Flush() : printed;
      }};
  const Result<PassTotals> totals =
      RunPass("querying", options.input, settings, options.input.MakeExecutor().get(), stages);
  // What was answered before an error in the input is printed all the same.
  const Status flushed = printer.Flush();
  if (!totals.ok()) return FailOnInput(totals.error());
  if (!flushed.ok()) return FailOnInput(flushed.error());
  if (options.count_only && !settings.json) {
    Report count;
    count.AddLine(std::to_string(num_present));
    return Finish(count, false, num_present > 0 ? kDone : kNegativeAnswer);
  }
  return Describe(options, filter, *totals, num_present, settings);
}

}  // namespace

void AddQueryCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "query",
      "Ask which keys may be in a filter. Prints a summary, or passes lines through unchanged.\n"
      "Exits 0 if any key may be present, 1 if all are certainly absent.");
  auto options = std::make_shared<QueryOptions>();
  command->add_option("FILTER", options->filter, "Filter file")->required();
  auto* output = command->add_option_group("Output", "At most one of");
  output->add_flag("--print-present", options->print_present,
                   "Print the lines whose key may be present");
  output->add_flag("--print-absent", options->print_absent,
                   "Print the lines whose key is certainly absent");
  output->add_flag("--print-counts", options->print_counts,
                   "Print every line after the most times its key can be in, and a tab; a header "
                   "after \"count\"");
  output->add_flag("-c,--count", options->count_only, "Print only how many keys may be present");
  output->require_option(0, 1);
  AddNow(*command, options->now);
  AddKeyFile(*command, options->key_file);
  AddKeyInput(*command, options->input, options->input_text);
  command->callback([&settings, &run, options] {
    FinishKeyInput(options->input, options->input_text);
    if (options->print_counts && options->input.options.format == KeyFormat::kRaw64) {
      throw CLI::ValidationError("--print-counts", "raw64 keys have no lines to print");
    }
    run = [&settings, options] { return RunQuery(*options, settings); };
  });
}

}  // namespace trommel::tool
