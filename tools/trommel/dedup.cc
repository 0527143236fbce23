// trommel dedup: passes each line through the first time its key comes, in memory that does not
// grow while the lines are within the capacity.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/line_writer.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/report.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

struct DedupOptions {
  FilterOptions filter;
  KeyInput input;
  KeyInputText input_text;
};

// How many first occurrences were taken for repetitions by then, on average: a new key that comes
// when n are in is suppressed with PredictedFpr(n), and f / (1 - f) are suppressed for each that
// gets in. The midpoint rule over n.
double ExpectedWronglySuppressed(const Geometry& geometry, uint64_t num_printed) {
  constexpr int kSteps = 64;
  const double width = static_cast<double>(num_printed) / kSteps;
  double expected = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double fpr = PredictedFpr(geometry, static_cast<uint64_t>((step + 0.5) * width));
    expected += width * fpr / (1 - fpr);
  }
  return expected;
}

int Describe(const CountingFilter& filter, const PassTotals& totals, const Settings& settings) {
  const uint64_t num_printed = filter.num_keys();
  const uint64_t num_suppressed = totals.num_keys - num_printed;
  const double expected = ExpectedWronglySuppressed(filter.geometry(), num_printed);
  Report report;
  DescribePass(totals, report);
  report.Add("num_printed", num_printed, "printed", FormatCount(num_printed));
  report.Add("num_suppressed", num_suppressed, "suppressed", FormatCount(num_suppressed));
  report.Add(
      "expected_wrongly_suppressed", expected, "of these wrongly",
      fmt::format("{:.3g} expected (first occurrences that looked like repetitions)", expected));
  const uint64_t num_bytes = filter.GetStats().num_bytes;  // beyond its capacity it grows
  report.Add("num_bytes", num_bytes, "memory", FormatBytes(num_bytes));
  report.AddField("capacity", filter.capacity());
  report.AddField("target_fpr", filter.target_fpr());
  if (num_printed > filter.capacity()) {
    report.AddLine(
        fmt::format("More distinct keys than the filter was sized for ({}): use a larger "
                    "-n.",
                    FormatCount(filter.capacity())));
  }
  return Finish(report, settings.json, kDone, stderr);
}

int RunDedup(DedupOptions& options, const Settings& settings) {
  const std::shared_ptr<Executor> executor = options.input.MakeExecutor();
  if (const int code = CountCapacity(options.input, settings, executor.get(), options.filter);
      code != kDone) {
    return code;
  }
  Config config = options.filter.ToConfig();
  config.executor = executor;
  Result<CountingFilter> filter = CountingFilter::Create(config);
  if (!filter.ok()) return FailOnRequest(filter.error());
  LineWriter writer(STDOUT_FILENO, Terminator(options.input.options.format));
  std::vector<uint64_t> bitmap;
  const KeyStages stages = {[&](KeyBatch& batch) { batch.Hash(config.digest); },
                            [&](const KeyBatch& batch) -> Status {
                              if (!batch.header.empty()) {
                                if (Status written = writer.Write(batch.header); !written.ok())
                                  return written;
                              }
                              bitmap.resize(CountingFilter::BitmapWords(batch.digests.size()));
                              filter->InsertIfAbsent(Keys::Digests(batch.digests), bitmap);
                              const Result<uint64_t> written =
                                  writer.WriteSelected(batch.records(), bitmap, true);
                              if (!written.ok()) return written.error();
                              return batch.piece.is_input_idle ? writer.Flush() : Ok();
                            }};
  const Result<PassTotals> totals =
      RunPass("deduplicating", options.input, settings, executor.get(), stages);
  const Status flushed = writer.Flush();
  if (!totals.ok()) return FailOnInput(totals.error());
  if (!flushed.ok()) return FailOnInput(flushed.error());
  return Describe(*filter, *totals, settings);
}

}  // namespace

void AddDedupCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "dedup",
      "Print each line the first time its key comes, in input order; a summary goes to standard\n"
      "error. A first occurrence is wrongly suppressed with the false-positive rate at most.\n"
      "Without -n the inputs, which must be regular files, are read once more to count the keys.");
  auto options = std::make_shared<DedupOptions>();
  AddSizing(*command, options->filter, 0.0001);
  AddDigest(*command, options->filter);
  AddKeyInput(*command, options->input, options->input_text);
  command->callback([&settings, &run, options] {
    FinishKeyInput(options->input, options->input_text);
    run = [&settings, options] { return RunDedup(*options, settings); };
  });
}

}  // namespace trommel::tool
