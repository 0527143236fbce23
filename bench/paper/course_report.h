// The course text on HBase's Bloom filters: its arithmetic, its sizing of a blocklist of 10^10
// addresses, its hashes made from one hash, its 100 machines, and its two examples of store files.
#ifndef TROMMEL_BENCH_PAPER_COURSE_REPORT_H_
#define TROMMEL_BENCH_PAPER_COURSE_REPORT_H_

#include "bench/paper/program.h"

namespace trommel::paper {

Report CourseReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_COURSE_REPORT_H_
