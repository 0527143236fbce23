// Adaptive probes: queries of the first slices, the model of their rate, and how many a rate takes.
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "engine/src/sizing/block_load.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/statistics.h"
#include "trommel/counting_filter.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

// E[prod over the probed slices of fill^power | load keys in the block]: BlockProductMoment with
// other numbers of slices than positions go with.
double ProbedMoment(uint64_t load, double positions, uint32_t num_probes, int power) {
  const double one = std::pow(1 - 1 / positions, static_cast<double>(load));
  const double two = std::pow(1 - 2 / positions, static_cast<double>(load));
  const double empty_squared = one / positions + (1 - 1 / positions) * two;
  const double fill = power == 1 ? 1 - one : 1 - 2 * one + empty_squared;
  return std::pow(fill, num_probes);
}

tests::RateBound ProbedFprBound(const Geometry& geometry, uint64_t num_keys, uint32_t num_probes,
                                uint64_t num_queries) {
  auto bound = tests::BinomialBound(PredictedFpr(geometry, num_keys, num_probes), num_queries);
  const double positions = geometry.slice_positions();
  const auto moment = [&](int power) {
    return MeanOverBlocks(num_keys, geometry.num_blocks, [&](uint64_t load) {
      return ProbedMoment(load, positions, num_probes, power);
    });
  };
  const double variance = moment(2) - moment(1) * moment(1);
  bound.sigma =
      std::sqrt(bound.sigma * bound.sigma + variance / static_cast<double>(geometry.num_blocks));
  return bound;
}

TEST_CASE("few probes have the rate that the model says, and no false negative",
          "[engine][probes]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const Geometry geometry = tests::GeometryOf(shape, 1024, 4);
  const uint64_t num_keys = geometry.num_blocks * geometry.slice_positions() / 2;
  CountingFilter filter = tests::MakeFilter(geometry);
  const auto members = tests::MemberKeys(num_keys, Catch::rngSeed());
  const auto non_members = tests::NonMemberKeys(200'000, Catch::rngSeed());
  filter.Insert(members);
  std::vector<uint64_t> bits(CountingFilter::BitmapWords(non_members.size()));
  std::vector<uint64_t> member_bits(CountingFilter::BitmapWords(members.size()));
  size_t fewer_probes = non_members.size() + 1;
  for (uint32_t num_probes = 1; num_probes <= geometry.num_slices; ++num_probes) {
    const size_t num_hits = filter.Query(non_members, bits, num_probes);
    const auto bound = ProbedFprBound(geometry, num_keys, num_probes, non_members.size());
    INFO(shape << ", " << num_probes << " probes: " << num_hits << " hits, " << bound);
    CHECK(bound.ContainsHits(num_hits));
    CHECK(num_hits <= fewer_probes);
    CHECK(filter.Query(members, member_bits, num_probes) == members.size());
    fewer_probes = num_hits;
  }
  CHECK(filter.Query(non_members, bits) == fewer_probes);
}

TEST_CASE("few probes never miss a key through inserts and erases", "[engine][probes]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  CountingFilter filter = tests::MakeFilter(tests::GeometryOf(shape, 16));
  const auto stay = tests::MemberKeys(300, Catch::rngSeed());
  const auto go = tests::MemberKeys(600, Catch::rngSeed(), 1000);
  std::vector<uint64_t> bits(CountingFilter::BitmapWords(stay.size()));
  filter.Insert(stay);
  for (int round = 0; round < 3; ++round) {
    filter.Insert(go);
    CHECK(filter.Erase(go).num_erased == go.size());
    for (uint32_t num_probes = 1; num_probes <= shape.num_slices; ++num_probes) {
      CHECK(filter.Query(stay, bits, num_probes) == stay.size());
    }
  }
}

TEST_CASE("with all probes the model is the model", "[engine][probes]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const Geometry geometry = tests::GeometryOf(shape, 1 << 16);
  for (const uint64_t num_keys :
       std::initializer_list<uint64_t>{0, 1, 100'000, 1'000'000, 10'000'000}) {
    CHECK(PredictedFpr(geometry, num_keys, geometry.num_slices) ==
          PredictedFpr(geometry, num_keys));
  }
}

TEST_CASE("one probe meets the mean fill, and non-members with a key's low half meet every probe",
          "[engine][probes]") {
  using Catch::Approx;
  CHECK(BlockFpr(20, 8, 1) == Approx(1 - std::pow(31.0 / 32, 20)));
  CHECK(BlockFpr(20, 10, 1) == Approx(1 - std::pow(63.0 / 64, 20)));
  // 5 of 10 slices are digest bits as they are, 6 of them more bits than a low half has.
  CHECK(BlockFpr(1, 10, 5) == Approx(std::ldexp(1.0, -30)).epsilon(1e-9));
  CHECK(BlockFpr(1, 10, 6) == Approx(std::ldexp(1.0, -32) + std::ldexp(1.0, -36)).epsilon(1e-6));
  CHECK(BlockFpr(1, 16, 6) == Approx(std::ldexp(1.0, -30)).epsilon(1e-9));
  CHECK(BlockFpr(1, 16, 7) == Approx(std::ldexp(1.0, -32) + std::ldexp(1.0, -35)).epsilon(1e-6));
}

TEST_CASE("probes for a rate are the fewest, and never fewer for more keys",
          "[engine][probes][long]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const double target_fpr = GENERATE(0.3, 0.01, 1e-4);
  const Geometry geometry = tests::GeometryOf(shape, 4096);
  uint32_t before = 1;
  for (uint64_t num_keys = 1; num_keys < 1'000'000; num_keys = num_keys * 5 / 4 + 1) {
    const uint32_t num_probes = ProbesFor(geometry, num_keys, target_fpr);
    INFO(shape << ", " << num_keys << " keys, " << num_probes << " probes");
    REQUIRE(num_probes >= before);
    REQUIRE(num_probes <= geometry.num_slices);
    if (num_probes < geometry.num_slices) {
      REQUIRE(PredictedFpr(geometry, num_keys, num_probes) <= target_fpr);
    }
    if (num_probes > 1) {
      REQUIRE(PredictedFpr(geometry, num_keys, num_probes - 1) > target_fpr);
    }
    before = num_probes;
  }
  CHECK(before == geometry.num_slices);
  CHECK(ProbesFor(geometry, 0, target_fpr) == 1);
  CHECK(ProbesFor(geometry, 1000, std::nan("")) == geometry.num_slices);
}

TEST_CASE("no probes and more probes than slices are mistakes", "[engine][probes]") {
  const CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 4});
  const std::vector<uint64_t> keys = {1};
  std::vector<uint64_t> bits(1);
  for (const uint32_t num_probes : {0U, 9U}) {
    CHECK_THAT(tests::AbortMessage([&] { filter.Query(keys, bits, num_probes); }),
               Catch::Contains("probes"));
    CHECK_THAT(tests::AbortMessage([&] { PredictedFpr(filter.geometry(), 1, num_probes); }),
               Catch::Contains("probes"));
  }
}

}  // namespace
}  // namespace trommel
