// What became of keys or rows.
#include "tools/trommel/applied.h"

#include <fmt/format.h>

#include "tools/trommel/number_text.h"

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

void DescribeInserted(const Applied& applied, Report& report, std::string_view noun) {
  if (applied.num_refused > 0) {
    report.Add("num_refused_inserts", applied.num_refused, "no room",
               fmt::format("{} not inserted: {}", FormatCount(applied.num_refused, noun),
                           applied.refusal));
  }
  if (applied.num_late > 0) {
    report.Add("num_late", applied.num_late, "late",
               fmt::format("{} came after the time had moved on: counted as of then",
                           FormatCount(applied.num_late, "key")));
  }
}

}  // namespace trommel::tool
