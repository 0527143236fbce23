// Which erasures of a batch could get in each other's way.
#include "engine/src/scalable/erase_conflicts.h"

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

TEST_CASE("keys of one block conflict unless there are copies for all", "[engine][attributes]") {
  const uint64_t a = uint64_t{7} << 58 | 1;  // 64 blocks at least: a and b share one, c is far
  const uint64_t b = uint64_t{7} << 58 | 2;
  const uint64_t c = uint64_t{40} << 58 | 3;
  CHECK(ConflictsOf(FilterOfDigests({a, b, c}), {c, a, b}) == std::vector<bool>{false, true, true});
  CHECK(ConflictsOf(FilterOfDigests({a, b, c}), {c, a}) == std::vector<bool>{false, false});
  CHECK(ConflictsOf(FilterOfDigests({a, b, c}), {}).empty());
  const ScalableFilter enough = FilterOfDigests({a, a, a, b, b, b, c});
  CHECK(ConflictsOf(enough, {a, b, a}) == std::vector<bool>{false, false, false});
  CHECK(ConflictsOf(enough, {a, b, a, c, a}) == std::vector<bool>{true, true, true, false, true});
  CHECK(ConflictsOf(enough, {c, c}) == std::vector<bool>{true, true});
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
