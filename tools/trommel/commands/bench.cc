// trommel bench: this machine's ceilings, and what the filter makes of them.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "bench/sweep/run_file.h"
#include "bench/sweep/sweep.h"
#include "bench/sweep/sweep_report.h"
#include "tools/trommel/commands/bench_print.h"
#include "tools/trommel/commands/commands.h"
#include "tools/trommel/commands/report_out.h"
#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

struct BenchOptions {
  bench::SweepOptions sweep;
  std::string json;  // a file, or ReportOut::kToStdout; empty: none
  std::string html;  // a file; empty: none
  double wait_seconds = LockWait{}.seconds;
};

struct Reports {
  ReportOut json;
  ReportOut html;

  static Result<Reports> Create(const BenchOptions& options, bool quiet) {
    Result<ReportOut> json =
        ReportOut::Create(options.json, {.seconds = options.wait_seconds, .quiet = quiet});
    if (!json.ok()) return json.error();
    Result<ReportOut> html =
        ReportOut::Create(options.html, {.seconds = options.wait_seconds, .quiet = quiet});
    if (!html.ok()) return html.error();
    return Reports{std::move(*json), std::move(*html)};
  }

  // Then it is all there is on standard output.
  bool AnyIsStdout() const { return json.is_stdout() || html.is_stdout(); }

  // Makes and writes those that are wanted. Returns the exit code.
  int Write(const std::function<std::string()>& json_text,
            const std::function<std::string()>& html_text) {
    for (auto& [out, text] : {std::pair{&json, &json_text}, {&html, &html_text}}) {
      if (!out->is_wanted()) continue;
      if (const Status written = out->Write((*text)()); !written.ok()) {
        return FailOnInput(written.error());
      }
    }
    return kDone;
  }
};

int RunBench(const BenchOptions& options, const Settings& settings) {
  bench::MachineCard card = bench::ReadMachineCard();
  const Result<bench::SweepPlan> plan = bench::MakePlan(options.sweep, card);
  if (!plan.ok()) return FailOnRequest(plan.error());
  NoteInterrupts();
  Result<Reports> reports = Reports::Create(options, settings.quiet);
  if (!reports.ok()) return FailOnInput(reports.error());

  Status printed = Ok();
  const bool has_table = !reports->AnyIsStdout();
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
  return reports->Write([&] { return bench::RunFileText(card, result->records); },
                        [&] { return bench::SweepHtml(card, figures, settings.typed); });
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
  command.OptionalText("--json", options->json, ReportOut::kToStdout, "FILE",
                       "Write all repetitions and the machine card to FILE, as Google Benchmark's "
                       "JSON; without FILE to standard output, instead of the table");
  command.Text("--html", options->html, "FILE",
               "Write the figures as charts and tables to FILE, a page that needs no network");
  AddWait(command, options->wait_seconds);
  command.SetAction([&settings, options] {
    if (settings.json && options->json.empty()) options->json = ReportOut::kToStdout;
    if (!options->json.empty() && options->json == options->html) {
      return FailOnRequest({ErrorCode::kInvalidArgument,
                            fmt::format("--json and --html both write {}", options->html)});
    }
    return RunBench(*options, settings);
  });
}

}  // namespace trommel::tool
