// What must hold of every reproduction, run small: nothing contradicts its model, and the verdicts
// are those expected.
#ifndef TROMMEL_TESTS_BENCH_PAPER_REPORT_CHECKS_H_
#define TROMMEL_TESTS_BENCH_PAPER_REPORT_CHECKS_H_

#include <string>
#include <string_view>

#include "bench/paper/comparison.h"
#include "support/catch.h"

namespace trommel::paper {

// The one row whose name begins so, in the table whose title begins so.
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

inline void CheckNothingContradicts(const Report& report) {
  for (const Table& table : report.tables) {
    CHECK_FALSE(table.rows.empty());
    for (const Row& row : table.rows) {
      INFO(table.title << " / " << row.what << ": exact " << row.exact.value_or(-1) << ", measured "
                       << row.measured.value_or(-1));
      CHECK(Judge(row) != Verdict::kContradicted);
    }
  }
}

}  // namespace trommel::paper

#endif  // TROMMEL_TESTS_BENCH_PAPER_REPORT_CHECKS_H_
