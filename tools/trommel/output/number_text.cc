// Numbers as people write them. Counts are parsed in exact decimal arithmetic: "0.3k" is 300, never
// 299.
#include "tools/trommel/output/number_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>

#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

struct Unit {
  std::string_view suffix;
  int power_of_ten;
  int power_of_two;
};

constexpr std::array<Unit, 11> kUnits = {{{"", 0, 0},
                                          {"k", 3, 0},
                                          {"K", 3, 0},
                                          {"M", 6, 0},
                                          {"G", 9, 0},
                                          {"T", 12, 0},
                                          {"Ki", 0, 10},
                                          {"ki", 0, 10},
                                          {"Mi", 0, 20},
                                          {"Gi", 0, 30},
                                          {"Ti", 0, 40}}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Error NotACount(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("'{}' {} (examples: 250000, 10M, 1.5G, 1e6, 64Ki)", text, why)};
}

// Takes a run of digits off the front of `rest` and appends them to `mantissa`. False on overflow.
bool TakeDigits(std::string_view& rest, uint64_t& mantissa, int& num_digits) {
  num_digits = 0;
  for (; !rest.empty() && IsDigit(rest[0]); rest.remove_prefix(1), ++num_digits) {
    if (__builtin_mul_overflow(mantissa, uint64_t{10}, &mantissa)) return false;
    if (__builtin_add_overflow(mantissa, static_cast<uint64_t>(rest[0] - '0'), &mantissa)) {
      return false;
    }
  }
  return true;
}

Result<uint64_t> ParseWithUnits(std::string_view text, bool allow_b) {
  const Error too_large = NotACount(text, "does not fit 64 bits");
  const Error malformed = NotACount(text, "is not a number");
  std::string_view rest = text;
  uint64_t value = 0;
  int num_whole = 0;
  int num_fraction = 0;
  if (!TakeDigits(rest, value, num_whole)) return too_large;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    if (!TakeDigits(rest, value, num_fraction)) return too_large;
  }
  if (num_whole + num_fraction == 0) return malformed;
  int power_of_ten = -num_fraction;
  if (rest.size() > 1 && (rest[0] == 'e' || rest[0] == 'E') && IsDigit(rest[1])) {
    rest.remove_prefix(1);
    uint64_t exponent = 0;
    int num_exponent = 0;
    if (!TakeDigits(rest, exponent, num_exponent) || exponent > 20) return too_large;
    power_of_ten += static_cast<int>(exponent);
  }
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  if (allow_b && !rest.empty() && rest.back() == 'B') rest.remove_suffix(1);
  const Unit* unit = nullptr;
  for (const Unit& candidate : kUnits) {
    if (candidate.suffix == rest) unit = &candidate;
  }
  if (unit == nullptr) return malformed;
  power_of_ten += unit->power_of_ten;

  if (__builtin_mul_overflow(value, uint64_t{1} << unit->power_of_two, &value)) return too_large;
  for (; power_of_ten > 0; --power_of_ten) {
    if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return too_large;
  }
  for (; power_of_ten < 0; ++power_of_ten) {
    if (value % 10 != 0) return NotACount(text, "is not a whole number");
    value /= 10;
  }
  return value;
}

}  // namespace

Result<uint64_t> ParseCount(std::string_view text) { return ParseWithUnits(text, false); }

Result<uint64_t> ParseBytes(std::string_view text) { return ParseWithUnits(text, true); }

Result<double> ParseRate(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  double rate = std::strtod(copy.c_str(), &end);
  const bool starts_well = !copy.empty() && (IsDigit(copy[0]) || copy[0] == '.');
  std::string_view rest = std::string_view(copy).substr(static_cast<size_t>(end - copy.c_str()));
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  if (rest == "%") {
    rate /= 100;
    rest = {};
  }
  if (!starts_well || !rest.empty() || !(rate > 0 && rate < 1)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' is not a rate between 0 and 1 (examples: 0.01, 1e-3, 1%)", text)};
  }
  return rate;
}

std::string FormatCount(uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string FormatCount(uint64_t count, std::string_view noun) {
  if (count != 1 && noun.ends_with("ry")) {  // "query"
    return fmt::format("{} {}ies", FormatCount(count), noun.substr(0, noun.size() - 1));
  }
  const char* const ending = count == 1 ? "" : noun.ends_with("sh") ? "es" : "s";
  return fmt::format("{} {}{}", FormatCount(count), noun, ending);
}

std::string FormatScaled(double number, std::span<const char* const> units) {
  // 999.5 would print as 1000: the next unit says it in three digits.
  for (; number >= 999.5 && units.size() > 1; units = units.subspan(1)) number /= 1000;
  const int decimals = number >= 99.95 ? 0 : (number >= 9.995 ? 1 : 2);
  return fmt::format("{:.{}f}{}", number, decimals, units.front());
}

std::string FormatBytes(uint64_t bytes) {
  constexpr std::array<const char*, 6> kNames = {" kB", " MB", " GB", " TB", " PB", " EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  return FormatScaled(static_cast<double>(bytes) / 1000, kNames);
}

std::string FormatBytesPer(uint64_t bytes, uint64_t count, std::string_view noun) {
  if (count == 0) return FormatBytes(bytes);
  const double bits = static_cast<double>(bytes) * 8 / static_cast<double>(count);
  return fmt::format(
      "{}, {} bits per {}", FormatBytes(bytes),
      bits < 9999.95 ? fmt::format("{:.1f}", bits) : FormatCount(static_cast<uint64_t>(bits + 0.5)),
      noun);
}

std::string FormatRate(double rate) { return FormatRate(rate, rate); }

std::string FormatRate(double rate, double beside) {
  const auto is_tiny = [](double value) { return value > 0 && value < 1e-5; };
  if (rate > 0 && (is_tiny(rate) || is_tiny(beside))) return fmt::format("{:.2e}", rate);
  if (rate == 0 || rate >= 0.9995) return fmt::format("{:.0f} %", rate * 100);
  return fmt::format("{:#.3g} %", rate * 100);
}

namespace {

struct DurationUnit {
  std::string_view suffix;
  uint64_t ticks;
};

// Longest first, as they are printed.
constexpr std::array<DurationUnit, 6> kDurationUnits = {{{"w", 604'800'000},
                                                         {"d", 86'400'000},
                                                         {"h", 3'600'000},
                                                         {"m", 60'000},
                                                         {"s", 1000},
                                                         {"ms", 1}}};

// A number at the front of a text: whole part, and the first nine digits of the fraction.
struct Decimal {
  uint64_t whole = 0;
  uint64_t nanos = 0;
};

// Takes it off `rest`. Nothing if there are no digits or they do not fit.
std::optional<Decimal> TakeDecimal(std::string_view& rest) {
  Decimal decimal;
  int num_digits = 0;
  if (!TakeDigits(rest, decimal.whole, num_digits)) return std::nullopt;
  if (rest.starts_with('.')) {
    uint64_t weight = 100'000'000;
    for (rest.remove_prefix(1); !rest.empty() && IsDigit(rest[0]); ++num_digits, weight /= 10) {
      decimal.nanos += static_cast<uint64_t>(rest[0] - '0') * weight;
      rest.remove_prefix(1);
    }
  }
  if (num_digits == 0) return std::nullopt;
  return decimal;
}

// decimal * ticks / per, cut; nothing if it does not fit.
std::optional<uint64_t> Scale(const Decimal& decimal, uint64_t ticks, uint64_t per) {
  uint64_t whole = 0;
  if (per > 1) {
    // Units shorter than a tick: whole ones are enough.
    return decimal.whole / per;
  }
  // Under 10^9 times the ticks of the longest unit, a day's: that fits by far.
  const uint64_t part = decimal.nanos * ticks / 1'000'000'000;
  if (__builtin_mul_overflow(decimal.whole, ticks, &whole) ||
      __builtin_add_overflow(whole, part, &whole)) {
    return std::nullopt;
  }
  return whole;
}

Error NoTime(std::string_view text) {
  return {ErrorCode::kInvalidArgument, fmt::format("not a time: {}", Quoted(text))};
}

// Takes exactly num_digits digits off `rest`.
std::optional<int> TakeField(std::string_view& rest, size_t num_digits) {
  if (rest.size() < num_digits) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < num_digits; ++i) {
    if (!IsDigit(rest[i])) return std::nullopt;
    value = value * 10 + (rest[i] - '0');
  }
  rest.remove_prefix(num_digits);
  return value;
}

bool Take(std::string_view& rest, char c) {
  if (!rest.starts_with(c)) return false;
  rest.remove_prefix(1);
  return true;
}

// Minutes east of Greenwich: "Z", "+01:00", "-0400" or nothing at all.
std::optional<int> TakeZone(std::string_view& rest) {
  if (rest.empty() || Take(rest, 'Z')) return 0;
  const int sign = rest[0] == '-' ? -1 : 1;
  if (!Take(rest, '+') && !Take(rest, '-')) return std::nullopt;
  const std::optional<int> hours = TakeField(rest, 2);
  Take(rest, ':');
  const std::optional<int> minutes = rest.empty() ? 0 : TakeField(rest, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

std::optional<uint64_t> ParseIso(std::string_view rest) {
  namespace chrono = std::chrono;
  const std::optional<int> year = TakeField(rest, 4);
  if (!year || !Take(rest, '-')) return std::nullopt;
  const std::optional<int> month = TakeField(rest, 2);
  if (!month || !Take(rest, '-')) return std::nullopt;
  const std::optional<int> day = TakeField(rest, 2);
  if (!day || !(Take(rest, 'T') || Take(rest, ' '))) return std::nullopt;
  const std::optional<int> hour = TakeField(rest, 2);
  if (!hour || !Take(rest, ':')) return std::nullopt;
  const std::optional<int> minute = TakeField(rest, 2);
  if (!minute) return std::nullopt;
  Decimal second;
  if (Take(rest, ':')) {
    if (rest.size() < 2 || !IsDigit(rest[1])) return std::nullopt;
    const std::optional<Decimal> taken = TakeDecimal(rest);
    if (!taken) return std::nullopt;
    second = *taken;
  }
  const std::optional<int> zone = TakeZone(rest);
  const chrono::year_month_day date{chrono::year{*year},
                                    chrono::month{static_cast<unsigned>(*month)},
                                    chrono::day{static_cast<unsigned>(*day)}};
  // 60: a leap second, which is the next minute's first.
  if (!zone || !rest.empty() || !date.ok() || *hour > 23 || *minute > 59 || second.whole > 60) {
    return std::nullopt;
  }
  const int64_t minutes = int64_t{chrono::sys_days{date}.time_since_epoch().count()} * 1440 +
                          *hour * 60 + *minute - *zone;
  if (minutes < 0) return std::nullopt;
  return static_cast<uint64_t>(minutes) * 60'000 + second.whole * 1000 + second.nanos / 1'000'000;
}

}  // namespace

std::optional<TimeUnit> TimeUnitFromName(std::string_view name) noexcept {
  if (name == "s") return TimeUnit::kSeconds;
  if (name == "ms") return TimeUnit::kMilliseconds;
  if (name == "us") return TimeUnit::kMicroseconds;
  if (name == "ns") return TimeUnit::kNanoseconds;
  return std::nullopt;
}

Result<uint64_t> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  const std::optional<Decimal> number = TakeDecimal(rest);
  const auto unit = std::ranges::find(kDurationUnits, rest, &DurationUnit::suffix);
  if (number && unit != kDurationUnits.end()) {
    const std::optional<uint64_t> ticks = Scale(*number, unit->ticks, 1);
    if (ticks && *ticks > 0) return *ticks;
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is not a duration of a millisecond or more (examples: 90s, 10m, "
                           "1.5h, 7d, 250ms)",
                           Quoted(text))};
}

Result<uint64_t> ParseTime(std::string_view text, TimeUnit unit) {
  std::string_view rest = text;
  const std::optional<Decimal> number = TakeDecimal(rest);
  if (!number) return NoTime(text);
  if (!rest.empty()) {
    const std::optional<uint64_t> ticks = ParseIso(text);
    if (!ticks) return NoTime(text);
    return *ticks;
  }
  const uint64_t per = unit == TimeUnit::kNanoseconds    ? 1'000'000
                       : unit == TimeUnit::kMicroseconds ? 1000
                                                         : 1;
  const std::optional<uint64_t> ticks = Scale(*number, unit == TimeUnit::kSeconds ? 1000 : 1, per);
  if (!ticks) return NoTime(text);
  return *ticks;
}

uint64_t WallClockTicks() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count());
}

std::string FormatDuration(uint64_t ticks) {
  std::string text;
  for (const DurationUnit& unit : kDurationUnits) {
    if (const uint64_t count = ticks / unit.ticks; count > 0) {
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", count, unit.suffix);
    }
    ticks %= unit.ticks;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace trommel::tool
