// What became of keys or rows that were inserted or erased.
#ifndef TROMMEL_TOOLS_APPLIED_H_
#define TROMMEL_TOOLS_APPLIED_H_

#include <cstdint>
#include <string_view>

#include "tools/trommel/exit_codes.h"
#include "tools/trommel/report.h"
#include "trommel/scalable_filter.h"

namespace trommel::tool {

// What became of a batch.
struct Applied {
  uint64_t num_done = 0;          // inserted or erased
  uint64_t num_refused = 0;       // erased: certainly absent; inserted: no room (see refusal)
  uint64_t num_expired = 0;       // erased from a window: their bucket has gone, or is yet to come
  uint64_t num_late = 0;          // inserted into a window with a time before the present
  std::string_view refusal = {};  // why there was no room

  // kNegativeAnswer if anything had no room: who asks later is told that it is certainly absent.
  ExitCode CodeOfInsert() const { return num_refused > 0 ? kNegativeAnswer : kDone; }

  Applied& operator+=(const Applied& other);
};

Applied AppliedOf(const InsertOutcome& outcome);

// Adds what became of inserted keys, or what else they are called, where that is not simply all of
// them.
void DescribeInserted(const Applied& applied, Report& report, std::string_view noun = "key");

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_APPLIED_H_
