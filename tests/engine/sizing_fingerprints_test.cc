// Sizing of fingerprints: the model against blocks filled with the kernels' own keys, and what
// sizing makes of it.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/sizing/fingerprint_load.h"
#include "engine/src/sizing/geometry_checks.h"
#include "support/catch.h"
#include "support/shapes.h"
#include "trommel/counting_filter.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

using Catch::Approx;
using tests::FingerprintsOf;

SizingRequest FingerprintsRequest(Encoding encoding, uint64_t capacity, double target_fpr) {
  return {.capacity = capacity, .target_fpr = target_fpr, .encoding = encoding};
}

TEST_CASE("the rate of a block is the sum over the values of its keys", "[engine][sizing]") {
  const auto [encoding, load] = GENERATE(table<Encoding, uint64_t>({{Encoding::kFingerprints16, 0},
                                                                    {Encoding::kFingerprints16, 1},
                                                                    {Encoding::kFingerprints16, 21},
                                                                    {Encoding::kDense, 1},
                                                                    {Encoding::kDense, 60}}));
  Geometry geometry = FingerprintsOf(encoding, 1);
  for (uint32_t bits = 8; bits <= FingerprintsOf(encoding, 1).fingerprint_bits; ++bits) {
    geometry.fingerprint_bits = bits;
    const uint64_t num_values = geometry.num_values();
    std::vector<uint32_t> times(num_values);
    for (uint64_t i = 0; i < num_values; ++i) {
      ++times[KeyInBlock(geometry, ~uint64_t{0} / num_values * i + num_values)];
    }
    double rate = 0;
    for (const uint32_t n : times) {
      const double chance = n / static_cast<double>(num_values);
      rate += chance * (1 - std::pow(1 - chance, static_cast<double>(load)));
    }
    CAPTURE(EncodingName(encoding), bits, load);
    CHECK(FingerprintBlockFpr(geometry, load) == Approx(rate).epsilon(1e-9));
    CHECK(PredictedFpr(geometry, load) == FingerprintBlockFpr(geometry, load));
  }
}

TEST_CASE("one block of fingerprints is promoted by the key too many", "[engine][sizing]") {
  const Geometry wide = FingerprintsOf(Encoding::kFingerprints16, 1);
  CHECK(PredictedPromotedShare(wide, 32) == 0.0);
  CHECK(PredictedPromotedShare(wide, 33) == 1.0);
}

TEST_CASE("the side table of fingerprints holds what no line and no slot does",
          "[engine][sizing]") {
  // 31 keys in slots and 18 in the overflow line.
  const Geometry wide = FingerprintsOf(Encoding::kFingerprints16, 1);
  CHECK(PredictedSideTableBytes(wide, 49) == 0);
  CHECK(PredictedSideTableBytes(wide, 50) == 62 + 36 + 16 * 36);  // a record, and a list of 19 keys
  const Encoding encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  const Geometry many = FingerprintsOf(encoding, 1000);  // with a group that is not whole
  double share = 0;
  uint64_t bytes = 0;
  for (uint64_t num_keys = 20'000; num_keys <= 80'000; num_keys += 1000) {
    const double new_share = PredictedPromotedShare(many, num_keys);
    const uint64_t new_bytes = PredictedSideTableBytes(many, num_keys);
    CAPTURE(EncodingName(encoding), num_keys);
    CHECK((new_share > share || new_share > 1 - 1e-9));
    CHECK(new_bytes >= bytes);
    share = new_share;
    bytes = new_bytes;
  }
  CHECK(bytes > 1000 * 62);
  const auto at_capacity = SizeFor(FingerprintsRequest(encoding, 1'000'000, 0.01));
  CHECK(at_capacity->predicted_side_table_bytes * 8 < 1'000'000);  // a bit per key
}

TEST_CASE("the predicted side table of fingerprints is that of a filter past its capacity",
          "[engine][sizing][long]") {
  const Encoding encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  const Geometry geometry = FingerprintsOf(encoding, 2000);
  CountingFilter filter =
      CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(84'000);
  // 42, 126 and 252 keys per block; of dense ones 84: lines are for about twice the capacity.
  const bool is_dense = encoding == Encoding::kDense;
  for (const uint64_t times : is_dense ? std::vector{2} : std::vector{1, 3, 6}) {
    while (filter.num_keys() < times * digests.size()) {
      for (uint64_t& digest : digests) digest = random();
      filter.Insert(Keys::Digests(digests));
    }
    const auto predicted =
        static_cast<double>(PredictedSideTableBytes(geometry, filter.num_keys()));
    const auto measured = static_cast<double>(filter.GetStats().side_table_bytes);
    CAPTURE(EncodingName(encoding), times, predicted, measured);
    // Arrays that double have up to twice the bytes that their entries need.
    CHECK(measured > 0.8 * predicted);
    CHECK(measured < 1.25 * predicted);
  }
}

TEST_CASE("fingerprints need no more bits per key than promised", "[engine][sizing]") {
  const uint64_t capacity = GENERATE(uint64_t{1'000'000}, 3'000'000, 30'000'000, 300'000'000);
  const auto wide = SizeFor(FingerprintsRequest(Encoding::kFingerprints16, capacity, 0.0004));
  CHECK(wide->bits_per_key <= 25.5);
  const auto bits = [&](double target_fpr) {
    return SizeFor(FingerprintsRequest(Encoding::kDense, capacity, target_fpr))->bits_per_key;
  };
  CHECK(bits(0.0037) <= 12.0);
  CHECK(bits(0.0023) <= 12.7);
  CHECK(bits(0.001) <= 14.1);
  CHECK(bits(0.00033) <= 16.5);
}

TEST_CASE("few blocks of fingerprints hold no key at a rate below that of one",
          "[engine][sizing]") {
  const Encoding encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  const auto capacity = CapacityFor(FingerprintsOf(encoding, 1), kMinTargetFpr);
  REQUIRE(capacity.ok());
  CHECK(*capacity == 0);
}

TEST_CASE("an invalid geometry of fingerprints is refused by field", "[engine][sizing]") {
  const auto message = [](Geometry geometry, auto change) {
    change(geometry);
    const Status status = Validate(geometry);
    CHECK_FALSE(CapacityFor(geometry, 0.01).ok());
    return status.ok() ? std::string("valid") : status.error().message;
  };
  const Geometry wide = FingerprintsOf(Encoding::kFingerprints16, 512, 3);
  const Geometry dense = FingerprintsOf(Encoding::kDense, 128, 3);
  CHECK(Validate(wide).ok());
  CHECK(Validate(dense).ok());
  CHECK(Validate(FingerprintsOf(Encoding::kFingerprints16, 7)).ok());
  CHECK(Validate(FingerprintsOf(Encoding::kDense, 7)).ok());
  CHECK(message(wide, [](Geometry& g) { g.num_slices = 8; }) ==
        "num_slices is 8; fingerprints have no slices: 0");
  CHECK(message(wide, [](Geometry& g) { g.num_blocks = 64; }) ==
        "num_blocks is 64; with shard_bits 3 it must be a multiple of 512");
  CHECK(message(dense, [](Geometry& g) { g.num_blocks = 60; }) ==
        "num_blocks is 60; with shard_bits 3 it must be a multiple of 8");
  CHECK(message(wide, [](Geometry& g) { g.fingerprint_bits = 17; }) ==
        "fingerprint_bits is 17; it must be between 8 and 16");
  CHECK(message(dense, [](Geometry& g) { g.fingerprint_bits = 9; }) ==
        "fingerprint_bits is 9; it must be between 1 and 8");
  CHECK(message(dense, [](Geometry& g) { g.fingerprint_bits = 0; }) ==
        "fingerprint_bits is 0; it must be between 1 and 8");
  CHECK(message(dense, [](Geometry& g) { g.slots = 47; }) ==
        "slots is 47; it must be 51, 48, 43, 40, 38, 35, 32, 26, 22 or 20: those of dense blocks");
  CHECK(message(wide, [](Geometry& g) { g.slots = 48; }) ==
        "slots is 48; it must be 0: only dense blocks have them");
  CHECK(message({.num_blocks = 1, .fingerprint_bits = 9}, [](Geometry&) {}) ==
        "fingerprint_bits is 9; it must be 0: planes have no fingerprints");
  SizingRequest request = FingerprintsRequest(Encoding::kDense, 1000, 0.01);
  request.num_slices = 8;
  CHECK(SizeFor(request).error().message == "num_slices is 8; fingerprints have no slices: 0");
}

}  // namespace
}  // namespace trommel
