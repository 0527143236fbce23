// A sweep as one HTML file.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_REPORT_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_REPORT_H_

#include <string>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "bench/sweep/sweep.h"

namespace trommel::bench {

// What a buyer asks: how fast is this CPU by operation and working set, how far from what its
// memory allows, what do instruction sets, threads and batches change, and what to choose here. A
// part for which nothing was measured is left out. `command` is what the reader would type.
std::string SweepHtml(const MachineCard& card, const std::vector<SweepFigure>& figures,
                      const std::string& command);

// The sweep in one line that people can send: version, CPU, instruction set, and what each
// operation takes at the base size, beside the textbook's filter. Empty if none of them was
// measured.
std::string SweepLine(const MachineCard& card, const std::vector<SweepFigure>& figures);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_REPORT_H_
