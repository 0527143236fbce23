// The first differing field, by name, and never the secret.
#include "engine/src/keys/merge_compatibility.h"

#include "support/catch.h"
#include "support/sample_filters.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

TEST_CASE("filters that differ in a field are told which, and the seed is not told",
          "[engine][whole]") {
  const Geometry geometry{.num_slices = 8, .shard_bits = 1, .num_blocks = 8};
  const CountingFilter filter = tests::MakeFilter(geometry, {.seed = 4711});
  const auto difference = [&](Geometry other, DigestPolicy policy) {
    const CountingFilter there = tests::MakeFilter(other, policy);
    return DifferenceOf(filter.geometry(), filter.digest_policy(), there.geometry(),
                        there.digest_policy());
  };
  const DigestPolicy same{.seed = 4711};
  CHECK(difference(geometry, same) == "");
  Geometry other = geometry;
  other.num_slices = 16;
  CHECK(difference(other, same) == "num_slices differs: 8 here, 16 there");
  other = geometry;
  other.num_blocks = 10;
  CHECK(difference(other, same) == "num_blocks differs: 8 here, 10 there");
  other = geometry;
  other.shard_bits = 2;
  CHECK(difference(other, same) == "shard_bits differs: 1 here, 2 there");
  other = geometry;
  other.encoding = Encoding::kRuns;
  CHECK(difference(other, same) == "encoding differs: planes here, runs there");
  CHECK(difference(geometry, {.kind = DigestKind::kXxh3, .seed = 4711}) ==
        "digest kind differs: xxh64 here, xxh3 there");
  CHECK(difference(geometry, {.seed = 99}) == "digest seed differs");
}

}  // namespace
}  // namespace trommel
