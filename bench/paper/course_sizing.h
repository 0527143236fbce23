// The course text's blocklist: 10^10 addresses at one false positive in 10,000.
#ifndef TROMMEL_BENCH_PAPER_COURSE_SIZING_H_
#define TROMMEL_BENCH_PAPER_COURSE_SIZING_H_

#include "bench/paper/comparison.h"
#include "bench/paper/program.h"

namespace trommel::paper {

Table CourseSizing(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_COURSE_SIZING_H_
