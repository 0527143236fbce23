// Leaps of time.
#include "tools/trommel/input/time_leaps.h"

#include <fmt/core.h>

#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

// In its largest unit, rounded down.
std::string Roughly(uint64_t ticks) {
  const std::string whole = FormatDuration(ticks);
  return whole.substr(0, whole.find(' '));
}

}  // namespace

std::optional<size_t> TimeLeaps::Find(std::span<const uint64_t> times) {
  if (max_leap_ == UINT64_MAX) return std::nullopt;
  for (size_t i = 0; i < times.size(); ++i) {
    if (!clock_) {
      clock_ = times[i];
      is_first_ = true;
    }
    if (times[i] > *clock_) {
      if (times[i] - *clock_ > max_leap_) return i;
      clock_ = times[i];
      is_first_ = false;
    }
    if (is_first_ && *clock_ - times[i] > max_leap_) return i;
  }
  return std::nullopt;
}

std::string TimeLeaps::MessageFor(uint64_t time, std::string_view text) const {
  const bool is_later = time > *clock_;
  const std::string leap = Roughly(is_later ? time - *clock_ : *clock_ - time);
  return fmt::format(
      "the time {} is {} {} {} ({} ms), more than {}: is one of them in another unit "
      "(--time-unit)? --max-leap SPAN allows it, --max-leap any all",
      Quoted(text), leap, is_later ? "past" : "before", is_first_ ? "the first one" : "the clock",
      *clock_, FormatDuration(max_leap_));
}

Status CheckWallClock(const LeapLimit& limit) {
  const uint64_t now = WallClockTicks();
  if (!limit.clock || now <= *limit.clock || now - *limit.clock <= limit.max_leap) return Ok();
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("the wall clock is {} past the window filter's clock ({} ms), more than {}: name "
                  "the column of the keys' times with --time; if they are of now, --max-leap SPAN "
                  "allows it, --max-leap any all",
                  Roughly(now - *limit.clock), *limit.clock, FormatDuration(limit.max_leap))};
}

}  // namespace trommel::tool
