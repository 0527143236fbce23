// Two or more ways to do the same, timed next to each other, round by round.
#ifndef TROMMEL_BENCH_PAPER_PAIRED_TIME_H_
#define TROMMEL_BENCH_PAPER_PAIRED_TIME_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/cpu_clock.h"
#include "bench/ratio_table.h"

namespace trommel::paper {

struct PairedTime {
  double ns_first = 0;  // a key, median over rounds
  double ns_second = 0;
  bench::Ratio change{};  // second / first, of each round
};

// Each function handles num_keys keys. A first round does not count.
template <class First, class Second>
PairedTime TimePaired(uint64_t num_keys, uint32_t num_rounds, const First& first,
                      const Second& second) {
  bench::Figures times[2];
  const auto time = [&](const auto& run) {
    const double start = bench::CpuSeconds();
    run();
    return 1e9 * (bench::CpuSeconds() - start) / static_cast<double>(num_keys);
  };
  for (uint32_t round = 0; round <= num_rounds; ++round) {
    const double ns[2] = {time(first), time(second)};
    for (int side = 0; side < 2 && round > 0; ++side) times[side].push_back(ns[side]);
  }
  return {bench::Median(times[0]), bench::Median(times[1]), bench::PairedRatio(times[1], times[0])};
}

// The same for any number of ways: [way] is its ns a key in each round. Rounds begin with each in
// turn.
inline std::vector<bench::Figures> TimeInTurns(std::span<const std::function<void()>> ways,
                                               uint64_t num_keys, uint32_t num_rounds) {
  std::vector<bench::Figures> times(ways.size());
  for (size_t round = 0; round <= num_rounds; ++round) {
    for (size_t i = 0; i < ways.size(); ++i) {
      const size_t way = (i + round) % ways.size();
      const double start = bench::CpuSeconds();
      ways[way]();
      const double ns = 1e9 * (bench::CpuSeconds() - start) / static_cast<double>(num_keys);
      if (round > 0) times[way].push_back(ns);
    }
  }
  return times;
}

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_PAIRED_TIME_H_
