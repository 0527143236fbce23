// Files of rows in Google Benchmark's JSON, with the machine card as their context: its compare.py
// shows two of them beside each other.
#ifndef TROMMEL_BENCH_SWEEP_RUN_FILE_H_
#define TROMMEL_BENCH_SWEEP_RUN_FILE_H_

#include <string>

#include "bench/sweep/machine_card.h"

namespace trommel::bench {

// The text of such a file, with a newline at its end. `entries` are SweepResult's.
std::string RunFileText(const MachineCard& card, const std::string& entries);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_RUN_FILE_H_
