// Arguments of the programs, as --name=value, and counts as people write them.
#ifndef TROMMEL_BENCH_TEXT_ARGUMENTS_H_
#define TROMMEL_BENCH_TEXT_ARGUMENTS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::bench {

// "1000", "30k", "1M" or "2G" (decimal thousands); nothing if it is none of these, or 0.
std::optional<uint64_t> ParseCount(std::string_view text);
// "1M,30M": counts of at least `least`, separated by commas; nothing if one is not such.
std::optional<std::vector<uint64_t>> ParseCounts(std::string_view list, uint64_t least);
// The other direction, for titles: 30000000 is "30M".
std::string CountName(uint64_t count);

// What an argument's value is read into. `read` is given the text after the =, and returns whether
// it is a value; without a = the text is empty.
struct Argument {
  std::string_view name;  // "--keys"
  std::function<bool(std::string_view value)> read;
};

Argument CountArgument(std::string_view name, uint64_t& count, uint64_t most = ~uint64_t{0});
Argument CountsArgument(std::string_view name, std::vector<uint64_t>& counts, uint64_t least);
Argument TextArgument(std::string_view name, std::string& text);  // not empty
// One of these words, as its index in the list.
Argument WordArgument(std::string_view name, std::vector<std::string_view> words, size_t& index);

// Without a value: sets `flag`.
Argument FlagArgument(std::string_view name, bool& flag);

// Reads these arguments. False if one is not known or has no valid value.
bool TakeArguments(std::span<const char* const> arguments, std::span<const Argument> known);

// Reads all arguments after the first, which is the program's name. False, with `usage` printed on
// stderr, if one is not known or has no valid value.
bool ReadArguments(int argc, const char* const* argv, std::initializer_list<Argument> known,
                   const char* usage);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TEXT_ARGUMENTS_H_
