// Whole layered filters: of given layers, merged, subtracted, cleared, and what they say of
// themselves.
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "trommel/layered_filter.h"

namespace trommel {
namespace {

const Geometry kFirst{.num_slices = 8, .num_blocks = 12};
const Geometry kLarge{.num_slices = 8, .encoding = Encoding::kRuns, .num_blocks = 36};

LayeredFilter EmptyLayers(const Geometry& first = kFirst, const Geometry& large = kLarge) {
  return std::move(LayeredFilter::FromLayers(tests::MakeFilter(first), tests::MakeFilter(large)))
      .value();
}

void CheckSameLayers(const LayeredFilter& got, const LayeredFilter& want) {
  for (size_t i = 0; i < LayeredFilter::kNumLayers; ++i) {
    CHECK((got.layer(i).Serialize() == want.layer(i).Serialize()));
  }
}

TEST_CASE("merging adds both layers and subtracting takes them away", "[engine][layered]") {
  const auto keys = tests::MemberKeys(500, Catch::rngSeed());
  const auto more = tests::MemberKeys(300, Catch::rngSeed(), 400);
  LayeredFilter a = EmptyLayers();
  LayeredFilter b = EmptyLayers();
  LayeredFilter both = EmptyLayers();
  LayeredFilter only_a = EmptyLayers();
  a.Insert(keys);
  only_a.Insert(keys);
  b.Insert(more);
  both.Insert(keys);
  both.Insert(more);
  CHECK(a.Merge(b).ok());
  CHECK(a.num_keys() == 800);
  CheckSameLayers(a, both);
  CHECK(a.Subtract(b).ok());
  CheckSameLayers(a, only_a);
}

TEST_CASE("a subtraction that fails leaves both layers as they were", "[engine][layered]") {
  // In the first layer's block are as many keys as are taken away, but not in the large layer's.
  LayeredFilter a =
      EmptyLayers({.num_slices = 8, .num_blocks = 1}, {.num_slices = 8, .num_blocks = 2});
  LayeredFilter b =
      EmptyLayers({.num_slices = 8, .num_blocks = 1}, {.num_slices = 8, .num_blocks = 2});
  LayeredFilter want =
      EmptyLayers({.num_slices = 8, .num_blocks = 1}, {.num_slices = 8, .num_blocks = 2});
  a.Insert(Key::Digest(0x00000000'12345678));
  want.Insert(Key::Digest(0x00000000'12345678));
  b.Insert(Key::Digest(0xffffffff'12345678));
  const Status refused = a.Subtract(b);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CheckSameLayers(a, want);
}

TEST_CASE("layered filters that differ in a layer cannot be merged", "[engine][layered]") {
  LayeredFilter filter = EmptyLayers();
  const LayeredFilter first = EmptyLayers({.num_slices = 8, .num_blocks = 6}, kLarge);
  const LayeredFilter large =
      EmptyLayers(kFirst, {.num_slices = 8, .encoding = Encoding::kRuns, .num_blocks = 24});
  CHECK_THAT(filter.Merge(first).error().message,
             Catch::Contains("first layer: num_blocks differs"));
  CHECK_THAT(filter.Merge(large).error().message, Catch::Contains("num_blocks differs"));
  CHECK_THAT(filter.Subtract(first).error().message,
             Catch::Contains("first layer: num_blocks differs"));
  CHECK_THAT(filter.Subtract(large).error().message, Catch::Contains("num_blocks differs"));
}

TEST_CASE("layers that do not belong together are refused", "[engine][layered]") {
  const auto keys = tests::MemberKeys(100, Catch::rngSeed());
  const auto message = [](CountingFilter first, CountingFilter large) {
    const auto made = LayeredFilter::FromLayers(std::move(first), std::move(large));
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == ErrorCode::kMismatch);
    return made.error().message;
  };
  CHECK_THAT(
      message(tests::MakeFilter({.num_slices = 8, .num_blocks = 11}), tests::MakeFilter(kLarge)),
      Catch::Contains("do not nest"));
  CHECK_THAT(
      message(tests::MakeFilter(kFirst, {.kind = DigestKind::kXxh64}), tests::MakeFilter(kLarge)),
      Catch::Contains("digest kind differs"));
  CHECK_THAT(message(tests::MakeFilter(kFirst, {.seed = 1}), tests::MakeFilter(kLarge)),
             Catch::Contains("digest seed differs"));
  CountingFilter first = tests::MakeFilter(kFirst);
  first.Insert(keys);
  CHECK_THAT(message(std::move(first), tests::MakeFilter(kLarge)),
             Catch::Contains("num_keys differs between the layers: 100 and 0"));
  CountingFilter other = tests::MakeFilter(kFirst);
  CountingFilter large = tests::MakeFilter(kLarge);
  other.Insert(tests::NonMemberKeys(100, Catch::rngSeed()));
  large.Insert(keys);
  CHECK_THAT(message(std::move(other), std::move(large)), Catch::Contains("hold other keys"));
}

TEST_CASE("layers that hold the same keys in other numbers are refused", "[engine][layered]") {
  const Key a = Key::Digest(0x00000000'12345678);
  const Key b = Key::Digest(0xffffffff'12345678);
  CountingFilter first = tests::MakeFilter(kFirst);
  CountingFilter large = tests::MakeFilter(kLarge);
  for (const Key key : {a, a, b}) first.Insert(key);
  for (const Key key : {a, b, b}) large.Insert(key);
  const auto refused = LayeredFilter::FromLayers(std::move(first), std::move(large));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kMismatch);
  CHECK_THAT(refused.error().message, Catch::Contains("counters of block 0 of the first one"));
}

TEST_CASE("given layers become a filter that goes on", "[engine][layered]") {
  const auto keys = tests::MemberKeys(400, Catch::rngSeed());
  CountingFilter first = tests::MakeFilter(kFirst);
  CountingFilter large = tests::MakeFilter(kLarge);
  first.Insert(keys);
  large.Insert(keys);
  auto filter = LayeredFilter::FromLayers(std::move(first), std::move(large));
  REQUIRE(filter.ok());
  CHECK(filter->num_keys() == 400);
  CHECK(filter->Erase(keys) == EraseOutcome{400, 0});
  CheckSameLayers(*filter, EmptyLayers());
}

TEST_CASE("a cleared layered filter is empty", "[engine][layered]") {
  LayeredFilter filter = EmptyLayers();
  filter.Insert(tests::MemberKeys(1000, Catch::rngSeed()));
  filter.Clear();
  CHECK(filter.num_keys() == 0);
  CheckSameLayers(filter, EmptyLayers());
}

TEST_CASE("statistics of layers add up", "[engine][layered]") {
  LayeredFilter filter = EmptyLayers();
  filter.Insert(tests::MemberKeys(500, Catch::rngSeed()));
  const auto non_members = tests::NonMemberKeys(2000, Catch::rngSeed());
  const EraseOutcome outcome = filter.Erase(non_members);
  const LayeredStats stats = filter.GetStats();
  CHECK(stats.num_keys == 500 - outcome.num_erased);
  CHECK(stats.num_refused_erases == outcome.num_refused);
  CHECK(stats.num_bytes == stats.first.num_bytes + stats.large.num_bytes);
  CHECK(stats.first_query_bytes == 12 * 32);
  CHECK(stats.predicted_fpr == PredictedFpr(kLarge, stats.num_keys));
  const LayeredFill fill = filter.MeasureFill();
  CHECK(fill.current_fpr == fill.large.current_fpr);
  CHECK(fill.pass_rate == fill.first.current_fpr);
  CHECK(fill.pass_rate >= fill.current_fpr);
}

}  // namespace
}  // namespace trommel
