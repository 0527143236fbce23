#include "bench/workload.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "trommel/digest.h"

namespace trommel::bench {
namespace {

struct Unit {
  char letter;
  uint64_t factor;
};
constexpr Unit kUnits[] = {{'G', 1'000'000'000}, {'M', 1'000'000}, {'k', 1'000}};

}  // namespace

Population::Population(uint64_t first_index, size_t num_keys)
    : keys_(num_keys), digests_(num_keys) {
  for (size_t i = 0; i < num_keys; ++i) keys_[i] = KeyAt(first_index + i);
  DigestPolicy{}.Digests(keys_, digests_);
}

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

}  // namespace trommel::bench
