// Numbers as people write them. Counts are parsed in exact decimal arithmetic: "0.3k" is 300, never
// 299.
#include "tools/trommel/output/number_text.h"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <cstdlib>

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
  const char* const ending = count == 1 ? "" : noun.ends_with("sh") ? "es" : "s";
  return fmt::format("{} {}{}", FormatCount(count), noun, ending);
}

std::string FormatBytes(uint64_t bytes) {
  constexpr std::array<const char*, 6> kNames = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double scaled = static_cast<double>(bytes) / 1000;
  size_t name_idx = 0;
  // 999.5 would print as 1000: the next unit says it in three digits.
  while (scaled >= 999.5 && name_idx + 1 < kNames.size()) {
    scaled /= 1000;
    ++name_idx;
  }
  const int decimals = scaled >= 99.95 ? 0 : (scaled >= 9.995 ? 1 : 2);
  return fmt::format("{:.{}f} {}", scaled, decimals, kNames[name_idx]);
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

}  // namespace trommel::tool
