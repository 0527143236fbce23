// Three failures that other counting filters have, as tests: a counter that wraps or sticks, a
// duplicate that is lost, and erases of absent keys that quietly destroy the filter.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/layout.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/shapes.h"
#include "support/statistics.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

CountingFilter FreshFilter(uint64_t capacity, std::optional<kernels::Shape> shape = {}) {
  CountingConfig config;
  config.capacity = capacity;
  if (shape) config.num_slices = static_cast<uint32_t>(shape->num_slices);
  if (shape) config.encoding = tests::GeometryOf(*shape, 1).encoding;
  Result<CountingFilter> filter = CountingFilter::Create(config);
  REQUIRE(filter.ok());
  return *std::move(filter);
}

TEST_CASE("one key inserted 16, 300 and a million times is present until its last erase",
          "[engine][failures][long]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const auto num_copies = GENERATE(size_t{16}, size_t{300}, size_t{1'000'000});
  // The many times over for two shapes: they take a while.
  if (num_copies > 300 && shape.num_slices != 5 && shape.num_slices != 10) return;
  tests::ForEachRunnableTarget([&] {
    CountingFilter filter = FreshFilter(1000, shape);
    const std::vector<std::byte> empty = filter.Serialize();
    filter.Insert(std::vector<std::string_view>(num_copies, "hot"));
    REQUIRE(filter.MayContain("hot"));
    REQUIRE(filter.CountEstimate("hot") == num_copies);
    REQUIRE(filter.GetStats().num_promoted == (num_copies > tests::MostCopies(shape) ? 1 : 0));
    // All but the last 400 in batches, the last ones one by one.
    const size_t num_single = std::min<size_t>(num_copies, 400);
    size_t left = num_copies;
    while (left > num_single) {
      const size_t batch = std::min<size_t>(left - num_single, 99'800);
      const std::vector<std::string_view> some(batch, "hot");
      REQUIRE(filter.Erase(some) == EraseOutcome{batch, 0});
      left -= batch;
      REQUIRE(filter.MayContain("hot"));
      REQUIRE(filter.CountEstimate("hot") == left);
    }
    for (; left > 0; --left) {
      REQUIRE(filter.MayContain("hot"));
      REQUIRE(filter.Erase("hot"));
      REQUIRE(filter.CountEstimate("hot") == left - 1);
    }
    CHECK_FALSE(filter.MayContain("hot"));
    CHECK_FALSE(filter.Erase("hot"));
    const Stats stats = filter.GetStats();
    CHECK(stats.num_promoted == 0);  // the block came back from the side table
    CHECK(stats.side_table_bytes == 0);
    CHECK(filter.MeasureFill().fill_ratio == 0);
    CHECK(stats.num_keys == 0);
    CHECK((filter.Serialize() == empty));
  });
}

// Do the two digests share a block and a position in some slice of it?
bool Touch(uint64_t a, uint64_t b, const Geometry& geometry) {
  if (kernels::BlockIndex(a, geometry.num_blocks) != kernels::BlockIndex(b, geometry.num_blocks)) {
    return false;
  }
  for (size_t s = 0; s < geometry.num_slices; ++s) {
    if (kernels::Position(a, s, geometry.num_slices) ==
        kernels::Position(b, s, geometry.num_slices))
      return true;
  }
  return false;
}

TEST_CASE("100000 erases of absent keys hurt only through those that answer maybe",
          "[engine][failures][long]") {
  // So large that the keys wrongly erased (about 1000) do not change the rate they are erased at.
  const size_t capacity = 1'000'000;
  const size_t num_erases = 100'000;
  CountingFilter filter = FreshFilter(capacity);
  const auto members = tests::MemberKeys(capacity, 11);
  const auto non_members = tests::NonMemberKeys(num_erases, 11);
  filter.Insert(members);

  std::vector<uint64_t> maybe(CountingFilter::BitmapWords(num_erases));
  const size_t num_maybe = filter.Query(non_members, maybe);
  std::vector<uint64_t> erased(maybe.size());
  const EraseOutcome outcome = filter.Erase(non_members, erased);
  const auto bound = tests::FprBound(filter.geometry(), capacity, num_erases);
  INFO(num_maybe << " maybe, " << outcome.num_erased << " erased, predicted " << bound);
  CHECK(bound.ContainsHits(outcome.num_erased));
  CHECK(bound.ContainsHits(num_maybe));
  // Only keys that answered "maybe" were erased, and the statistics tell of the others.
  CHECK(outcome.num_erased <= num_maybe);
  for (size_t i = 0; i < erased.size(); ++i) REQUIRE((erased[i] & ~maybe[i]) == 0);
  CHECK(outcome.num_refused == num_erases - outcome.num_erased);
  CHECK(filter.GetStats().num_refused_erases == outcome.num_refused);
  CHECK(filter.num_keys() == capacity - outcome.num_erased);

  // A position is emptied by taking all its counts, so a wrong erase costs at most one member a
  // slice, and only members that share a position with it.
  std::vector<uint32_t> selection(capacity);
  selection.resize(filter.Select(members, Answer::kAbsent, selection));
  INFO(selection.size() << " members lost");
  CHECK(selection.size() <= outcome.num_erased * filter.geometry().num_slices);
  std::vector<uint64_t> culprits;
  for (size_t i = 0; i < num_erases; ++i) {
    if (tests::BitAt(erased, i)) culprits.push_back(filter.digest_policy()(non_members[i]));
  }
  REQUIRE(culprits.size() == outcome.num_erased);
  std::ranges::sort(culprits);  // by block, too
  for (const uint32_t member_idx : selection) {
    const uint64_t digest = filter.digest_policy()(members[member_idx]);
    const auto touches = [&](uint64_t culprit) {
      return Touch(culprit, digest, filter.geometry());
    };
    if (std::ranges::none_of(culprits, touches))
      FAIL("member " << member_idx << " lost without a culprit");
  }

  // Putting back exactly those keys heals everything.
  filter.Insert(Keys::Digests(culprits));
  std::vector<uint64_t> answers(CountingFilter::BitmapWords(capacity));
  CHECK(filter.Query(members, answers) == capacity);
}

}  // namespace
}  // namespace trommel
