// What must hold of every reproduction at a small size: nothing contradicts its model, and the
// verdicts are those expected. And a small report whose every verdict is known.
#ifndef TROMMEL_TESTS_BENCH_PAPER_REPORT_CHECKS_H_
#define TROMMEL_TESTS_BENCH_PAPER_REPORT_CHECKS_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "bench/paper/report/report.h"
#include "support/catch.h"

namespace trommel::paper {

// The row whose name begins so, in the table whose title begins so. Requires that there is only
// one.
inline Row RowOf(const Report& report, std::string_view table, std::string_view what) {
  const Row* found = nullptr;
  for (const Table& one : report.tables) {
    if (!one.title.starts_with(table)) continue;
    for (const Row& row : one.rows) {
      if (!row.what.starts_with(what)) continue;
      INFO("two rows: " << what);
      REQUIRE(found == nullptr);
      found = &row;
    }
  }
  INFO(table << " / " << what);
  REQUIRE(found != nullptr);
  return *found;
}

inline std::string VerdictOf(const Report& report, std::string_view table, std::string_view what) {
  return std::string(VerdictName(Judge(RowOf(report, table, what))));
}

// A verdict is one on a figure of the source, by another figure.
inline void CheckComparesTwoFigures(const Row& row) {
  switch (Judge(row)) {
    case Verdict::kAgrees:
    case Verdict::kSlip:
    case Verdict::kWrong:
    case Verdict::kDoesNotReproduce:
    case Verdict::kSoundForm:
      CHECK(row.paper.has_value());
      CHECK((row.formula || row.exact || row.measured));
      break;
    case Verdict::kAsModelled:
      CHECK((row.exact && row.measured));
      break;
    default:
      break;
  }
}

// Also that each verdict compares two figures.
inline void CheckNothingContradicts(const Report& report) {
  for (const Table& table : report.tables) {
    CHECK_FALSE(table.rows.empty());
    for (const Row& row : table.rows) {
      INFO(table.title << " / " << row.what << ": exact " << row.exact.value_or(-1) << ", measured "
                       << row.measured.value_or(-1));
      CHECK(Judge(row) != Verdict::kContradicted);
      CheckComparesTwoFigures(row);
    }
  }
}

// The verdicts of some rows: their tables and they themselves by how they begin.
struct ExpectedVerdict {
  std::string_view table;
  std::string_view what;
  std::string_view verdict;
};

// Nothing contradicts its model, and these are the verdicts.
inline void CheckReproduced(const Report& report,
                            std::initializer_list<ExpectedVerdict> verdicts = {}) {
  CheckNothingContradicts(report);
  for (const ExpectedVerdict& expected : verdicts) {
    INFO(expected.table << " / " << expected.what);
    CHECK(VerdictOf(report, expected.table, expected.what) == expected.verdict);
  }
}

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
          .source = "a source",
          .tables = {{.title = "first", .text = "A text.", .rows = {slip, count}},
                     {.title = "second", .rows = {change, model}, .axis = Axis::kLinear}}};
}

}  // namespace trommel::paper

#endif  // TROMMEL_TESTS_BENCH_PAPER_REPORT_CHECKS_H_
