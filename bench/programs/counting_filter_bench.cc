// The counting filter beside a textbook counting Bloom filter and a plain split-block filter, one
// thread, one run, the same keys and digests. How to run it and how to read it: README.md.
//
// Google Benchmark times and writes the JSON; this program decides the order. A round measures, for
// each operation in turn, the ceilings and every side one after the other; rounds are repeated and
// ratios are taken within a round.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/arena.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr double kTargetFpr = 0.01;
constexpr double kSecondsPerCeiling = 0.05;
constexpr uint64_t kMinKeys = 10'000;  // with fewer a batch is too short for the clock

constexpr char kUsage[] =
    "usage: counting_filter_bench [--keys=1M,30M] [--rounds=9] [--json=FILE] [--benchmark_...]\n"
    "  --keys    sizes to compare at, in turn (at least 10k)\n"
    "  --rounds  paired measurements of each figure, after one that does not count\n"
    "  --json    also write every measurement there, as Google Benchmark's JSON\n"
    "  --benchmark_filter=REGEX limits what is measured; names are OPERATION/SIDE/KEYS\n";

struct Options {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  uint64_t rounds = 9;
  std::string json;
};

// Keeps the measurements of Google Benchmark, for the JSON, instead of printing each line.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      failed_ = failed_ || run.error_occurred;
      if (run.error_occurred) {
        std::fprintf(stderr, "%s: %s\n", run.benchmark_name().c_str(), run.error_message.c_str());
      }
      if (round_ >= 0) {
        runs_.push_back(run);
        runs_.back().repetition_index = round_;
      }
    }
  }

  void StartRound(int64_t round) { round_ = round; }  // negative: does not count
  bool failed() const { return failed_; }

  bool WriteJson(const std::string& path) {
    std::ofstream file(path);
    benchmark::JSONReporter json;
    json.SetOutputStream(&file);
    json.SetErrorStream(&file);
    if (!runs_.empty()) {
      json.ReportContext(Context());
      json.ReportRuns(runs_);
      json.Finalize();
    }
    return static_cast<bool>(file.flush());
  }

 private:
  std::vector<Run> runs_;
  int64_t round_ = -1;
  bool failed_ = false;
};

// The columns of the table: the sides and our ceiling.
const std::vector<std::string> kColumns = {"trommel",      "+hash",       "textbook",
                                           "unprefetched", "split-block", "ceiling"};
const std::vector<RatioColumn> kRatios = {{"ceiling / trommel", kNumSides, kOurs},
                                          {"textbook / trommel", kTextbook, kOurs},
                                          {"unprefetched / trommel", kTextbookUnprefetched, kOurs},
                                          {"trommel / split-block", kOurs, kSplitBlock}};

// The measurements of one size so far.
struct Measured {
  std::map<Op, std::array<Figures, kNumSides + 1>> figures;  // of kColumns
  SideCeilings now{};                                        // of the current round
};

void RunSteps(benchmark::State& state, Arena& arena, Side side, Op op, Measured& measured) {
  double seconds = 0;
  double num_keys = 0;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    const double step = arena.StepSeconds(side, op);
    if (step < 0) {
      state.SkipWithError("wrong answer");
      break;
    }
    state.SetIterationTime(step);
    seconds += step;
    num_keys += static_cast<double>(arena.batch_size());
  }
  const double ns = seconds * 1e9 / num_keys;
  const double bits = 8 * static_cast<double>(arena.side(side).num_bytes());
  const double share = measured.now.For(side, op) / ns;
  measured.figures[op][side].push_back(ns);
  state.counters["ns_per_key"] = ns;
  state.counters["ceiling_share"] = share;
  state.counters["bytes"] = bits / 8;
  state.counters["bits_per_key"] = bits / static_cast<double>(arena.num_keys());
  state.counters["measured_fpr"] = arena.measured_fpr(side);
  state.SetLabel(std::string(ActiveTarget()));
}

std::string Title(const Arena& arena) {
  std::string title =
      Printed("\n%s keys, one thread, target %s, ns per key", CountName(arena.num_keys()).c_str(),
              std::string(ActiveTarget()).c_str());
  for (const Side side : {kOurs, kTextbook, kSplitBlock}) {
    const double num_bytes = static_cast<double>(arena.side(side).num_bytes());
    title += Printed("\n  %-12s %8.1f MB %6.2f bits per key   FPR measured %.5f predicted %.5f",
                     std::string(arena.side(side).name()).c_str(), num_bytes / 1e6,
                     8 * num_bytes / static_cast<double>(arena.num_keys()),
                     arena.measured_fpr(side), arena.predicted_fpr(side));
  }
  return title;
}

// False if an answer was wrong.
bool Compare(uint64_t num_keys, const Options& options, Collector& collector) {
  Arena arena(num_keys, MakeContenders(num_keys, kTargetFpr));
  if (const std::string wrong = arena.Prove(); !wrong.empty()) {
    std::fprintf(stderr, "counting_filter_bench: %s\n", wrong.c_str());
    return false;
  }
  Measured measured;
  benchmark::ClearRegisteredBenchmarks();
  for (const Op op : kAllOps) {
    for (uint8_t s = 0; s < kNumSides; ++s) {
      const auto side = static_cast<Side>(s);
      if (!arena.side(side).CanDo(op)) continue;
      std::string name(OpName(op));
      std::ranges::replace(name, ' ', '_');
      name += "/" + std::string(arena.side(side).name()) + "/" + CountName(num_keys);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&arena, &measured, side, op](benchmark::State& state) {
                                     RunSteps(state, arena, side, op, measured);
                                   })
          ->UseManualTime()
          ->Iterations(static_cast<int64_t>(arena.steps_per_measurement()))
          ->Unit(benchmark::kMillisecond);
    }
  }
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  for (int64_t round = -1; round < static_cast<int64_t>(options.rounds); ++round) {
    if (is_terminal) {
      std::fprintf(stderr, "\r%s keys: round %d of %d ", CountName(num_keys).c_str(),
                   static_cast<int>(round + 1), static_cast<int>(options.rounds));
    }
    collector.StartRound(round);
    measured.now = arena.MeasureSideCeilings(
        {kOurs, kOursHashing, kTextbook, kTextbookUnprefetched, kSplitBlock}, kSecondsPerCeiling);
    benchmark::RunSpecifiedBenchmarks(&collector);
    if (round < 0) measured.figures.clear();  // the caches and pages were cold
    for (auto& [op, figures] : measured.figures) {
      figures[kNumSides].push_back(measured.now.For(kOurs, op));
    }
  }
  if (is_terminal) std::fprintf(stderr, "\r%40s\r", "");
  if (const std::string wrong = arena.Prove(); !wrong.empty()) {
    std::fprintf(stderr, "counting_filter_bench: after the run: %s\n", wrong.c_str());
    return false;
  }
  std::vector<TrialRow> rows;
  for (const auto& [op, figures] : measured.figures) {
    rows.push_back({std::string(OpName(op)), {figures.begin(), figures.end()}});
  }
  std::fputs(FormatTrial(Title(arena), kColumns, kRatios, rows).c_str(), stdout);
  std::printf(
      "  ceilings of the sides' shapes, ns: textbook %.1f update %.1f query, split-block %.1f "
      "update\n",
      measured.now.update_ns[kTextbook], measured.now.query_ns[kTextbook],
      measured.now.update_ns[kSplitBlock]);
  std::fflush(stdout);
  return true;
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // takes its own flags out of argv
  Options options;
  const auto read_json = [&options](std::string_view value) {
    options.json = value;
    return !value.empty();
  };
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", options.keys, kMinKeys),
                      CountArgument("--rounds", options.rounds),
                      {"--json", read_json}},
                     kUsage)) {
    return 2;
  }
  Collector collector;
  std::printf("medians of %d paired rounds; ratios: median [min..max] over the rounds\n",
              static_cast<int>(options.rounds));
  for (const uint64_t num_keys : options.keys) {
    if (!Compare(num_keys, options, collector) || collector.failed()) return 1;
  }
  if (!options.json.empty() && !collector.WriteJson(options.json)) {
    std::fprintf(stderr, "counting_filter_bench: cannot write %s\n", options.json.c_str());
    return 3;
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
