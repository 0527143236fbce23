// Times and durations as people and logs write them. The command's tick is a millisecond.
#ifndef TROMMEL_TOOLS_TIME_TEXT_H_
#define TROMMEL_TOOLS_TIME_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trommel/result.h"

namespace trommel::tool {

// What a plain number counts.
enum class TimeUnit : uint8_t { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };

std::optional<TimeUnit> TimeUnitFromName(std::string_view name) noexcept;  // s, ms, us, ns

// Ticks of a duration: a number, perhaps with a fraction, and one of ms s m h d w; "90s", "10m",
// "1.5h". Fails with kInvalidArgument for anything else, for less than a tick and for what does not
// fit 64 bits.
Result<uint64_t> ParseDuration(std::string_view text);

// Ticks since whenever the log counts from: a number of units, perhaps with a fraction, which is
// cut to the tick; or ISO 8601 from 1970 on, as "2018-05-11T12:31:06-04:00" (seconds, fraction and
// zone may be missing, a space may stand for the T; without a zone it is UTC). Fails with
// kInvalidArgument, without context.
Result<uint64_t> ParseTime(std::string_view text, TimeUnit unit);

// Ticks since 1970 by the system's clock.
uint64_t WallClockTicks();

std::string FormatDuration(uint64_t ticks);  // "10m", "1h 30m", "250ms": all of it

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_TIME_TEXT_H_
