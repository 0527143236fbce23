// One entry of a file of benchmarks, as Google Benchmark writes them: a repetition, or what its
// repetitions were summed up to.
#ifndef TROMMEL_BENCH_SWEEP_RUN_RECORD_H_
#define TROMMEL_BENCH_SWEEP_RUN_RECORD_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trommel::bench {

// The counter of a row's time: what a sweep writes and a comparison reads.
inline constexpr const char* kNsPerKey = "ns_per_key";

struct RunRecord {
  std::string name;                    // the row's; an aggregate's has "_median" or so at its end
  std::string run_name;                // the row's
  std::string run_type = "iteration";  // or "aggregate"
  std::string aggregate_name;          // "mean", "median", "stddev", "cv"
  std::string aggregate_unit;          // "time" or "percentage"
  int64_t repetitions = 1;
  int64_t repetition_index = 0;
  uint32_t threads = 1;
  int64_t iterations = 1;
  double real_time = 0;  // in time_unit, an iteration
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

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_RUN_RECORD_H_
