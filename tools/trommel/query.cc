// trommel query: which keys may be in a filter. Counts them, or passes their lines through.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/filter_file.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/line_writer.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/report.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

struct QueryOptions {
  std::string filter;
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
  Printer(const QueryOptions& options, const CountingFilter& filter)
      : options_(options),
        filter_(filter),
        writer_(STDOUT_FILENO, Terminator(options.input.options.format)) {}

  Status Print(const KeyReader& reader, std::span<const uint64_t> maybe_present) {
    if (!header_done_ && !reader.header().empty()) {
      if (Status written = writer_.Write(reader.header()); !written.ok()) return written;
    }
    header_done_ = true;
    if (options_.print_counts) return PrintCounts(reader);
    const Result<uint64_t> written =
        writer_.WriteSelected(reader.records(), maybe_present, options_.print_present);
    return written.ok() ? Ok() : Status(written.error());
  }

  Status Flush() { return writer_.Flush(); }

 private:
  Status PrintCounts(const KeyReader& reader) {
    counts_.resize(reader.records().size());
    filter_.CountEstimates(KeysFor(filter_, reader), counts_);
    for (size_t i = 0; i < counts_.size(); ++i) {
      line_.clear();
      fmt::format_to(std::back_inserter(line_), "{}\t", counts_[i]);
      line_ += reader.records()[i];
      if (Status written = writer_.Write(line_); !written.ok()) return written;
    }
    return Ok();
  }

  const QueryOptions& options_;
  const CountingFilter& filter_;
  LineWriter writer_;
  bool header_done_ = false;
  std::vector<uint64_t> counts_;
  std::string line_;
};

int Describe(const QueryOptions& options, const CountingFilter& filter, const PassTotals& totals,
             uint64_t num_present, const Settings& settings) {
  const uint64_t num_absent = totals.num_keys - num_present;
  const double fpr = filter.GetStats().current_fpr;
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
  const Result<FilterFile> file = FilterFile::Load(options.filter);
  if (!file.ok()) return FailOnInput(file.error());
  const CountingFilter& filter = file->filter();
  if (Status fit = CheckKeysFit(filter, options.input.options.format); !fit.ok()) {
    return FailOnRequest(fit.error());
  }
  Printer printer(options, filter);
  std::vector<uint64_t> bitmap;
  uint64_t num_present = 0;
  const Result<PassTotals> totals =
      ForEachBatch("querying", options.input, settings, [&](const KeyReader& reader) {
        const Keys keys = KeysFor(filter, reader);
        bitmap.resize(CountingFilter::BitmapWords(keys.size()));
        num_present += filter.Query(keys, bitmap);
        if (!options.prints_lines()) return Ok();
        Status printed = printer.Print(reader, bitmap);
        // Somebody who types keys, or tails a log into us, wants the answers now.
        return printed.ok() && reader.is_input_idle() ? printer.Flush() : printed;
      });
  // What was answered before an error in the input is printed all the same.
  const Status flushed = printer.Flush();
  if (!totals.ok()) return FailOnInput(totals.error());
  if (!flushed.ok()) return FailOnInput(flushed.error());
  if (options.count_only && !settings.json) {
    fmt::print("{}\n", num_present);
    return num_present > 0 ? kDone : kNegativeAnswer;
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
                   "Print every line after the most times its key can be in, and a tab");
  output->add_flag("-c,--count", options->count_only, "Print only how many keys may be present");
  output->require_option(0, 1);
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
