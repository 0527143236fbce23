// trommel bench: this machine's ceilings, and what the filter makes of them.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "bench/sweep/run_file.h"
#include "bench/sweep/sweep.h"
#include "bench/sweep/sweep_report.h"
#include "engine/src/disk/atomic_file.h"
#include "tools/trommel/commands/bench_print.h"
#include "tools/trommel/commands/commands.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr const char* kToStdout = "-";

struct BenchOptions {
  bench::SweepOptions sweep;
  std::string json;  // a file, or kToStdout; empty: none
  std::string html;
};

// A file that a report goes to, if it does. Made before the work: a path that cannot be written
// fails at once.
class ReportFile {
 public:
  explicit ReportFile(const std::string& path) : path_(path) {}

  Status Open() {
    if (path_.empty() || path_ == kToStdout) return Ok();
    Result<AtomicFile> made = AtomicFile::Create(path_);
    if (!made.ok()) return made.error();
    file_.emplace(*std::move(made));
    return Ok();
  }
  Status Write(const std::function<std::string()>& text) {
    if (path_ == kToStdout) return WriteText(text(), stdout);
    if (!file_) return Ok();
    const std::string written = text();
    Status done = file_->Append(std::as_bytes(std::span(written)));
    return done.ok() ? file_->Commit() : done;
  }

 private:
  const std::string& path_;
  std::optional<AtomicFile> file_;
};

int RunBench(const BenchOptions& options, const Settings& settings) {
  bench::MachineCard card = bench::ReadMachineCard();
  const Result<bench::SweepPlan> plan = bench::MakePlan(options.sweep, card);
  if (!plan.ok()) return FailOnRequest(plan.error());
  NoteInterrupts();
  ReportFile json(options.json);
  ReportFile html(options.html);
  Status opened = json.Open();
  if (opened.ok()) opened = html.Open();
  if (!opened.ok()) return FailOnInput(opened.error());

  Status printed = Ok();
  const bool has_table = options.json != kToStdout && options.html != kToStdout;
  const auto print = [&printed, has_table](const std::string& text) {
    if (has_table && printed.ok()) printed = WriteText(text, stdout);
  };
  print(CardText(card) + BusyText(card) + TableHead());
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Progress progress("measuring", settings.quiet, std::nullopt);
  std::optional<bench::SweepRow> last;  // its filter is the group's
  std::vector<bench::SweepFigure> figures;
  bench::SweepHooks hooks;
  hooks.should_stop = [&printed] { return NotedInterrupt() != 0 || !printed.ok(); };
  hooks.starting = [&](size_t row_idx, const bench::SweepRow& row) {
    std::string left;
    if (row_idx > 0) {  // rows take about equal times; filling a filter is part of its first
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      left = fmt::format(", about {:.0f} s left",
                         seconds / static_cast<double>(row_idx) *
                             static_cast<double>(plan->rows.size() - row_idx));
    }
    progress.Draw(fmt::format("{} of {}{}, {}", row_idx + 1, plan->rows.size(), left, row.name));
  };
  hooks.measured = [&](const bench::SweepFigure& figure) {
    progress.Clear();
    if (!last || !bench::HaveSameFilter(*last, figure.row)) print(GroupTitle(figure));
    last = figure.row;
    print(FigureLine(figure));
    figures.push_back(figure);
  };
  const Result<bench::SweepResult> result = bench::RunSweep(*plan, hooks);
  progress.Clear();
  if (!printed.ok()) return FailOnInput(printed.error());
  if (!result.ok()) return FailOnRequest(result.error());
  if (!result->wrong.empty()) return Fail(kNegativeAnswer, "wrong answer: " + result->wrong);
  if (result->stopped) return Fail(kBadInput, "interrupted");

  card.filter_bytes = result->filter_bytes;
  card.filter_huge_page_bytes = result->filter_huge_page_bytes;
  print(PagesText(card.filter_bytes, card.filter_huge_page_bytes));
  if (const std::string line = bench::SweepLine(card, figures); !line.empty()) {
    print("\n" + line + "\n");
  }
  if (!printed.ok()) return FailOnInput(printed.error());
  HoldInterrupts hold;  // one that comes now ends the program only if no file was written
  Status written = json.Write([&] { return bench::RunFileText(card, result->entries); });
  if (written.ok()) {
    written = html.Write([&] { return bench::SweepHtml(card, figures, settings.typed); });
  }
  if (!written.ok()) return FailOnInput(written.error());
  hold.DropForGood();
  return kDone;
}

// A list "1M,30M" of counts. T is what they must fit.
template <class T>
void AddCountList(Command& command, const std::string& name, std::vector<T>& values,
                  const std::string& help) {
  command.ParsedList(name, help, [&values](const std::string& text) -> Status {
    const Result<uint64_t> count = ParseCount(text);
    if (!count.ok()) return count.error();
    if (!std::in_range<T>(*count)) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("must be at most {}; got {}",
                               FormatCount(std::numeric_limits<T>::max()), Quoted(text))};
    }
    values.push_back(static_cast<T>(*count));
    return Ok();
  });
}

}  // namespace

void AddBenchCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "bench",
      "Measure the filter on this machine, beside what its memory allows.\n"
      "Takes a few minutes; other programs disturb the figures. How to read them: bench/README.md");
  auto options = std::make_shared<BenchOptions>();
  bench::SweepOptions& sweep = options->sweep;
  command.Flag("--quick", sweep.quick, "Take about a minute: rougher figures, fewer sizes");
  command.Text("--filter", sweep.filter, "REGEX",
               "Only rows whose name matches this regular expression; names are "
               "operation/keys:N/target:T/batch:N/threads:N, and of other encodings than planes "
               "operation/runs:5/..., operation/fingerprints16/...");
  AddCountList(command, "--sizes", sweep.sizes,
               "Numbers of keys: 100k,30M (default: from L1 to memory)");
  AddCountList(command, "--threads", sweep.threads,
               "Numbers of threads: 1,2,8 (default: powers of two up to all)");
  command
      .ParsedList("--encoding",
                  "All rows for these of planes, runs, fingerprints16 and dense (default: for "
                  "planes, and a few for the others)",
                  [&sweep](const std::string& name) {
                    sweep.encodings.push_back(EncodingFromName(name));
                    return Ok();
                  })
      .OneOf(FixedEncodingNames());
  command.ParsedList("--targets",
                     "Instruction sets to compare: AVX2,SSE4 (default: all that this CPU can run)",
                     [&sweep](const std::string& name) {
                       sweep.targets.push_back(name);
                       return Ok();
                     });
  AddSeconds(command, "--seconds-per-figure", 1e-6, 3600, sweep.seconds_per_figure,
             "Time on the clock for each row (default 1; with --quick 0.12)");
  command.OptionalText("--json", options->json, kToStdout, "FILE",
                       "Write all repetitions and the machine card to FILE, as Google Benchmark's "
                       "JSON; without FILE to standard output, instead of the table");
  command.Text("--html", options->html, "FILE",
               "Write the figures as charts and tables to FILE, a page that needs no network");
  command.SetAction([&settings, options] {
    if (settings.json && options->json.empty()) options->json = kToStdout;
    if (!options->json.empty() && options->json == options->html) {
      return FailOnRequest({ErrorCode::kInvalidArgument,
                            fmt::format("--json and --html both write {}", options->html)});
    }
    return RunBench(*options, settings);
  });
}

}  // namespace trommel::tool
