// Whole counting filters: merge, subtract, fold, clear, and statistics against counts and models.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/reference.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/statistics.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"
#include "trommel/estimates.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::MemberKeys;
using tests::NonMemberKeys;

CountingFilter FilterOfBlocks(uint64_t num_blocks, uint32_t num_slices = 8, uint32_t shard_bits = 0,
                              const DigestPolicy& digest = {}) {
  Geometry geometry;
  geometry.num_blocks = num_blocks;
  geometry.num_slices = num_slices;
  geometry.shard_bits = shard_bits;
  Result<CountingFilter> filter = CountingFilter::CreateWithGeometry(geometry, digest);
  REQUIRE(filter.ok());
  return *std::move(filter);
}

// Neither can be merged into, subtracted from, or compared with the other: the error names the
// field, and the first stays as it is.
void CheckMismatch(CountingFilter& filter, const CountingFilter& other, const std::string& field) {
  const std::vector<std::byte> before = filter.Serialize();
  const auto overlap = EstimateOverlap(filter, other);
  for (const Status& refused : {filter.Merge(other), filter.Subtract(other),
                                overlap.ok() ? Ok() : Status(overlap.error())}) {
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kMismatch);
    CHECK_THAT(refused.error().message, ContainsSubstring(field));
  }
  CHECK((filter.Serialize() == before));
}

TEST_CASE("merging or subtracting unlike filters names the field and changes nothing",
          "[engine][filter]") {
  CountingFilter filter = FilterOfBlocks(16, 8, 1, {DigestKind::kXxh64, 1});
  filter.Insert(MemberKeys(50, 1));
  const auto check = [&](const CountingFilter& other, const std::string& field) {
    CheckMismatch(filter, other, field);
  };
  check(FilterOfBlocks(18, 8, 1, {DigestKind::kXxh64, 1}), "num_blocks differs: 16 here, 18 there");
  check(FilterOfBlocks(16, 8, 2, {DigestKind::kXxh64, 1}), "shard_bits differs: 1 here, 2 there");
  check(FilterOfBlocks(16, 8, 1, {DigestKind::kXxh3, 1}),
        "digest kind differs: xxh64 here, xxh3 there");
  check(FilterOfBlocks(16, 8, 1, {DigestKind::kXxh64, 271828}), "digest seed differs");
  // A seed may be a secret: it is in no message.
  const CountingFilter secret = FilterOfBlocks(16, 8, 1, {DigestKind::kXxh64, 271828});
  CHECK_THAT(filter.Merge(secret).error().message, !ContainsSubstring("271828"));
}

TEST_CASE("filters whose fingerprints have other bits are not merged", "[engine][filter]") {
  const Geometry slots16 = {.num_slices = 0,
                            .encoding = Encoding::kFingerprints16,
                            .num_blocks = 4,
                            .fingerprint_bits = 16};
  Geometry grown = slots16;
  grown.fingerprint_bits = 15;
  const Geometry dense = {.num_slices = 0,
                          .encoding = Encoding::kDense,
                          .num_blocks = 4,
                          .fingerprint_bits = 8,
                          .slots = 51};
  Geometry rarer = dense;
  rarer.slots = 48;
  Geometry grown_dense = dense;
  grown_dense.fingerprint_bits = 7;
  const auto check = [](const Geometry& ours, const Geometry& theirs, const std::string& field) {
    CountingFilter filter = tests::MakeFilter(ours);
    CountingFilter other = tests::MakeFilter(theirs);
    filter.Insert(MemberKeys(200, 1));
    other.Insert(MemberKeys(100, 1));
    CheckMismatch(filter, other, field);
  };
  check(slots16, grown, "fingerprint_bits differs: 16 here, 15 there");
  check(grown, slots16, "fingerprint_bits differs: 15 here, 16 there");
  check(dense, rarer, "slots differs: 51 here, 48 there");
  check(grown_dense, dense, "fingerprint_bits differs: 7 here, 8 there");
}

TEST_CASE("an odd number of blocks is not folded and the error says the number",
          "[engine][filter]") {
  CountingFilter filter = FilterOfBlocks(31);
  const Status refused = filter.Fold();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(refused.error().message, ContainsSubstring("31"));
  CHECK(filter.geometry().num_blocks == 31);
}

TEST_CASE("statistics are those of the reference's bits on every target", "[engine][filter]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const uint64_t num_blocks : {1, 3, 50}) {
    const auto digests = MemberKeys(num_blocks * 25, Catch::rngSeed());
    kernels::ReferenceFilter reference(num_blocks, shape);
    for (const uint64_t digest : digests) reference.Insert(digest);
    // Brute force: for each block and slice count the positions; a non-member falls into each
    // equally.
    uint64_t num_present = 0;
    double fpr = 0;
    for (uint64_t b = 0; b < num_blocks; ++b) {
      double product = 1;
      for (size_t s = 0; s < shape.num_slices; ++s) {
        uint64_t in_slice = 0;
        for (size_t position = 0; position < shape.positions(); ++position) {
          const size_t counter = (b * shape.num_slices + s) * shape.positions() + position;
          in_slice += reference.counters()[counter] > 0 ? 1 : 0;
        }
        num_present += in_slice;
        product *= static_cast<double>(in_slice) / static_cast<double>(shape.positions());
      }
      fpr += product / static_cast<double>(num_blocks);
    }
    tests::ForEachRunnableTarget([&] {
      CountingFilter filter = tests::MakeFilter(tests::GeometryOf(shape, num_blocks));
      filter.Insert(Keys::Digests(digests));
      filter.Erase(Keys::Digests(std::vector<uint64_t>()));
      const Stats stats = filter.GetStats();
      const BlockFill fill = filter.MeasureFill();
      CHECK(stats.num_keys == digests.size());
      CHECK(fill.fill_ratio ==
            Catch::Approx(static_cast<double>(num_present) /
                          static_cast<double>(num_blocks * shape.num_counters())));
      CHECK(fill.current_fpr == Catch::Approx(fpr).epsilon(1e-12));
      CHECK(stats.predicted_fpr == PredictedFpr(filter.geometry(), digests.size()));
      CHECK(stats.num_promoted == reference.PromotedBlocks().size());
      CHECK((stats.side_table_bytes > 0) == (stats.num_promoted > 0));
      CHECK(stats.num_bytes == filter.geometry().num_bytes() + stats.side_table_bytes);
    });
  }
}

TEST_CASE("a filter of full blocks shows every key, whatever the sum of their products",
          "[engine][filter]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));  // of 10 slices 2^60 for each block
  const std::vector<uint64_t> digests = MemberKeys(100 * 2000, Catch::rngSeed());
  tests::ForEachRunnableTarget([&] {
    CountingFilter filter = tests::MakeFilter(tests::GeometryOf(shape, 100));
    filter.Insert(Keys::Digests(digests));
    CHECK(filter.MeasureFill().fill_ratio == 1);
    CHECK(filter.MeasureFill().current_fpr == Catch::Approx(1));
  });
}

TEST_CASE("measured, current and predicted FPR agree within six sigma", "[engine][filter]") {
  struct Size {
    uint64_t num_blocks;
    kernels::Shape shape;
    uint64_t num_keys;
  };
  // One to three blocks, sparse and crowded filters, and sizes people use.
  const Size size = GENERATE(
      Size{1, 8, 30}, Size{1, 8, 60}, Size{2, 8, 40}, Size{3, 8, 200}, Size{64, 8, 1000},
      Size{1000, 8, 25'000}, Size{5000, 8, 75'000}, Size{20'000, 8, 250'000},
      Size{3, {4, true}, 120}, Size{9000, {4, true}, 300'000}, Size{2, {5, true}, 50},
      Size{10'000, {5, true}, 250'000}, Size{64, {8, true}, 1000}, Size{4000, {10, true}, 140'000});
  CountingFilter filter = tests::MakeFilter(tests::GeometryOf(size.shape, size.num_blocks));
  filter.Insert(MemberKeys(size.num_keys, Catch::rngSeed() + size.num_keys));
  const size_t num_queries = 400'000;
  const auto non_members = NonMemberKeys(num_queries, Catch::rngSeed() + size.num_keys);
  std::vector<uint64_t> answers(CountingFilter::BitmapWords(num_queries));
  const size_t num_hits = filter.Query(non_members, answers);
  const auto measured = tests::FprBound(filter.geometry(), size.num_keys, num_queries);
  INFO(num_hits << " hits; " << measured);
  CHECK(measured.ContainsHits(num_hits));
  const auto bits = tests::FilterFprBound(filter.geometry(), size.num_keys);
  INFO(filter.MeasureFill().current_fpr << " of the bits; " << bits);
  CHECK(bits.Contains(filter.MeasureFill().current_fpr));
}

}  // namespace
}  // namespace trommel
