// trommel dedup: prints each line the first time its key occurs, in two to four bytes per key.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/key_updates.h"
#include "tools/trommel/filters/window_rate.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/output/line_writer.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/key_pass.h"
#include "trommel/any_filter.h"

namespace trommel::tool {
namespace {

struct DedupOptions {
  FamilyOptions filter;
  KeyInput input;
};

// The expected number of first occurrences that were taken for repetitions: a new key that comes
// when n keys are in the filter is suppressed with probability f = rate_at(n), so that f / (1 - f)
// keys are suppressed for each that is inserted. The midpoint rule over n.
template <class RateAt>
double ExpectedWronglySuppressed(uint64_t num_inserted, const RateAt& rate_at) {
  constexpr int kSteps = 64;
  const double width = static_cast<double>(num_inserted) / kSteps;
  double expected = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double fpr = rate_at(static_cast<uint64_t>((step + 0.5) * width));
    expected += width * fpr / (1 - fpr);
  }
  return expected;
}

// Prints what is new, one batch at a time.
class Deduplicator {
 public:
  Deduplicator(const DedupOptions& options, AnyFilter& filter)
      : filter_(filter),
        updates_(filter),
        writer_(STDOUT_FILENO, Terminator(options.input.options.format)) {}

  Status Print(const KeyBatch& batch) {
    if (!batch.header.empty()) {
      if (Status written = writer_.Write(batch.header); !written.ok()) return written;
    }
    std::span<const uint64_t> times = batch.times();
    if (times.empty() && filter_.expires()) {
      now_.assign(batch.digests.size(), WallClockTicks());
      times = now_;
    }
    bitmap_.resize(BitmapWords(batch.digests.size()));
    const Applied applied = updates_.InsertIfAbsent(batch.digests, times, bitmap_);
    if (applied.num_refused > 0) AddRefused(batch);
    applied_ += applied;
    const Result<uint64_t> written = writer_.WriteSelected(batch.records(), bitmap_, true);
    if (!written.ok()) return written.error();
    num_printed_ += *written;
    return batch.piece.is_input_idle ? writer_.Flush() : Ok();
  }

  Status Flush() { return writer_.Flush(); }
  const WindowRate* window_rate() const { return updates_.window_rate(); }
  ExitCode code() const { return applied_.CodeOfInsert(); }

  void Describe(const PassTotals& totals, const Figures& figures, Report& report) const {
    report.Add("num_printed", num_printed_, "printed", FormatCount(num_printed_));
    const uint64_t num_suppressed = totals.num_records - num_printed_;
    report.Add("num_suppressed", num_suppressed, "suppressed", FormatCount(num_suppressed));
    // Beyond the capacity the prediction falls short.
    const char* const at_least =
        filter_.num_keys() > CountIn(figures, "capacity") ? "at least " : "";
    if (const WindowRate* rate = updates_.window_rate(); rate != nullptr) {
      const bool is_overfull = !WindowRateWarning(figures, rate).empty();
      AddExpected(rate->expected_wrongly_present(), is_overfull ? "at least " : "", report);
    } else {
      const auto rate_at = [&](uint64_t n) { return filter_.ForecastAt(n).predicted_fpr; };
      AddExpected(ExpectedOf(rate_at), at_least, report);
    }
    DescribeInserted(applied_, report);
  }

 private:
  // Keys that were printed without room for them came to the filter as it is now.
  template <class RateAt>
  double ExpectedOf(const RateAt& rate_at) const {
    const uint64_t num_inserted = std::min(filter_.num_keys(), num_printed_);
    const double fpr = rate_at(num_inserted);
    return ExpectedWronglySuppressed(num_inserted, rate_at) +
           static_cast<double>(num_printed_ - num_inserted) * fpr / (1 - fpr);
  }

  static void AddExpected(double expected, std::string_view at_least, Report& report) {
    report.Add("expected_wrongly_suppressed", expected, "of these wrongly",
               fmt::format("{}{:.3g} expected (first occurrences that looked like repetitions)",
                           at_least, expected));
  }

  // Keys without room are new all the same: printed, and printed again when they come again.
  void AddRefused(const KeyBatch& batch) {
    present_.resize(bitmap_.size());
    filter_.Query(Keys::Digests(batch.digests), present_);
    const size_t tail = batch.digests.size() % 64;
    for (size_t i = 0; i < bitmap_.size(); ++i) bitmap_[i] |= ~present_[i];
    if (tail != 0) bitmap_.back() &= (uint64_t{1} << tail) - 1;
  }

  AnyFilter& filter_;
  KeyUpdates updates_;
  LineWriter writer_;
  Applied applied_;
  uint64_t num_printed_ = 0;
  std::vector<uint64_t> bitmap_;
  std::vector<uint64_t> present_;
  std::vector<uint64_t> now_;
};

int RunDedup(DedupOptions& options, const Settings& settings) {
  if (Status keyed = ReadDigestKey(options.filter.filter); !keyed.ok()) {
    return FailOnRequest(keyed.error());
  }
  const std::shared_ptr<Executor> executor = options.input.MakeExecutor();
  AnyFilterPtr made;
  if (const int code = MakeFilter(options.input, settings, executor, options.filter, made);
      code != kDone) {
    return code;
  }
  AnyFilter& filter = *made;
  Deduplicator deduplicator(options, filter);
  const DigestPolicy policy = filter.digest_policy();
  const KeyStages stages = {
      [&policy](KeyBatch& batch) { batch.Hash(policy); },
      [&deduplicator](const KeyBatch& batch) { return deduplicator.Print(batch); }};
  const Result<PassTotals> totals =
      RunPass("deduplicating", options.input, settings, executor.get(), stages);
  const Status flushed = deduplicator.Flush();
  if (!totals.ok()) return FailOnInput(totals.error());
  if (!flushed.ok()) return FailOnInput(flushed.error());

  Report report;
  DescribePass(*totals, report);
  report.AddField("type", std::string(FilterTypeName(filter.type())));
  const Figures figures = filter.GetFigures(/*measured=*/true);
  const uint64_t capacity = CountIn(figures, "capacity");
  deduplicator.Describe(*totals, figures, report);
  const uint64_t num_bytes = CountIn(figures, "num_bytes");  // beyond its capacity it grows
  report.Add("num_bytes", num_bytes, "memory", FormatBytes(num_bytes));
  DescribeFigures(figures, {"capacity", "num_distinct_keys"}, report);
  DescribeRate(figures, deduplicator.window_rate(), report);
  if (const std::string warning = WindowRateWarning(figures, deduplicator.window_rate());
      !warning.empty()) {
    report.AddLine("Warning: " + warning);
  }
  if (filter.num_keys() > capacity) {
    report.AddLine(
        fmt::format("More distinct keys than the filter was sized for ({}): use a larger "
                    "-n.",
                    FormatCount(capacity)));
  }
  return Finish(report, settings.json, deduplicator.code(), stderr);
}

}  // namespace

void AddDedupCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "dedup",
      "Print each line the first time its key occurs, in input order.\n"
      "A summary goes to standard error. A first occurrence is wrongly suppressed at the filter's\n"
      "false-positive rate of that moment, which is at most -p: always without -n, where the "
      "filter\n"
      "grows; with -n, while it holds no more keys than that (with --type window, within the "
      "window\n"
      "plus one bucket). The summary reports the rate at the end.\n"
      "Exits 1 if there was no room for a key: its line was printed, and would be printed again.");
  auto options = std::make_shared<DedupOptions>();
  AddFamily(command, options->filter, 0.0001);
  AddMemoryLimit(command, options->filter.memory_limit_bytes);
  AddDigest(command, options->filter.filter);
  AddKeyInput(command, options->input);
  AddKeyTimes(command, options->input);
  AddMaxLeap(command, options->input);
  command.SetAction([&settings, options, command] {
    options->filter.FinishToFill(command);
    FinishDigest(command, options->filter.filter);
    options->input.Finish();
    return RunDedup(*options, settings);
  });
}

}  // namespace trommel::tool
