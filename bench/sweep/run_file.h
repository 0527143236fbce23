// Files of rows in Google Benchmark's JSON, with the machine card as their context: its compare.py
// shows two of them beside each other.
#ifndef TROMMEL_BENCH_SWEEP_RUN_FILE_H_
#define TROMMEL_BENCH_SWEEP_RUN_FILE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "trommel/result.h"

namespace trommel::bench {

// The counter of a row's time.
inline constexpr const char* kNsPerKey = "ns_per_key";

// One entry of a file, as Google Benchmark writes them: a repetition or an aggregate of
// repetitions.
struct RunRecord {
  std::string name;                    // the row's; an aggregate's ends in "_median" or the like
  std::string run_name;                // the row's
  std::string run_type = "iteration";  // or "aggregate"
  std::string aggregate_name;          // "mean", "median", "stddev", "cv"
  std::string aggregate_unit;          // "time" or "percentage"
  int64_t repetitions = 1;
  int64_t repetition_index = 0;
  uint32_t threads = 1;
  int64_t iterations = 1;
  double real_time = 0;  // in time_unit, per iteration
  double cpu_time = 0;
  std::string time_unit = "ns";
  std::string label;
  std::vector<std::pair<std::string, double>> counters;  // items_per_second among them

  double Counter(const std::string& counter_name, double otherwise) const {
    for (const auto& [name_of, value] : counters) {
      if (name_of == counter_name) return value;
    }
    return otherwise;
  }
};

// The text of such a file, with a newline at its end.
std::string RunFileText(const MachineCard& card, const std::vector<RunRecord>& records);

// A file that appears whole or not at all. Created before measuring, so that a path that cannot be
// written fails early.
class RunFileWriter {
 public:
  static Result<RunFileWriter> Create(const std::filesystem::path& path);  // fails with kIo
  RunFileWriter(RunFileWriter&&) noexcept;
  ~RunFileWriter();  // without Write no file appears

  Status Write(std::string_view text);  // once; fails with kIo

 private:
  struct Impl;
  explicit RunFileWriter(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_RUN_FILE_H_
