// Encoding::kAutomatic: the choice is what the documented rule says.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "support/catch.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

SizingRequest AutomaticRequest(uint64_t capacity, double target_fpr, Preference preference) {
  return {.capacity = capacity,
          .target_fpr = target_fpr,
          .encoding = Encoding::kAutomatic,
          .preference = preference};
}

// As `request`, of one encoding.
Sizing SizingOf(SizingRequest request, Encoding encoding) {
  request.encoding = encoding;
  return SizeFor(request).value();
}

double BitsOf(const SizingRequest& request, Encoding encoding) {
  return SizingOf(request, encoding).bits_per_key;
}

double FewestBits(const SizingRequest& request) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Encoding encoding :
       {Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16, Encoding::kDense}) {
    fewest = std::min(fewest, BitsOf(request, encoding));
  }
  return fewest;
}

double BytesPastCapacity(const SizingRequest& request, Encoding encoding) {
  const Geometry geometry = SizingOf(request, encoding).geometry;
  return static_cast<double>(geometry.num_bytes() +
                             PredictedSideTableBytes(geometry, 2 * request.capacity));
}

Encoding ByTheRule(const SizingRequest& request) {
  if (request.preference == Preference::kHeadroom) {
    Encoding smallest = Encoding::kRuns;
    for (const Encoding encoding : {Encoding::kPlanes, Encoding::kDense}) {
      if (BytesPastCapacity(request, encoding) < BytesPastCapacity(request, smallest)) {
        smallest = encoding;
      }
    }
    return smallest;
  }
  if (request.preference == Preference::kSpeed) {
    const double most = 2 * FewestBits(request);
    if (BitsOf(request, Encoding::kFingerprints16) <= most) return Encoding::kFingerprints16;
    if (BitsOf(request, Encoding::kDense) <= most) return Encoding::kDense;
    return Encoding::kRuns;
  }
  for (const Encoding encoding : {Encoding::kRuns, Encoding::kPlanes, Encoding::kDense}) {
    if (BitsOf(request, encoding) == FewestBits(request)) return encoding;
  }
  return Encoding::kFingerprints16;
}

TEST_CASE("an automatic encoding is what its preference says", "[engine][sizing][long]") {
  const auto preference = GENERATE(Preference::kMemory, Preference::kSpeed, Preference::kHeadroom);
  const uint64_t capacity = GENERATE(uint64_t{100}, 1'000'000, 30'000'000);
  const double target_fpr = GENERATE(0.3, 0.05, 0.02, 0.01, 0.003, 0.001, 0.0004, 1e-4, 1e-5);
  const SizingRequest request = AutomaticRequest(capacity, target_fpr, preference);
  CAPTURE(static_cast<int>(preference), capacity, target_fpr);
  const auto sizing = SizeFor(request);
  REQUIRE(sizing.ok());
  const Encoding encoding = sizing->geometry.encoding;
  CHECK(EncodingName(encoding) == EncodingName(ByTheRule(request)));
  CHECK(sizing->geometry == SizingOf(request, encoding).geometry);
  CHECK(sizing->bits_per_key == BitsOf(request, encoding));
  CHECK(SizeFor(request)->geometry == sizing->geometry);
}

TEST_CASE("fingerprints are chosen at any rate, those of 16 bits for speed at usual ones",
          "[engine][sizing]") {
  const auto chosen = [](double target_fpr, Preference preference) {
    return SizeFor(AutomaticRequest(10'000'000, target_fpr, preference))->geometry.encoding;
  };
  CHECK(chosen(0.01, Preference::kMemory) == Encoding::kDense);
  CHECK(chosen(0.0004, Preference::kMemory) == Encoding::kDense);
  CHECK(chosen(1e-6, Preference::kMemory) == Encoding::kDense);
  CHECK(chosen(0.003, Preference::kSpeed) == Encoding::kFingerprints16);
  CHECK(chosen(1e-6, Preference::kSpeed) == Encoding::kDense);
  CHECK(chosen(0.003, Preference::kHeadroom) == Encoding::kDense);
}

TEST_CASE("for Parquet the choice is runs of 8 slices in a power of two of blocks",
          "[engine][sizing]") {
  const auto sizing = SizeFor(AutomaticRequest(1'000'000, 0.01, Preference::kParquet));
  REQUIRE(sizing.ok());
  CHECK(sizing->geometry.encoding == Encoding::kRuns);
  CHECK(sizing->geometry.num_slices == 8);
  CHECK(std::has_single_bit(sizing->geometry.num_blocks));
}

TEST_CASE("an automatic encoding with slices is planes or runs", "[engine][sizing]") {
  const uint32_t num_slices = GENERATE(uint32_t{4}, 5, 8, 10);
  const auto preference = GENERATE(Preference::kMemory, Preference::kSpeed, Preference::kHeadroom);
  SizingRequest request = AutomaticRequest(1000, 0.01, preference);
  request.num_slices = num_slices;
  const auto sizing = SizeFor(request);
  REQUIRE(sizing.ok());
  const bool may_be_planes = num_slices == 8 && preference == Preference::kHeadroom;
  CHECK((sizing->geometry.encoding == Encoding::kRuns || may_be_planes));
  CHECK(sizing->geometry.num_slices == num_slices);
}

TEST_CASE("what no preference can choose is refused", "[engine][sizing]") {
  const auto message = [](uint32_t num_slices, Preference preference) {
    SizingRequest request = AutomaticRequest(1000, 0.01, preference);
    request.num_slices = num_slices;
    const auto sizing = SizeFor(request);
    REQUIRE_FALSE(sizing.ok());
    CHECK(sizing.error().code == ErrorCode::kInvalidArgument);
    return sizing.error().message;
  };
  CHECK(message(6, Preference::kMemory) == "num_slices is 6; runs have 4, 5, 8 or 10");
  CHECK(message(5, Preference::kParquet) == "num_slices is 5; Parquet's blocks have 8");
  CHECK(message(0, static_cast<Preference>(9)) ==
        "preference is 9; it must be 0 (memory), 1 (speed), 2 (headroom) or 3 (Parquet)");
  CHECK(Validate({.encoding = Encoding::kAutomatic, .num_blocks = 1}).error().message ==
        "encoding is 255; it must be 0 (planes), 1 (runs), 2 (fingerprints16) or 3 "
        "(dense)");
  const auto huge = SizeFor(AutomaticRequest(kMaxCapacity, 0.01, Preference::kMemory));
  REQUIRE_FALSE(huge.ok());
  CHECK_THAT(huge.error().message, Catch::Matchers::ContainsSubstring("more than 2147483647"));
}

}  // namespace
}  // namespace trommel
