// trommel bench: this machine's ceilings, and what the filter makes of them; or two such runs
// compared.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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
#include "tools/trommel/commands/bench_print.h"
#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/file_lock.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr const char* kJsonToStdout = "-";

struct BenchOptions {
  bench::SweepOptions sweep;
  std::string json;  // a file, or kJsonToStdout; empty: none
  double wait_seconds = LockWait{}.seconds;
  std::vector<std::string> compare;
};

Status PrintNow(std::string_view text) { return WriteText(text, stdout); }

// The destination of the JSON. Made before measuring: a path that cannot be written fails at once,
// a file that is there is locked.
class JsonOut {
 public:
  static Result<JsonOut> Create(const BenchOptions& options, bool quiet) {
    JsonOut out;
    out.is_stdout_ = options.json == kJsonToStdout;
    if (!options.json.empty() && !out.is_stdout_) {
      const LockWait wait = {.seconds = options.wait_seconds, .quiet = quiet};
      Result<FileLock> lock = FileLock::Take(options.json, wait, Unopenable::kIsLeftUnlocked);
      if (!lock.ok()) return lock.error();
      Result<bench::RunFileWriter> file = bench::RunFileWriter::Create(options.json);
      if (!file.ok()) return file.error();
      out.path_ = options.json;
      out.lock_.emplace(*std::move(lock));
      out.file_.emplace(std::move(*file));
    }
    return out;
  }

  bool is_stdout() const { return is_stdout_; }
  bool is_wanted() const { return is_stdout_ || file_.has_value(); }
  Status Write(std::string_view text) { return file_ ? WriteFile(text) : PrintNow(text); }

 private:
  // The writer replaces whatever has the name. So a name that was free is taken by an empty file
  // first: of two programs only one can.
  Status WriteFile(std::string_view text) {
    HoldInterrupts hold;
    struct stat ignored = {};
    const bool is_new = !lock_->is_held() && lstat(path_.c_str(), &ignored) != 0;
    bool is_ours = lock_->IsCurrent();
    if (is_ours && is_new) {
      const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && errno != EEXIST) {
        return Error{ErrorCode::kIo,
                     fmt::format("cannot write {}: {}", path_, std::strerror(errno))};
      }
      is_ours = fd >= 0;
      if (is_ours) close(fd);
    }
    if (!is_ours) {
      return Error{ErrorCode::kIo,
                   fmt::format("{} was made or changed by another program meanwhile; nothing was "
                               "written: run this again, or under another name",
                               path_)};
    }
    Status written = file_->Write(text);
    if (written.ok() || written.error().code == ErrorCode::kNotFlushed) {
      hold.DropForGood();
    } else if (is_new) {
      unlink(path_.c_str());
    }
    return written;
  }

  std::string path_;
  std::optional<FileLock> lock_;
  std::optional<bench::RunFileWriter> file_;
  bool is_stdout_ = false;
};

Json ComparisonJson(const bench::Comparison& comparison) {
  Json rows = Json::Array();
  for (const auto& row : comparison.rows) {
    rows.Append({{"name", row.name},
                 {"a_ns", row.a.median},
                 {"b_ns", row.b.median},
                 {"ratio", row.ratio.median},
                 {"ratio_min", row.ratio.min},
                 {"ratio_max", row.ratio.max}});
  }
  Json context = Json::Object();
  for (const auto& [field, a, b] : comparison.card) {
    context.Add(field, Json::Array(std::vector<std::string>{a, b}));
  }
  return {{"rows", rows},
          {"only_a", Json::Array(comparison.only_a)},
          {"only_b", Json::Array(comparison.only_b)},
          {"context", context}};
}

int RunCompare(const BenchOptions& options, const Settings& settings) {
  const Result<bench::RunFile> a = bench::ReadRunFile(options.compare[0]);
  if (!a.ok()) return FailOnInput(a.error());
  const Result<bench::RunFile> b = bench::ReadRunFile(options.compare[1]);
  if (!b.ok()) return FailOnInput(b.error());
  const Result<bench::Comparison> comparison = bench::Compare(*a, *b);
  if (!comparison.ok()) return FailOnInput(comparison.error());
  Result<JsonOut> json = JsonOut::Create(options, settings.quiet);
  if (!json.ok()) return FailOnInput(json.error());
  if (!json->is_stdout()) {
    const Status printed =
        PrintNow(ComparisonText(*comparison, options.compare[0], options.compare[1]));
    if (!printed.ok()) return FailOnInput(printed.error());
  }
  if (!json->is_wanted()) return kDone;
  const Status written = json->Write(ComparisonJson(*comparison).text() + "\n");
  return written.ok() ? kDone : FailOnInput(written.error());
}

int RunBench(const BenchOptions& options, const Settings& settings) {
  bench::MachineCard card = bench::ReadMachineCard();
  const Result<bench::SweepPlan> plan = bench::MakePlan(options.sweep, card);
  if (!plan.ok()) return FailOnRequest(plan.error());
  NoteInterrupts();
  Result<JsonOut> json = JsonOut::Create(options, settings.quiet);
  if (!json.ok()) return FailOnInput(json.error());

  Status printed = Ok();
  const bool has_table = !json->is_stdout();
  const auto print = [&printed, has_table](const std::string& text) {
    if (has_table && printed.ok()) printed = PrintNow(text);
  };
  print(CardText(card) + TableHead());
  Progress progress("measuring", settings.quiet, std::nullopt);
  std::optional<bench::SweepRow> last;  // its filter is the group's
  bench::SweepHooks hooks;
  hooks.should_stop = [&printed] { return NotedInterrupt() != 0 || !printed.ok(); };
  hooks.starting = [&](size_t row_idx, const bench::SweepRow& row) {
    progress.Draw(fmt::format("{} of {}, {}", row_idx + 1, plan->rows.size(), row.name));
  };
  hooks.measured = [&](const bench::SweepFigure& figure) {
    progress.Clear();
    if (!last || !bench::HaveSameFilter(*last, figure.row)) print(GroupTitle(figure));
    last = figure.row;
    print(FigureLine(figure));
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
  if (!printed.ok()) return FailOnInput(printed.error());
  if (!json->is_wanted()) return kDone;
  const Status written = json->Write(bench::RunFileText(card, result->records));
  return written.ok() ? kDone : FailOnInput(written.error());
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
  command.Flag("--quick", sweep.quick, "About a minute: rougher figures, fewer sizes");
  command.Text("--filter", sweep.filter, "REGEX",
               "Only rows whose name matches this regular expression; names are "
               "operation/keys:N/target:T/batch:N/threads:N, and of other encodings than planes "
               "operation/runs:5/..., operation/fingerprints16/...");
  AddCountList(command, "--sizes", sweep.sizes, "Keys: 100k,30M (default: from L1 to memory)");
  AddCountList(command, "--threads", sweep.threads,
               "Threads: 1,2,8 (default: powers of two up to all)");
  command
      .ParsedList(
          "--encoding",
          "All rows for these of planes, runs, fingerprints16 and fingerprints8 (default: for "
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
  command.OptionalText("--json", options->json, kJsonToStdout, "FILE",
                       "Write all repetitions and the machine card to FILE, as Google Benchmark's "
                       "JSON; without FILE to standard output, instead of the table");
  AddWait(command, options->wait_seconds);
  command.Several("--compare", options->compare, "A.json B.json",
                  "Measure nothing: show the rows of B.json beside those of A.json");
  command.SetAction([&settings, options] {
    if (settings.json && options->json.empty()) options->json = kJsonToStdout;
    return options->compare.empty() ? RunBench(*options, settings) : RunCompare(*options, settings);
  });
}

}  // namespace trommel::tool
