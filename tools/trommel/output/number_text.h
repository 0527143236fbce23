// Numbers as people write them: "10M" keys, "1.5GiB", "0.1 %"; times and durations; and back.
#ifndef TROMMEL_TOOLS_NUMBER_TEXT_H_
#define TROMMEL_TOOLS_NUMBER_TEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trommel/result.h"

namespace trommel::tool {

// A whole number: digits, perhaps a fraction, an exponent, and one of k M G T (powers of 1000) or
// Ki Mi Gi Ti (powers of 1024). "1.5M" is 1500000, "1e6" a million. Fails with kInvalidArgument for
// anything else, for what is not whole ("1.2345k") and for what does not fit 64 bits.
Result<uint64_t> ParseCount(std::string_view text);

// The same with an optional B at the end: "64MiB", "2GB", "4096".
Result<uint64_t> ParseBytes(std::string_view text);

// A rate between 0 and 1 (both excluded): "0.01", "1e-3", "1%". Fails with kInvalidArgument for
// anything else.
Result<double> ParseRate(std::string_view text);

std::string FormatCount(uint64_t count);  // "1,234,567"
std::string FormatCount(uint64_t count,
                        std::string_view noun);  // "1 block", "2,000 blocks", "5 hashes"
// Three digits and one of the units, each 1000 times the one before: "1.58 MB".
std::string FormatScaled(double number, std::span<const char* const> units);
std::string FormatBytes(uint64_t bytes);  // "999 B", "1.58 MB": powers of 1000, three digits
// "4.80 kB, 19.2 bits per key", or the bytes alone where there are no keys (or rows, by `noun`).
std::string FormatBytesPer(uint64_t bytes, uint64_t count, std::string_view noun);
std::string FormatRate(double rate);  // "0.972 %", "1.00 %", "1.20e-06"
// The same, in the notation that both rates of one line can be compared in.
std::string FormatRate(double rate, double beside);

// Times and durations as people and logs write them. The command's tick is a millisecond.

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

#endif  // TROMMEL_TOOLS_NUMBER_TEXT_H_
