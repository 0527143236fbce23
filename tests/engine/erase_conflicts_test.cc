// Which erasures of a batch could get in each other's way.
#include "engine/src/scalable/erase_conflicts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {
namespace {

std::vector<bool> ConflictsOf(const ScalableFilter& filter, const std::vector<uint64_t>& digests) {
  std::array<bool, kMaxConflictKeys> conflicts{};
  MarkEraseConflicts(filter, digests, std::span(conflicts).first(digests.size()));
  const auto end = conflicts.begin() + static_cast<std::ptrdiff_t>(digests.size());
  return std::vector<bool>(conflicts.begin(), end);
}

ScalableFilter FilterOfDigests(const std::vector<uint64_t>& digests, uint64_t capacity = 100) {
  ScalableFilter filter = std::move(ScalableFilter::Create({.first_capacity = capacity,
                                                            .target_fpr = 0.01,
                                                            .mode = GrowthMode::kGenerations,
                                                            .digest = {DigestKind::kCaller}}))
                              .value();
  filter.Insert(Keys::Digests(digests));
  return filter;
}

TEST_CASE("keys conflict where a counter is wanted more often than it counts",
          "[engine][attributes]") {
  // 64 blocks at least: a, b and d share one, c is far. Slices 0 and 1 have different positions.
  const uint64_t a = uint64_t{7} << 58 | 1 << 6 | 1;
  const uint64_t b = uint64_t{7} << 58 | 2 << 6 | 2;
  const uint64_t c = uint64_t{40} << 58 | 3;
  const uint64_t d = uint64_t{7} << 58 | 2 << 6 | 1;  // shown by the bits of a and b
  const ScalableFilter once = FilterOfDigests({a, b, c});
  REQUIRE(once.MayContain(Key::Digest(d)));
  CHECK(ConflictsOf(once, {c, a, b}) == std::vector<bool>(3, false));
  CHECK(ConflictsOf(once, {c, d}) == std::vector<bool>(2, false));
  CHECK(ConflictsOf(once, {}).empty());
  CHECK(ConflictsOf(once, {c, c}) == std::vector<bool>{true, true});
  CHECK(ConflictsOf(once, {c, a, d}) == std::vector<bool>{false, true, true});
  CHECK(ConflictsOf(once, {d, b}) == std::vector<bool>{true, true});
  const ScalableFilter enough = FilterOfDigests({a, a, a, b, b, b, c});
  CHECK(ConflictsOf(enough, {a, b, a, c, a}) == std::vector<bool>(5, false));
  CHECK(ConflictsOf(enough, {a, d, b, b, a}) == std::vector<bool>(5, false));
  // b has enough counts for all that share them.
  CHECK(ConflictsOf(enough, {a, a, b, a, c, d}) ==
        std::vector<bool>{true, true, false, true, false, true});
}

TEST_CASE("a key that its generation loses conflicts with keys of a later one",
          "[engine][attributes]") {
  ScalableFilter filter = std::move(ScalableFilter::Create({.first_capacity = 50,
                                                            .target_fpr = 0.05,
                                                            .mode = GrowthMode::kGenerations,
                                                            .digest = {DigestKind::kCaller},
                                                            .num_slices = 5}))
                              .value();
  const auto insert = [&filter](uint64_t digest) { filter.Insert(Key::Digest(digest)); };
  // All in one block of each generation. The bits of b and c show a, too.
  const uint64_t a = uint64_t{7} << 58;
  const uint64_t b = a | 1 << 12 | 1 << 18 | 1 << 24;
  const uint64_t c = a | 2 << 6 | 2;
  insert(a);
  std::mt19937_64 random(1);
  while (filter.GetStats().generations.size() == 1) insert(random() | uint64_t{1} << 63);
  insert(b);
  insert(c);
  CHECK(ConflictsOf(filter, {a, b, c}) == std::vector<bool>(3, false));
  // The second a is taken from the newer generation, and with it what shows b and c.
  CHECK(ConflictsOf(filter, {b, a, a, c}) == std::vector<bool>(4, true));
  CHECK(filter.Erase(Key::Digest(a)));
  CHECK(filter.Erase(Key::Digest(a)));
  CHECK_FALSE(filter.MayContain(Key::Digest(b)));
}

TEST_CASE("what does not conflict is erased in any order", "[engine][attributes][long]") {
  std::mt19937_64 random(5);
  uint64_t num_free = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<uint64_t> in(400);
    const uint64_t num_values = std::array<uint64_t, 3>{5, 100, 1'000'000}[round % 3];
    for (uint64_t& digest : in) {
      digest = (random() % num_values * 0x9e3779b97f4a7c15) << 32 | random() % 3;
    }
    ScalableFilter filter = FilterOfDigests(in, 50);
    std::vector<uint64_t> given(in.begin(), in.begin() + 60);
    // Some that were never inserted, but are shown.
    for (int i = 0; i < 20'000 && given.size() < 80; ++i) {
      const uint64_t digest = in[static_cast<size_t>(i) % in.size()] >> 32 << 32 | random() % 4096;
      if (filter.MayContain(Key::Digest(digest))) given.push_back(digest);
    }
    std::ranges::shuffle(given, random);
    const std::vector<bool> conflicts = ConflictsOf(filter, given);
    // Those that are marked first, and then backwards: the worst that could happen to the others.
    for (size_t i = 0; i < given.size(); ++i) {
      if (conflicts[i]) filter.Erase(Key::Digest(given[i]));
    }
    for (size_t i = given.size(); i-- > 0;) {
      if (conflicts[i]) continue;
      ++num_free;
      REQUIRE(filter.MayContain(Key::Digest(given[i])));
      REQUIRE(filter.Erase(Key::Digest(given[i])));
    }
  }
  CHECK(num_free > 100);
}

}  // namespace
}  // namespace trommel::tests
