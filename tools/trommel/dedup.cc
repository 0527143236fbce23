// trommel dedup: passes each line through the first time its key comes, in memory that does not
// grow while the lines are within the capacity.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tools/trommel/commands.h"
#include "tools/trommel/digest_options.h"
#include "tools/trommel/exact_dedup.h"
#include "tools/trommel/family_filter.h"
#include "tools/trommel/family_options.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/line_writer.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/rate_report.h"
#include "tools/trommel/report.h"
#include "tools/trommel/time_text.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

struct DedupOptions {
  FamilyOptions filter;
  bool exact = false;
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

// Prints what is new, one batch at a time.
class Deduplicator {
 public:
  Deduplicator(const DedupOptions& options, FamilyFilter& filter)
      : filter_(filter), writer_(STDOUT_FILENO, Terminator(options.input.options.format)) {
    if (options.exact) exact_ = std::make_unique<ExactDedup>(MakeExact(filter));
  }

  Status Print(const KeyBatch& batch) {
    if (!batch.header.empty()) {
      if (Status written = writer_.Write(batch.header); !written.ok()) return written;
    }
    std::span<const uint64_t> times = batch.times();
    if (times.empty() && filter_.type() == FilterType::kWindow) {
      now_.assign(batch.digests.size(), WallClockTicks());
      times = now_;
    }
    bitmap_.resize(CountingFilter::BitmapWords(batch.digests.size()));
    const Applied applied = filter_.InsertIfAbsent(batch.digests, times, bitmap_);
    if (applied.num_refused > 0) AddRefused(batch);
    applied_ += applied;
    if (exact_) exact_->Add(batch.keys(), times, bitmap_);
    const Result<uint64_t> written = writer_.WriteSelected(batch.records(), bitmap_, true);
    if (!written.ok()) return written.error();
    num_printed_ += *written;
    return batch.piece.is_input_idle ? writer_.Flush() : Ok();
  }

  Status Flush() { return writer_.Flush(); }
  ExitCode code() const { return applied_.CodeOfInsert(); }

  void Describe(const PassTotals& totals, Report& report) const {
    report.Add("num_printed", num_printed_, "printed", FormatCount(num_printed_));
    const uint64_t num_suppressed = totals.num_keys - num_printed_;
    report.Add("num_suppressed", num_suppressed, "suppressed", FormatCount(num_suppressed));
    if (const auto* counting = std::get_if<CountingFilter>(&filter_.any())) {
      const double expected = ExpectedWronglySuppressed(counting->geometry(), num_printed_);
      // Beyond the capacity the prediction falls short.
      const bool is_overfull = filter_.num_keys() > filter_.capacity();
      AddExpected(expected, is_overfull ? "at least " : "", report);
    }
    if (const WindowRate* rate = filter_.window_rate(); rate != nullptr) {
      const bool is_overfull = !WindowRateWarning(filter_).empty();
      AddExpected(rate->expected_wrongly_present(), is_overfull ? "at least " : "", report);
    }
    DescribeInserted(applied_, report);
    if (exact_) exact_->Describe(report);
  }

 private:
  static void AddExpected(double expected, std::string_view at_least, Report& report) {
    report.Add("expected_wrongly_suppressed", expected, "of these wrongly",
               fmt::format("{}{:.3g} expected (first occurrences that looked like repetitions)",
                           at_least, expected));
  }

  static ExactDedup MakeExact(const FamilyFilter& filter) {
    const auto* window = std::get_if<WindowFilter>(&filter.any());
    if (window == nullptr) return ExactDedup();
    return ExactDedup(window->window(), window->bucket_ticks());
  }

  // What there was no room for is new all the same: printed, though nobody will know it again.
  void AddRefused(const KeyBatch& batch) {
    present_.resize(bitmap_.size());
    filter_.Query(Keys::Digests(batch.digests), present_);
    const size_t tail = batch.digests.size() % 64;
    for (size_t i = 0; i < bitmap_.size(); ++i) bitmap_[i] |= ~present_[i];
    if (tail != 0) bitmap_.back() &= (uint64_t{1} << tail) - 1;
  }

  FamilyFilter& filter_;
  LineWriter writer_;
  std::unique_ptr<ExactDedup> exact_;
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
  if (const int code = CountCapacity(options.input, settings, executor.get(), options.filter);
      code != kDone) {
    return code;
  }
  Result<AnyFilter> made = options.filter.Create(executor);
  if (!made.ok()) return FailOnRequest(made.error());
  FamilyFilter filter(*std::move(made));
  const bool has_times = options.input.options.time_column.has_value();
  if (Status timely = filter.CheckTimes(has_times); !timely.ok()) {
    return FailOnRequest(timely.error());
  }
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
  deduplicator.Describe(*totals, report);
  const uint64_t num_bytes = filter.num_bytes();  // beyond its capacity it grows
  report.Add("num_bytes", num_bytes, "memory", FormatBytes(num_bytes));
  report.AddField("capacity", filter.capacity());
  DescribeRate(filter, report);
  if (const std::string warning = WindowRateWarning(filter); !warning.empty()) {
    report.AddLine("Warning: " + warning);
  }
  if (filter.num_keys() > filter.capacity()) {
    report.AddLine(
        fmt::format("More distinct keys than the filter was sized for ({}): use a larger "
                    "-n.",
                    FormatCount(filter.capacity())));
  }
  return Finish(report, settings.json, deduplicator.code(), stderr);
}

}  // namespace

void AddDedupCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "dedup",
      "Print each line the first time its key comes, in input order; a summary goes to standard\n"
      "error. A first occurrence is wrongly suppressed with the false-positive rate of its\n"
      "moment, which is -p at most while the filter holds no more keys than it was sized for\n"
      "(-n; with --type window, within the window plus one bucket; with --bucket-capacity,\n"
      "within one bucket). With --identical it grows beyond -p with every generation. The\n"
      "summary says what it is at the end.\n"
      "Exits 1 if there was no room for a key: it was printed, and would be again.\n"
      "Without -n the inputs, which must be regular files, are read once more to count the keys.");
  auto options = std::make_shared<DedupOptions>();
  AddFamily(*command, options->filter, 0.0001);
  AddDigest(*command, options->filter.filter);
  command->add_flag("--exact", options->exact,
                    "Remember every key beside the filter, and report what the filter got wrong");
  AddKeyInput(*command, options->input, options->input_text);
  AddKeyTimes(*command, options->input_text);
  command->callback([&settings, &run, options, command] {
    FinishFamily(*command, options->filter);
    FinishDigest(*command, options->filter.filter);
    FinishKeyInput(options->input, options->input_text);
    run = [&settings, options] { return RunDedup(*options, settings); };
  });
}

}  // namespace trommel::tool
