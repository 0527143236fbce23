// The time of a window filter, as its user sees it.
#include "tools/trommel/now_option.h"

#include <fmt/format.h>

#include "tools/trommel/time_text.h"

namespace trommel::tool {

void AddNow(CLI::App& command, NowOption& option) {
  const std::string group = "With a window filter";
  CLI::Option* now =
      command
          .add_option("--now", option.text,
                      "Look at it as of this time, not before the last it knows: a number of "
                      "seconds (see --time-unit) or ISO 8601, as in its --time column")
          ->type_name("TIME")
          ->group(group);
  command.add_option("--time-unit", option.unit, "What a number in --now counts")
      ->type_name("UNIT")
      ->check(CLI::IsMember({"s", "ms", "us", "ns"}))
      ->needs(now)
      ->group(group);
}

Status ApplyNow(const NowOption& option, FamilyFilter& filter) {
  if (option.text.empty()) return Ok();
  const TimeUnit unit = TimeUnitFromName(option.unit).value_or(TimeUnit::kSeconds);
  const Result<uint64_t> now = ParseTime(option.text, unit);
  const Status moved = now.ok() ? filter.Advance(*now) : Status(now.error());
  if (moved.ok()) return Ok();
  return Error{moved.error().code, fmt::format("--now: {}", moved.error().message)};
}

}  // namespace trommel::tool
