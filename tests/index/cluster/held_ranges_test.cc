// CutRanges: each key of a request is in one part, and in the right one.
#include "engine/index/src/rocks/held_ranges.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/catch.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

// Ascending ranges between some of the letters, the last perhaps without an end.
std::vector<KeyRange> RandomRanges(std::mt19937_64& random) {
  std::set<std::string> cuts;
  for (size_t i = random() % 8; i > 0; --i) {
    cuts.insert(std::string(1, static_cast<char>('a' + random() % 12)));
  }
  if (random() % 3 == 0) cuts.insert("");
  const std::vector<std::string> all(cuts.begin(), cuts.end());
  std::vector<KeyRange> ranges;
  for (size_t i = 0; i + 1 < all.size(); i += 1 + random() % 2) {
    ranges.push_back({.begin = all[i], .end = all[i + 1]});
  }
  if (!all.empty() && random() % 3 == 0 && (ranges.empty() || ranges.back().end <= all.back())) {
    ranges.push_back({.begin = all.back(), .end = ""});
  }
  return ranges;
}

long NumWith(const std::vector<KeyRange>& ranges, const std::string& key) {
  return std::ranges::count_if(ranges, [&](const KeyRange& range) { return range.Contains(key); });
}

TEST_CASE("each key of the ranges asked for is once among what is held or what is not") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5'000; ++i) {
    const std::vector<KeyRange> asked = RandomRanges(random);
    const std::vector<KeyRange> held = JoinRanges(RandomRanges(random));
    const RangeParts parts = CutRanges(asked, held);
    for (char c = 'A'; c <= 'z'; ++c) {
      for (const std::string& key : {std::string(1, c), std::string(1, c) + "x"}) {
        const bool is_asked = NumWith(asked, key) == 1;
        const bool is_held = NumWith(held, key) == 1;
        REQUIRE(NumWith(parts.held, key) == (is_asked && is_held ? 1 : 0));
        REQUIRE(NumWith(parts.not_held, key) == (is_asked && !is_held ? 1 : 0));
      }
    }
  }
}

TEST_CASE("ranges that touch are joined") {
  CHECK(JoinRanges({{"d", "f"}, {"a", "b"}, {"b", "d"}, {"g", ""}}) ==
        std::vector<KeyRange>{{"a", "f"}, {"g", ""}});
  CHECK(JoinRanges({}).empty());
}

}  // namespace
}  // namespace trommel::index
