#include "bench/text/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <utility>

namespace trommel::bench {
namespace {

struct Unit {
  char letter;
  uint64_t factor;
};
constexpr Unit kUnits[] = {{'G', 1'000'000'000}, {'M', 1'000'000}, {'k', 1'000}};

}  // namespace

std::optional<uint64_t> ParseCount(std::string_view text) {
  uint64_t factor = 1;
  for (const Unit& unit : kUnits) {
    if (!text.empty() && text.back() == unit.letter) {
      factor = unit.factor;
      text.remove_suffix(1);
      break;
    }
  }
  uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count == 0) return std::nullopt;
  if (count > std::numeric_limits<uint64_t>::max() / factor) return std::nullopt;
  return count * factor;
}

std::optional<std::vector<uint64_t>> ParseCounts(std::string_view list, uint64_t least) {
  std::vector<uint64_t> counts;
  for (size_t first = 0; first <= list.size();) {
    const size_t comma = std::min(list.find(',', first), list.size());
    const std::optional<uint64_t> count = ParseCount(list.substr(first, comma - first));
    if (!count || *count < least) return std::nullopt;
    counts.push_back(*count);
    first = comma + 1;
  }
  return counts;
}

std::string CountName(uint64_t count) {
  for (const Unit& unit : kUnits) {
    if (count != 0 && count % unit.factor == 0) {
      return std::to_string(count / unit.factor) + unit.letter;
    }
  }
  return std::to_string(count);
}

Argument CountArgument(std::string_view name, uint64_t& count, uint64_t most) {
  return {name, [&count, most](std::string_view value) {
            const std::optional<uint64_t> read = ParseCount(value);
            if (!read || *read > most) return false;
            count = *read;
            return true;
          }};
}

Argument CountsArgument(std::string_view name, std::vector<uint64_t>& counts, uint64_t least) {
  return {name, [&counts, least](std::string_view value) {
            std::optional<std::vector<uint64_t>> read = ParseCounts(value, least);
            if (!read) return false;
            counts = *std::move(read);
            return true;
          }};
}

Argument TextArgument(std::string_view name, std::string& text) {
  return {name, [&text](std::string_view value) {
            text = value;
            return !value.empty();
          }};
}

Argument WordArgument(std::string_view name, std::vector<std::string_view> words, size_t& index) {
  return {name, [words = std::move(words), &index](std::string_view value) {
            const auto found = std::ranges::find(words, value);
            if (found == words.end()) return false;
            index = static_cast<size_t>(found - words.begin());
            return true;
          }};
}

Argument FlagArgument(std::string_view name, bool& flag) {
  return {name, [&flag](std::string_view value) { return flag = value.empty(); }};
}

bool TakeArguments(std::span<const char* const> arguments, std::span<const Argument> known) {
  return std::ranges::all_of(arguments, [known](std::string_view argument) {
    const size_t equals = std::min(argument.find('='), argument.size());
    const auto found = std::ranges::find(known, argument.substr(0, equals), &Argument::name);
    return found != known.end() &&
           found->read(argument.substr(std::min(equals + 1, argument.size())));
  });
}

bool ReadArguments(int argc, const char* const* argv, std::initializer_list<Argument> known,
                   const char* usage) {
  const std::span<const char* const> arguments(argv, static_cast<size_t>(argc));
  if (TakeArguments(arguments.subspan(1), {known.begin(), known.size()})) return true;
  std::fputs(usage, stderr);
  return false;
}

}  // namespace trommel::bench
