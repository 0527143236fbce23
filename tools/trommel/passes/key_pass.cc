// One pass over the tool's inputs.
#include "tools/trommel/passes/key_pass.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/key_updates.h"
#include "tools/trommel/input/distinct_digests.h"
#include "tools/trommel/input/input_file.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {

namespace {

constexpr uint64_t kMostWindows = 1000;  // that times may leap, unless --max-leap says otherwise

Result<PassTotals> RunStages(std::string_view what, const KeyInput& input, const Settings& settings,
                             Executor* executor, const KeyStages& stages) {
  const auto start = std::chrono::steady_clock::now();
  Progress progress(what, settings.quiet, TotalTextBytes(input.paths));
  PassTotals totals;
  KeyStages counted = {stages.work, [&](const KeyBatch& batch) -> Status {
                         totals.num_records += batch.records().size();
                         totals.num_empty += batch.num_empty();
                         totals.num_bytes += batch.piece.num_bytes;
                         if (stages.finish) {
                           if (Status done = stages.finish(batch); !done.ok()) return done;
                         }
                         if (NotedInterrupt() != 0) return Error{ErrorCode::kIo, "interrupted"};
                         progress.Update(totals.num_records, totals.num_bytes);
                         return Ok();
                       }};
  const Status done = RunKeyPipeline(input.paths, input.options, ReaderLimits{}, executor, counted);
  if (!done.ok()) return done.error();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  totals.seconds = elapsed.count();
  return totals;
}

}  // namespace

Result<PassTotals> RunPass(std::string_view what, const KeyInput& input, const Settings& settings,
                           Executor* executor, const KeyStages& stages) {
  const KeyStages noted = {stages.work, [&](const KeyBatch& batch) -> Status {
                             for (const std::string& note : batch.piece.notes) PrintNote(note);
                             return stages.finish ? stages.finish(batch) : Ok();
                           }};
  return RunStages(what, input, settings, executor, noted);
}

Status LimitLeaps(const AnyFilter& filter, KeyInput& input) {
  if (!filter.expires()) {
    if (input.max_leap == 0) return Ok();
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--max-leap is for window filters, and this is a {} filter",
                             FilterTypeName(filter.type()))};
  }
  const uint64_t window = CountIn(filter.GetFigures(false), "window");
  const uint64_t most = window > UINT64_MAX / kMostWindows ? UINT64_MAX : window * kMostWindows;
  input.options.leaps.max_leap = input.max_leap == 0 ? most : input.max_leap;
  // A new filter is at time 0, which is no time of a key.
  if (filter.now() > 0 || filter.num_keys() > 0) input.options.leaps.clock = filter.now();
  return Ok();
}

void QueryBatch(KeyBatch& batch, const AnyFilter& filter) {
  batch.bitmap.resize(BitmapWords(batch.records().size()));
  batch.num_present = filter.Query(batch.KeysFor(filter.digest_policy()), batch.bitmap);
}

int CountCapacity(const KeyInput& input, const Settings& settings, Executor* executor,
                  FamilyOptions& options, std::string_view counted) {
  if (options.filter.capacity > 0) return kDone;
  // A shape that does not exist is an error before keys are counted for it.
  if (const Status shape = options.CheckShape(); !shape.ok()) return FailOnRequest(shape.error());
  for (const std::string& path : input.paths) {
    if (path == "-") continue;
    if (Result<InputFile> file = InputFile::Open(path); !file.ok())
      return FailOnInput(file.error());
  }
  if (!TotalBytes(input.paths)) {
    return Fail(kUsageError,
                fmt::format("give the number of {} with -n: pipes and standard input cannot be "
                            "read twice to count them",
                            counted));
  }
  DistinctDigests distinct;
  const DigestPolicy& policy = options.filter.digest;
  const KeyStages stages = {[&](KeyBatch& batch) { batch.Hash(policy); },
                            [&](const KeyBatch& batch) {
                              distinct.Add(batch.digests);
                              return Ok();
                            }};
  const Result<PassTotals> totals = RunStages("counting", input, settings, executor, stages);
  if (!totals.ok()) return FailOnInput(totals.error());
  options.filter.capacity = std::max<uint64_t>(1, distinct.AtMost());
  return kDone;
}

int MakeFilter(KeyInput& input, const Settings& settings, const std::shared_ptr<Executor>& executor,
               FamilyOptions& options, AnyFilterPtr& filter) {
  const int counted = CountCapacity(input, settings, executor.get(), options);
  if (counted != kDone) return counted;
  Result<AnyFilterPtr> made = options.Create(executor);
  if (!made.ok()) return FailOnRequest(made.error());
  filter = *std::move(made);
  const Status timely = CheckTimes(*filter, input.options.time_column.has_value());
  if (!timely.ok()) return FailOnRequest(timely.error());
  const Status limited = LimitLeaps(*filter, input);
  return limited.ok() ? int{kDone} : FailOnRequest(limited.error());
}

void DescribePass(const PassTotals& totals, Report& report, std::string_view noun) {
  std::string text = FormatCount(totals.num_records);
  if (totals.num_empty > 0) {
    text += fmt::format(" ({} skipped)", FormatCount(totals.num_empty, "line"));
  }
  report.Add(fmt::format("num_{}_read", noun), totals.num_records, fmt::format("{} read", noun),
             std::move(text));
  report.AddField("num_empty_skipped", totals.num_empty);
  report.AddField("num_bytes_read", totals.num_bytes);
  const double bytes_per_second =
      totals.seconds > 0 ? static_cast<double>(totals.num_bytes) / totals.seconds : 0;
  report.Add("seconds", totals.seconds, "time",
             fmt::format("{:.2f} s, {}/s", totals.seconds,
                         FormatBytes(static_cast<uint64_t>(bytes_per_second))));
}

}  // namespace trommel::tool
