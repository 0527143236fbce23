// What became of keys or rows that were inserted or erased.
#ifndef TROMMEL_TOOLS_APPLIED_H_
#define TROMMEL_TOOLS_APPLIED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/trommel/output/report.h"
#include "trommel/scalable_filter.h"

namespace trommel::tool {

// What became of a batch.
struct Applied {
  uint64_t num_done = 0;          // inserted or erased
  uint64_t num_refused = 0;       // of an erase: certainly absent; of an insert: see refusal
  uint64_t num_expired = 0;       // of a window: of no live bucket, so not inserted or erased
  uint64_t num_late = 0;          // of an insert into a window: inserted, of an earlier bucket
  uint64_t num_ahead = 0;         // of num_refused of an erase: of a time past the window's clock
  bool late_are_current = false;  // these entered the current bucket instead of their own
  std::string_view refusal = {};  // why the filter did not grow for them
  std::optional<uint64_t> first_refused = {};  // of an erase: its number, from 0, in num_keys()

  // kNegativeAnswer if anything was refused: a later query answers that it is certainly absent.
  ExitCode CodeOfInsert() const { return num_refused > 0 ? kNegativeAnswer : kDone; }

  // Of an erase: all of the batch.
  uint64_t num_keys() const { return num_done + num_refused + num_expired; }

  // Adds a batch that came after this one.
  Applied& operator+=(const Applied& other);
};

Applied AppliedOf(const InsertOutcome& outcome);
// `erased`: the bits of those that were.
Applied AppliedOf(const EraseOutcome& outcome, std::span<const uint64_t> erased);

// Adds how many of the keys (or rows, by `noun`) were not inserted, or were late.
void DescribeInserted(const Applied& applied, Report& report, std::string_view noun = "key");

// Adds how many were erased and refused, and warns where all had expired. Returns kDone.
ExitCode DescribeErased(const Applied& applied, Report& report);

inline constexpr std::string_view kPartialHelp =
    "Erase the others where some are certainly absent, and count these, instead of changing "
    "nothing";
// Prints that nothing was erased, because some of the keys (or rows, by `noun`) were refused.
// `first` names the first of these. Returns the exit code.
int FailErase(const Applied& applied, std::string_view first, std::string_view noun = "key");

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_APPLIED_H_
