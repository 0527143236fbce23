// What became of keys or rows that were inserted or erased.
#ifndef TROMMEL_TOOLS_APPLIED_H_
#define TROMMEL_TOOLS_APPLIED_H_

#include <cstdint>
#include <string_view>

#include "tools/trommel/output/report.h"
#include "trommel/scalable_filter.h"

namespace trommel::tool {

// What became of a batch.
struct Applied {
  uint64_t num_done = 0;          // inserted or erased
  uint64_t num_refused = 0;       // of an erase: certainly absent; of an insert: see refusal
  uint64_t num_expired = 0;       // of an erase from a window: of a past or future bucket
  uint64_t num_late = 0;          // of an insert into a window: of a time before the current bucket
  std::string_view refusal = {};  // why the filter did not grow for them

  // kNegativeAnswer if anything was refused: a later query answers that it is certainly absent.
  ExitCode CodeOfInsert() const { return num_refused > 0 ? kNegativeAnswer : kDone; }

  Applied& operator+=(const Applied& other);
};

Applied AppliedOf(const InsertOutcome& outcome);
Applied AppliedOf(const EraseOutcome& outcome);

// Adds how many of the keys (or rows, by `noun`) were not inserted, or not at their time.
void DescribeInserted(const Applied& applied, Report& report, std::string_view noun = "key");

// Adds how many were erased and refused. Returns the exit code: with `strict`, of a refusal
// kNegativeAnswer.
ExitCode DescribeErased(const Applied& applied, bool strict, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_APPLIED_H_
