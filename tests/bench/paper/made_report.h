// A small report whose every verdict is known, for tests of what writes reports.
#ifndef TROMMEL_TESTS_BENCH_PAPER_MADE_REPORT_H_
#define TROMMEL_TESTS_BENCH_PAPER_MADE_REPORT_H_

#include "bench/paper/comparison.h"

namespace trommel::paper {

inline Report MadeReport() {
  Row slip{.what = "overflow & <tail>", .paper = 1.5e-23, .formula = 1.36e-16, .exact = 7.07e-17};
  slip.measured = 3e-9;
  slip.measured_at_most = true;
  slip.note = "a note";
  Row count{.what = "bits", .unit = Unit::kCount, .paper = 131571428572.0};
  count.formula = 191701167547.0;
  Row change{.what = "space", .unit = Unit::kChange, .paper = -0.15, .measured = 0.001};
  change.given = JudgeClaim(-0.15, 0.001, 0.05);
  Row model{.what = "rate", .unit = Unit::kShare, .exact = 0.01, .measured = 0.0101};
  model.allowed = Range{0.009, 0.011};
  return {.name = "made",
          .source = "nobody",
          .tables = {{.title = "first", .text = "A text.", .rows = {slip, count}},
                     {.title = "second", .rows = {change, model}, .axis = Axis::kLinear}}};
}

}  // namespace trommel::paper

#endif  // TROMMEL_TESTS_BENCH_PAPER_MADE_REPORT_H_
