// Files of benchmarks in Google Benchmark's JSON, ours with the machine card as their context, and
// those of any program that uses Google Benchmark; and two such files compared row by row.
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

// The counter of a row's time: a sweep writes it and a comparison reads it.
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

struct RunFile {
  // The context, flattened: ("caches/0/size", "49152"), in the file's order.
  std::vector<std::pair<std::string, std::string>> context;
  std::vector<RunRecord> records;
};

// The text of such a file, with a newline at its end.
std::string RunFileText(const MachineCard& card, const std::vector<RunRecord>& records);

// Fails with kIo for a file that cannot be read, and with kCorrupt, naming file and place, for one
// that is not JSON or not a file of benchmarks. Entries that Google Benchmark marked as failed are
// left out.
Result<RunFile> ReadRunFile(const std::filesystem::path& path);

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

struct TimeRange {
  double median = 0, min = 0, max = 0;
};

struct ComparedRow {
  std::string name;
  // ns: per key where both files say that, else per iteration. Over the repetitions; where a file
  // has only aggregates, three times its median (or mean).
  TimeRange a, b;
  // b / a: of the medians, and the least and greatest that their repetitions allow.
  TimeRange ratio;
};

struct CardDifference {
  std::string field, a, b;  // empty: this file does not have it
};

struct Comparison {
  std::vector<ComparedRow> rows;  // in a's order
  std::vector<std::string> only_a, only_b;
  std::vector<CardDifference> card;
};

// Fails with kMismatch when no row is in both.
Result<Comparison> Compare(const RunFile& a, const RunFile& b);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_RUN_FILE_H_
