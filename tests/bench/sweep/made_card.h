// A made-up machine for tests that depend on one.
#ifndef TROMMEL_TESTS_BENCH_SWEEP_MADE_CARD_H_
#define TROMMEL_TESTS_BENCH_SWEEP_MADE_CARD_H_

#include <string>
#include <vector>

#include "bench/sweep/machine_card.h"

namespace trommel::bench {

inline MachineCard MadeCard() {
  MachineCard card;
  card.cpu_model = "Abacus 9000";
  card.num_logical_cpus = 6;
  card.num_physical_cpus = 3;
  card.caches = {{"Data", 1, 32 << 10, 2}, {"Unified", 2, 1 << 20, 2}, {"Unified", 3, 32 << 20, 6}};
  card.memory_bytes = uint64_t{16} << 30;
  card.huge_pages = "madvise";
  card.target = "AVX2";
  card.runnable_targets = {"AVX2", "SSE4", "SCALAR"};
  card.compiler = "gcc 12";
  card.version = "0.1.0";
  return card;
}

}  // namespace trommel::bench

#endif  // TROMMEL_TESTS_BENCH_SWEEP_MADE_CARD_H_
