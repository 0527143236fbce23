// A report as JSON, for programs: every figure as a number, null where there is none.
#ifndef TROMMEL_BENCH_PAPER_REPORT_JSON_H_
#define TROMMEL_BENCH_PAPER_REPORT_JSON_H_

#include <string>

#include "bench/paper/comparison.h"

namespace trommel::paper {

std::string ReportJson(const Report& report);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_REPORT_JSON_H_
