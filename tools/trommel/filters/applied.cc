// What became of keys or rows.
#include "tools/trommel/filters/applied.h"

#include <fmt/core.h>

#include <bit>

#include "tools/trommel/output/number_text.h"

namespace trommel::tool {

Applied& Applied::operator+=(const Applied& other) {
  if (!first_refused && other.first_refused) first_refused = num_keys() + *other.first_refused;
  num_done += other.num_done;
  num_refused += other.num_refused;
  num_expired += other.num_expired;
  num_late += other.num_late;
  num_ahead += other.num_ahead;
  late_are_current = late_are_current || other.late_are_current;
  if (refusal.empty()) refusal = other.refusal;
  return *this;
}

Applied AppliedOf(const InsertOutcome& outcome) {
  Applied applied = {.num_done = outcome.num_inserted, .num_refused = outcome.num_refused};
  if (outcome.num_refused > 0) applied.refusal = GrowthRefusalText(outcome.refusal);
  return applied;
}

Applied AppliedOf(const EraseOutcome& outcome, std::span<const uint64_t> erased) {
  Applied applied = {.num_done = outcome.num_erased,
                     .num_refused = outcome.num_refused,
                     .num_expired = outcome.num_expired};
  if (outcome.num_refused > 0) {
    size_t word = 0;
    while (erased[word] == ~uint64_t{0}) ++word;
    applied.first_refused = word * 64 + static_cast<size_t>(std::countr_one(erased[word]));
  }
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
               fmt::format("{} came after their bucket: inserted into {}",
                           FormatCount(applied.num_late, "key"),
                           applied.late_are_current ? "the current one" : "their own"));
  }
  if (applied.num_expired > 0) {
    report.Add("num_expired", applied.num_expired, "expired",
               fmt::format("{} came when their bucket had left the window: not inserted",
                           FormatCount(applied.num_expired, "key")));
  }
}

ExitCode DescribeErased(const Applied& applied, Report& report) {
  report.Add("num_erased", applied.num_done, "erased", FormatCount(applied.num_done));
  report.Add("num_refused", applied.num_refused, "refused",
             FormatCount(applied.num_refused) + " (certainly absent: nothing changed for them)");
  if (applied.num_expired > 0) {
    report.Add("num_expired", applied.num_expired, "expired",
               FormatCount(applied.num_expired) + " (of no live bucket: nothing changed for them)");
  }
  if (applied.num_expired > 0 && applied.num_expired == applied.num_keys()) {
    const bool is_one = applied.num_expired == 1;
    WriteToStderr(
        fmt::format("trommel: warning: nothing was erased, because {} expired: {} in another unit "
                    "(--time-unit)?\n",
                    is_one ? "the key has"
                           : fmt::format("all {} have", FormatCount(applied.num_expired, "key")),
                    is_one ? "is its time" : "are their times"));
  }
  return kDone;
}

namespace {

// Why keys may be absent.
std::string HintOn(const Applied& applied) {
  if (applied.num_ahead > 0) {
    return fmt::format(
        "{} of them {} a time past the window filter's clock, perhaps in another unit "
        "(--time-unit)",
        FormatCount(applied.num_ahead), applied.num_ahead == 1 ? "has" : "have");
  }
  return "A list that was erased before need not be erased again";
}

}  // namespace

int FailErase(const Applied& applied, std::string_view first, std::string_view noun) {
  const bool is_one = applied.num_refused == 1;
  std::string message = fmt::format(
      "nothing was erased: {} of {} {} certainly absent, or given more often than {} in; the first "
      "is {}. {}",
      FormatCount(applied.num_refused), FormatCount(applied.num_keys(), noun),
      is_one ? "is" : "are", is_one ? "it is" : "they are", first, HintOn(applied));
  if (applied.num_done > 0) {
    message += fmt::format(
        "; --partial erases the other {} all the same, which takes counts from other {}s if they "
        "are not in",
        FormatCount(applied.num_done), noun);
  }
  return Fail(kBadInput, message);
}

}  // namespace trommel::tool
