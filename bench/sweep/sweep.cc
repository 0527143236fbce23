#include "bench/sweep/sweep.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sides/workload.h"
#include "bench/sweep/sweep_arena.h"
#include "bench/sweep/sweep_row.h"
#include "bench/text/figures.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr size_t kNumHashKeys = kSweepBatch;

// The names of our counters. Times are stored there as well, because what Google Benchmark calls
// CPU time includes the work of a step outside the clock.
constexpr const char* kNsPerKey = "ns_per_key";
constexpr const char* kCpuNsPerKey = "cpu_ns_per_key";
constexpr const char* kKeysPerStep = "keys_per_step";

using Runs = std::vector<benchmark::BenchmarkReporter::Run>;

// Takes what Google Benchmark reports, and prints nothing.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    runs_.insert(runs_.end(), runs.begin(), runs.end());
  }
  Runs Take() { return std::exchange(runs_, {}); }

 private:
  Runs runs_;
};

bool IsRatio(const benchmark::BenchmarkReporter::Run& run) {
  return run.aggregate_unit == benchmark::kPercentage;
}

// 64-bit integers and strings are hashed to digests. Every step is compared with the digests of
// single keys.
class SweepHashing {
 public:
  // Strings are "user:" and up to 20 digits: short, as most keys are, and of several lengths.
  explicit SweepHashing(size_t num_keys);

  // Times one call per `batch` keys over all keys, by these threads (null: the calling one alone).
  // Throws WrongAnswer.
  StepTime StepInts(Executor* executor, size_t batch);
  StepTime StepStrings(Executor* executor, size_t batch);

 private:
  template <class T>
  StepTime Step(const std::vector<T>& keys, const std::vector<uint64_t>& want, Executor* executor,
                size_t batch);

  std::vector<uint64_t> ints_;
  std::string characters_;
  std::vector<std::string_view> strings_;
  std::vector<uint64_t> want_ints_;
  std::vector<uint64_t> want_strings_;
  std::vector<uint64_t> digests_;
};

SweepHashing::SweepHashing(size_t num_keys) : digests_(num_keys) {
  std::vector<size_t> ends;
  for (size_t i = 0; i < num_keys; ++i) {
    const uint64_t key = KeyAt(i);
    ints_.push_back(key);
    want_ints_.push_back(DigestPolicy{}(Key(key)));
    characters_ += "user:" + std::to_string(key >> (i % 32));
    ends.push_back(characters_.size());
  }
  size_t begin = 0;
  for (const size_t end : ends) {
    strings_.push_back(std::string_view(characters_).substr(begin, end - begin));
    want_strings_.push_back(DigestPolicy{}(Key(strings_.back())));
    begin = end;
  }
}

StepTime SweepHashing::StepInts(Executor* executor, size_t batch) {
  return Step(ints_, want_ints_, executor, batch);
}

StepTime SweepHashing::StepStrings(Executor* executor, size_t batch) {
  return Step(strings_, want_strings_, executor, batch);
}

template <class T>
StepTime SweepHashing::Step(const std::vector<T>& keys, const std::vector<uint64_t>& want,
                            Executor* executor, size_t batch) {
  std::ranges::fill(digests_, 0);
  const std::span<const T> all(keys);
  const auto hash = [&](size_t first, size_t count) {
    DigestPolicy{}.Digests(all.subspan(first, count), std::span(digests_).subspan(first, count));
  };
  const uint32_t num_threads = executor == nullptr ? 1 : executor->num_threads();
  const StepClock clock(num_threads);
  if (executor == nullptr) {
    for (size_t i = 0; i < keys.size(); i += batch) hash(i, std::min(batch, keys.size() - i));
  } else {
    // More tasks than threads, so that one slow thread does not delay the rest.
    const size_t num_tasks = size_t{4} * num_threads;
    executor->ForEach(num_tasks, [&](size_t task) {
      const size_t first = keys.size() * task / num_tasks;
      hash(first, keys.size() * (task + 1) / num_tasks - first);
    });
  }
  const StepTime time = clock.Stop(keys.size());
  if (digests_ != want) throw WrongAnswer{"the digests of a batch differ from those of its keys"};
  return time;
}

class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepHooks& hooks) : plan_(plan), hooks_(hooks) {
    json_.SetOutputStream(&entries_);
  }

  Result<SweepResult> Run() {
    for (size_t i = 0; i < plan_.rows.size() && !ShouldStop(); ++i) {
      if (hooks_.starting) hooks_.starting(i, plan_.rows[i]);
      const Status measured = Guarded(plan_.rows[i].name, [&] { return Measure(plan_.rows[i]); });
      if (!measured.ok()) return measured.error();
      if (!result_.wrong.empty()) break;
    }
    const Status left = Guarded("the end", [this] { return LeaveSize(); });
    if (!left.ok()) return left.error();
    result_.entries = std::move(entries_).str();
    return std::move(result_);
  }

 private:
  using Step = std::function<StepTime()>;

  bool ShouldStop() {
    if (!result_.stopped && hooks_.should_stop) result_.stopped = hooks_.should_stop();
    return result_.stopped;
  }

  template <class Work>
  Status Guarded(const std::string& what, const Work& work) {
    try {
      return work();
    } catch (const WrongAnswer& wrong) {
      result_.wrong = wrong.message;
      return Ok();
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "out of memory at " + what};
    }
  }

  Status Measure(const SweepRow& row) {
    if (last_ == nullptr || !HaveSameFilter(row, *last_)) {
      if (const Status left = LeaveSize(); !left.ok()) return left;
    }
    last_ = &row;
    if (const Status forced = ForceTarget(row.target); !forced.ok()) return forced;
    const Result<Step> step = StepOf(row);
    if (!step.ok()) return step.error();
    RunRow(row, *step);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return Ok();
  }

  Result<Step> StepOf(const SweepRow& row) {
    if (IsCeiling(row.operation)) {
      const double seconds = plan_.seconds_per_figure / plan_.repetitions;
      return Step([&row, seconds] {
        const double ns = MeasureCeilingNs(row, seconds);
        return StepTime{ns * 1e-9, ns * 1e-9, 1};
      });
    }
    std::shared_ptr<Executor>& executor = executors_[row.num_threads];
    if (executor == nullptr && row.num_threads > 1) {
      Result<std::shared_ptr<Executor>> created = Executor::Create(row.num_threads);
      if (!created.ok()) return created.error();
      executor = std::move(*created);
    }
    if (IsHashing(row.operation)) {
      if (hashing_ == nullptr) hashing_ = std::make_unique<SweepHashing>(kNumHashKeys);
      return Step([this, &row, &executor] {
        return row.operation == Operation::kHashInts
                   ? hashing_->StepInts(executor.get(), row.batch)
                   : hashing_->StepStrings(executor.get(), row.batch);
      });
    }
    if (arena_ == nullptr) {
      auto created = SweepArena::Create(row.num_keys, row.encoding);
      if (!created.ok()) return created.error();
      arena_ = std::move(*created);
    }
    arena_->Prepare(row, executor);
    return Step([this] { return arena_->Step(); });
  }

  void RunRow(const SweepRow& row, const Step& step) {
    const auto run = [&](benchmark::State& state) {
      StepTime sum;
      for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
        try {
          const StepTime time = step();
          if (!std::isfinite(time.seconds) || ShouldStop()) {
            state.SkipWithError("stopped");
            break;
          }
          state.SetIterationTime(time.seconds);
          sum.seconds += time.seconds;
          sum.cpu_seconds += time.cpu_seconds;
          sum.num_keys += time.num_keys;
        } catch (...) {  // it cannot pass through Google Benchmark's frames
          failure_ = std::current_exception();
          state.SkipWithError("failed");
          break;
        }
      }
      const double num_keys = static_cast<double>(sum.num_keys);
      state.SetItemsProcessed(static_cast<int64_t>(sum.num_keys));
      state.counters[kNsPerKey] = sum.seconds * 1e9 / num_keys;
      state.counters[kCpuNsPerKey] = sum.cpu_seconds * 1e9 / num_keys;
      state.counters[kKeysPerStep] = num_keys / static_cast<double>(state.iterations());
      state.SetLabel(row.target);
    };
    benchmark::ClearRegisteredBenchmarks();
    auto* registered = benchmark::RegisterBenchmark(row.name.c_str(), run)
                           ->UseManualTime()
                           ->Repetitions(static_cast<int>(plan_.repetitions));
    if (IsCeiling(row.operation)) {
      registered->Iterations(1);  // they repeat by themselves
    } else {
      registered->MinTime(plan_.seconds_per_figure / plan_.repetitions);
    }
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector, ".");
    benchmark::ClearRegisteredBenchmarks();
    if (!result_.stopped && !failure_) Report(row, collector.Take());
  }

  void Report(const SweepRow& row, Runs runs) {
    SweepFigure figure;
    figure.row = row;
    // A repetition without a figure has no counters.
    std::erase_if(runs, [](const auto& run) { return !run.counters.contains(kNsPerKey); });
    for (const auto& run : runs) {
      if (run.run_type != Collector::Run::RT_Iteration) continue;
      figure.ns.push_back(run.counters.at(kNsPerKey));
    }
    if (figure.ns.empty()) return;  // a ceiling that cannot be measured
    if (IsCeiling(row.operation)) ceilings_.Add(row, Median(figure.ns));
    figure.bound = ceilings_.BoundOf(row);
    figure.footprint_bytes = row.footprint_bytes;
    if (IsOfFilter(row.operation) || IsOfTextbook(row.operation)) {
      figure.footprint_bytes = arena_->num_bytes();
    }
    for (auto& run : runs) {
      // Without Google Benchmark's suffixes: the rows of a quick run have the names of a long
      // one's.
      const std::string name = std::exchange(run.run_name, {}).function_name;
      run.run_name.function_name = name;
      run.threads = row.num_threads;
      const double cpu = run.counters.at(kCpuNsPerKey);
      run.cpu_accumulated_time =
          IsRatio(run) ? cpu : run.real_accumulated_time * cpu / run.counters.at(kNsPerKey);
      if (figure.bound && !IsRatio(run)) run.counters["ceiling_ns_per_key"] = figure.bound->ns;
    }
    json_.ReportRuns(runs);
    if (hooks_.measured) hooks_.measured(figure);
  }

  Status LeaveSize() {
    if (arena_ != nullptr && !result_.stopped && result_.wrong.empty()) {
      if (const uint64_t num_bytes = arena_->filter().geometry().num_bytes();
          num_bytes > result_.filter_bytes) {
        result_.filter_bytes = num_bytes;
        result_.filter_huge_page_bytes = arena_->filter().MeasureFill().huge_page_bytes;
      }
      arena_->Prove();
    }
    arena_.reset();
    return Ok();
  }

  const SweepPlan& plan_;
  const SweepHooks& hooks_;
  SweepResult result_;
  std::ostringstream entries_;
  benchmark::JSONReporter json_;
  SweepCeilings ceilings_;
  const SweepRow* last_ = nullptr;  // the row of the plan that was measured last
  std::map<uint32_t, std::shared_ptr<Executor>> executors_;
  std::unique_ptr<SweepHashing> hashing_;
  std::unique_ptr<SweepArena> arena_;
  std::exception_ptr failure_;
};

}  // namespace

Result<SweepResult> RunSweep(const SweepPlan& plan, const SweepHooks& hooks) {
  const std::string target(ActiveTarget());
  Result<SweepResult> result = Sweep(plan, hooks).Run();
  if (const Status restored = ForceTarget(target); !restored.ok()) return restored.error();
  return result;
}

}  // namespace trommel::bench
