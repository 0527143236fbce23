// What became of keys or rows.
#include "tools/trommel/filters/applied.h"

#include <fmt/core.h>

#include "tools/trommel/output/number_text.h"

namespace trommel::tool {

Applied& Applied::operator+=(const Applied& other) {
  num_done += other.num_done;
  num_refused += other.num_refused;
  num_expired += other.num_expired;
  num_late += other.num_late;
  if (refusal.empty()) refusal = other.refusal;
  return *this;
}

Applied AppliedOf(const InsertOutcome& outcome) {
  Applied applied = {.num_done = outcome.num_inserted, .num_refused = outcome.num_refused};
  if (outcome.num_refused > 0) applied.refusal = GrowthRefusalText(outcome.refusal);
  return applied;
}

Applied AppliedOf(const EraseOutcome& outcome) {
  return {.num_done = outcome.num_erased, .num_refused = outcome.num_refused};
}

void DescribeInserted(const Applied& applied, Report& report, std::string_view noun) {
  if (applied.num_refused > 0) {
    report.Add("num_refused_inserts", applied.num_refused, "no room",
               fmt::format("{} not inserted: {}", FormatCount(applied.num_refused, noun),
                           applied.refusal));
  }
  if (applied.num_late > 0) {
    report.Add("num_late", applied.num_late, "late",
               fmt::format("{} arrived after their bucket: inserted into the current one",
                           FormatCount(applied.num_late, "key")));
  }
}

ExitCode DescribeErased(const Applied& applied, bool strict, Report& report) {
  report.Add("num_erased", applied.num_done, "erased", FormatCount(applied.num_done));
  report.Add("num_refused", applied.num_refused, "refused",
             FormatCount(applied.num_refused) + " (certainly absent: nothing changed for them)");
  if (applied.num_expired > 0) {
    report.Add("num_expired", applied.num_expired, "expired",
               FormatCount(applied.num_expired) + " (of no live bucket: nothing changed for them)");
  }
  return strict && applied.num_refused + applied.num_expired > 0 ? kNegativeAnswer : kDone;
}

}  // namespace trommel::tool
