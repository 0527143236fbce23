// A report as one self-contained picture: a strip a row, on it a mark for each figure, and the
// verdict beside it.
#ifndef TROMMEL_BENCH_PAPER_REPORT_SVG_H_
#define TROMMEL_BENCH_PAPER_REPORT_SVG_H_

#include <string>

#include "bench/paper/comparison.h"

namespace trommel::paper {

std::string ReportSvg(const Report& report);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_REPORT_SVG_H_
