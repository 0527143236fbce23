// What differs first, and what is not said of it.
#include "engine/src/filter_difference.h"

#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("the first field that differs is named with both values", "[engine][filter]") {
  const Geometry geometry{.num_slices = 8, .shard_bits = 1, .num_blocks = 16};
  const DigestPolicy policy{DigestKind::kXxh64, 1};
  const auto says = [&](auto edit) {
    Geometry other = geometry;
    DigestPolicy other_policy = policy;
    edit(other, other_policy);
    return DifferenceOf(geometry, policy, other, other_policy);
  };
  CHECK(says([](Geometry&, DigestPolicy&) {}).empty());
  CHECK(says([](Geometry& g, DigestPolicy&) { g.num_slices = 16, g.num_blocks = 3; }) ==
        "num_slices differs: 8 here, 16 there");
  CHECK(says([](Geometry& g, DigestPolicy&) { g.num_blocks = 18; }) ==
        "num_blocks differs: 16 here, 18 there");
  CHECK(says([](Geometry& g, DigestPolicy&) { g.shard_bits = 2; }) ==
        "shard_bits differs: 1 here, 2 there");
  CHECK(says([](Geometry& g, DigestPolicy&) { g.encoding = Encoding::kRuns; }) ==
        "encoding differs: planes here, runs there");
  CHECK(says([](Geometry&, DigestPolicy& p) { p.kind = DigestKind::kXxh3; }) ==
        "digest kind differs: xxh64 here, xxh3 there");
  CHECK(says([](Geometry&, DigestPolicy& p) { p.seed = 7; }) == "digest seed differs");
  CHECK(FieldDiffers("window", 1, 2) == "window differs: 1 here, 2 there");
}

}  // namespace
}  // namespace trommel
