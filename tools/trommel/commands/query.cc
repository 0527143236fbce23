// trommel query: which keys may be in a filter. Counts them, or prints their lines.
#include <memory>
#include <string>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/filters/key_updates.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/key_pass.h"
#include "tools/trommel/passes/query_output.h"

namespace trommel::tool {
namespace {

struct QueryOptions {
  ReadOptions read;
  std::string key_file;
  NowOption now;
  KeyInput input;
  QueryOutput output;
};

int RunQuery(const QueryOptions& options, const Settings& settings) {
  Result<FilterFile> file =
      LoadWithKey(options.read.filter, options.key_file, options.read.memory_limit_bytes);
  if (!file.ok()) return FailOnRequest(file.error());
  Status fit = CheckTakesKeys(file->filter(), "query");
  if (fit.ok()) fit = ApplyNow(options.now, file->filter());
  const AnyFilter& filter = file->filter();
  if (fit.ok()) fit = CheckCanHash(filter.digest_policy(), options.input.options.format);
  if (!fit.ok()) return FailOnRequest(fit.error());
  LinePrinter printer(options.output, Terminator(options.input.options.format));
  uint64_t num_present = 0;
  // The filter does not change, so batches are queried side by side.
  const KeyStages stages = {
      [&](KeyBatch& batch) {
        QueryBatch(batch, filter);
        if (!options.output.print_counts) return;
        batch.counts.resize(batch.records().size());
        filter.CountEstimates(batch.KeysFor(filter.digest_policy()), batch.counts);
      },
      [&](const KeyBatch& batch) {
        num_present += batch.num_present;
        Status printed = printer.Print(batch.header, batch.records(), batch.bitmap, batch.counts);
        // Keys may be typed, or come from a log as it is written: answer them before waiting.
        return printed.ok() && batch.piece.is_input_idle ? printer.Flush() : printed;
      }};
  const Result<PassTotals> totals =
      RunPass("querying", options.input, settings, options.input.MakeExecutor().get(), stages);
  // What was answered before an error in the input is printed all the same.
  const Status flushed = printer.Flush();
  if (!totals.ok()) return FailOnInput(totals.error());
  if (!flushed.ok()) return FailOnInput(flushed.error());
  return FinishQuery(
      options.output, settings.json, totals->num_records, num_present,
      [&](Report& report) { DescribePass(*totals, report); },
      [&](Report& report) {
        const double fpr = RateIn(filter.GetFigures(/*measured=*/true), "current_fpr");
        report.Add("current_fpr", fpr, "false positives", FalsePositivesText(fpr));
      });
}

}  // namespace

void AddQueryCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "query",
      "Query a filter: count the keys that may be present, or print their lines.\n"
      "Prints a summary, or the lines that are asked for, unchanged and in input order.\n"
      "Exits 0 if any key may be present, 1 if all are certainly absent.");
  auto options = std::make_shared<QueryOptions>();
  AddFilterFile(command, options->read);
  AddQueryOutput(command, options->output, "key");
  AddNow(command, options->now);
  AddKeyFile(command, options->key_file);
  AddKeyInput(command, options->input);
  command.SetAction([&settings, options] {
    options->input.Finish();
    if (options->output.print_counts && options->input.options.format == KeyFormat::kRaw64) {
      throw UsageError{"--print-counts", "raw64 keys have no lines to print"};
    }
    return RunQuery(*options, settings);
  });
}

}  // namespace trommel::tool
