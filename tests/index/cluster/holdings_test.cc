// Holdings: what a lookup may answer for while ranges come and go, and how requests are cut by it.
#include "engine/index/src/rocks/holdings.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/held_ranges.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

using Ranges = std::vector<KeyRange>;

TEST_CASE("a lookup is told at once what its server does not hold") {
  Holdings holdings("s");
  const Ranges asked = {{"a", "d"}, {"e", ""}};
  CHECK(Holdings::Reading(holdings, asked).Parts()->not_held == asked);
  holdings.Set({{"f", "h"}, {"b", "f"}});
  const Holdings::Reading reading(holdings, asked);
  CHECK(reading.Parts()->held == Ranges{{"b", "d"}, {"e", "h"}});
  CHECK(reading.Parts()->not_held == Ranges{{"a", "b"}, {"h", ""}});
}

TEST_CASE("a lookup fails if its server did not answer at some moment of it") {
  Holdings holdings("s");
  holdings.Set({{"", ""}});
  const Ranges asked = {{"a", "m"}};
  const Holdings::Reading before(holdings, asked);
  holdings.SetAnswering(false);
  const Holdings::Reading between(holdings, asked);
  holdings.SetAnswering(true);
  const Holdings::Reading after(holdings, asked);
  CHECK_FALSE(before.Parts().ok());
  CHECK_FALSE(between.Parts().ok());
  CHECK(after.Parts().ok());
}

TEST_CASE("a lookup that cannot be told what was taken, for want of memory, fails") {
  if (!trommel::tests::AllocationPeak::IsCounted()) return;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; ++n) {
    CAPTURE(n);
    const std::string begin(100, 'a');
    const std::string middle(100, 'c');
    const std::string end(100, 'm');
    Holdings holdings("s");
    holdings.Set({{begin, end}});
    const Ranges asked = {{begin, end}};
    const Holdings::Reading first(holdings, asked);
    const Holdings::Reading second(holdings, asked);
    Ranges ranges = {{begin, middle}};
    {
      const trommel::tests::RefusedAllocation refused(n);
      holdings.Set(std::move(ranges));
      was_refused = refused.was_refused();
    }
    for (const Holdings::Reading* reading : {&first, &second}) {
      const Result<RangeParts> parts = reading->Parts();
      if (!parts) continue;
      CHECK(parts->held == Ranges{{begin, middle}});
      CHECK(parts->not_held == Ranges{{middle, end}});
    }
    CHECK((was_refused || (first.Parts().ok() && second.Parts().ok())));
    CHECK(Holdings::Reading(holdings, asked).Parts()->held == Ranges{{begin, middle}});
  }
}

TEST_CASE("what a lookup answers for is what was held at every moment of it, of random changes") {
  std::mt19937_64 random(18);
  const auto random_ranges = [&random] {
    Ranges ranges;
    for (char c = 'a'; c < 'i'; ++c) {
      if (random() % 2 == 0) continue;
      ranges.push_back({std::string(1, c), std::string(1, static_cast<char>(c + 1))});
    }
    return ranges;
  };
  const auto keys_of = [](const Ranges& ranges) {
    std::set<char> keys;
    for (char c = 'a'; c < 'i'; ++c) {
      for (const KeyRange& range : ranges) {
        if (range.Contains(std::string(1, c))) keys.insert(c);
      }
    }
    return keys;
  };
  for (int i = 0; i < 2'000; ++i) {
    Holdings holdings("s");
    Ranges held = random_ranges();
    holdings.Set(held);
    const Ranges asked = random_ranges();
    const Holdings::Reading reading(holdings, asked);
    std::set<char> expected = keys_of(held);
    for (size_t n = random() % 4; n > 0; --n) {
      held = random_ranges();
      holdings.Set(held);
      std::erase_if(expected, [now = keys_of(held)](char key) { return !now.contains(key); });
    }
    std::set<char> not_held = keys_of(asked);
    std::erase_if(expected, [&not_held](char key) { return !not_held.contains(key); });
    for (const char key : expected) not_held.erase(key);
    const Result<RangeParts> parts = reading.Parts();
    REQUIRE(parts.ok());
    REQUIRE(keys_of(parts->held) == expected);
    REQUIRE(keys_of(parts->not_held) == not_held);
    REQUIRE(std::ranges::is_sorted(parts->not_held, {}, &KeyRange::begin));
  }
}

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
