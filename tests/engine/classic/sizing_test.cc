// Sizing classic filters.
#include "trommel/classic/sizing.h"

#include <limits>
#include <string>

#include "support/catch.h"
#include "trommel/classic/formulas.h"
#include "trommel/classic/geometry.h"
#include "trommel/sizing.h"

namespace trommel::classic {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

std::string ComplaintOf(const SizingRequest& request) {
  const Result<Sizing> sizing = SizeFor(request);
  return sizing.ok() ? "" : sizing.error().message;
}

TEST_CASE("a classic filter is the smallest that keeps its rate", "[engine][classic]") {
  const Kind kind = GENERATE(Kind::kBloom, Kind::kCountingBloom, Kind::kSplitCounting);
  const uint64_t capacity = GENERATE(uint64_t{1}, uint64_t{1000}, uint64_t{1'000'000});
  const double target_fpr = GENERATE(0.5, 0.01, 1e-6);
  INFO(KindName(kind) << ", " << capacity << " keys at " << target_fpr);
  const Sizing sizing = *SizeFor({.kind = kind, .capacity = capacity, .target_fpr = target_fpr});
  CHECK(sizing.geometry.kind == kind);
  CHECK(sizing.geometry.num_hashes == *NumHashesFor(target_fpr));
  CHECK(sizing.geometry.counter_bits == (kind == Kind::kBloom ? 1 : 4));
  CHECK(sizing.predicted_fpr <= target_fpr);
  CHECK(sizing.predicted_fpr == PredictedFpr(sizing.geometry, capacity));
  CHECK(sizing.predicted_fill <= 0.52);  // half, as k is rounded up
  const uint64_t most_hashed =
      kind == Kind::kSplitCounting ? capacity : capacity * sizing.geometry.num_hashes;
  CHECK((sizing.predicted_lossy > 0) == (kind != Kind::kBloom && most_hashed > 15));
  CHECK(sizing.predicted_stuck >= sizing.predicted_lossy);
  ArrayGeometry smaller = sizing.geometry;
  if (--smaller.num_positions > 0) CHECK(PredictedFpr(smaller, capacity) > target_fpr);
}

TEST_CASE("sizing is near the published formulas", "[engine][classic]") {
  // 2^-10 is met by ten slices half full: m = n / ln 2.
  const Sizing split = *SizeFor({.capacity = 1'000'000, .target_fpr = 1.0 / 1024});
  CHECK(static_cast<double>(split.geometry.num_positions) == Approx(1e6 / 0.693147).epsilon(1e-4));
  CHECK(split.bits_per_key == Approx(4 * 10 / 0.693147).epsilon(1e-3));
  // k is rounded up to a whole number by both, M only by ours.
  const Sizing bloom =
      *SizeFor({.kind = Kind::kBloom, .capacity = 1'000'000, .target_fpr = 1.0 / 1024});
  const PublishedBloom published = *PublishedBloomFor(1'000'000, 1.0 / 1024);
  CHECK(static_cast<double>(bloom.geometry.num_positions) ==
        Approx(static_cast<double>(published.num_positions)).epsilon(1e-3));
  // Another k is taken as asked, and needs more memory.
  const Sizing few = *SizeFor({.capacity = 1'000'000, .target_fpr = 1.0 / 1024, .num_hashes = 5});
  CHECK(few.geometry.num_hashes == 5);
  CHECK(few.geometry.num_bytes() > split.geometry.num_bytes());
}

TEST_CASE("fewer probes have the rate of fewer slices", "[engine][classic]") {
  const ArrayGeometry geometry{.num_hashes = 10, .num_positions = 1000};
  CHECK(PredictedFpr(geometry, 500, 3) == Approx(SplitFpr(3, 1000, 500)));
  CHECK(PredictedFpr(geometry, 500, 10) == PredictedFpr(geometry, 500));
  CHECK(PredictedProbes(geometry, 0, 0.01) == 1);
  CHECK(PredictedProbes(geometry, 10, 0.01) == 1);  // 1 %, just under
  CHECK(PredictedProbes(geometry, 11, 0.01) == 2);
  CHECK(PredictedProbes(geometry, 693, 1e-3) == 10);
  CHECK(PredictedProbes(geometry, 693, 1e-9) == 10);  // not met: all
  CHECK(PredictedProbes(geometry, 693, std::numeric_limits<double>::quiet_NaN()) == 10);
}

TEST_CASE("a classic rate of more keys than can be counted is one", "[engine][classic]") {
  const ArrayGeometry bloom{
      .kind = Kind::kBloom, .num_hashes = 16, .counter_bits = 1, .num_positions = 1000};
  // 2^60 keys of 16 hashes are 2^64 hashes, which wrap to none.
  CHECK(PredictedFpr(bloom, uint64_t{1} << 60) == Approx(1));
}

TEST_CASE("what cannot be sized is refused by name, value and range", "[engine][classic]") {
  CHECK(ComplaintOf({.capacity = 0}) == "capacity is 0; it must be between 1 and 1099511627776");
  CHECK_THAT(ComplaintOf({.capacity = kMaxCapacity + 1}), ContainsSubstring("1099511627777;"));
  CHECK(ComplaintOf({.capacity = 1, .target_fpr = std::numeric_limits<double>::quiet_NaN()}) ==
        "target_fpr is nan; it must be between 1e-15 and 0.5");
  CHECK_THAT(ComplaintOf({.capacity = 1, .target_fpr = 0}), ContainsSubstring("target_fpr is 0;"));
  CHECK_THAT(ComplaintOf({.capacity = 1, .target_fpr = 0.6}), ContainsSubstring("0.6;"));
  CHECK_THAT(ComplaintOf({.capacity = 1, .num_hashes = 65}), ContainsSubstring("num_hashes is 65"));
  CHECK_THAT(ComplaintOf({.capacity = 1, .counter_bits = 9}),
             ContainsSubstring("counter_bits is 9; it must be between 1 and 8"));
  CHECK_THAT(ComplaintOf({.kind = static_cast<Kind>(7), .capacity = 1}),
             ContainsSubstring("kind is 7"));
  CHECK_THAT(ComplaintOf({.capacity = kMaxCapacity}),
             ContainsSubstring("they need more than 4294967295 positions per slice"));
}

constexpr ArrayGeometry kValid{.num_hashes = 10, .counter_bits = 4, .num_positions = 1000};

std::string ComplaintOf(const ArrayGeometry& geometry) {
  const Status status = Validate(geometry);
  return status.ok() ? "" : status.error().message;
}

TEST_CASE("a classic geometry knows its memory", "[engine][classic]") {
  CHECK(kValid.num_slices() == 10);
  CHECK(kValid.total_positions() == 10'000);
  CHECK(kValid.slice_bytes() == 512);  // 500 bytes of 4-bit counters, in whole cache lines
  CHECK(kValid.num_bytes() == 5120);
  CHECK(kValid.max_count() == 15);
  ArrayGeometry bloom{
      .kind = Kind::kBloom, .num_hashes = 10, .counter_bits = 1, .num_positions = 513};
  CHECK(bloom.num_slices() == 1);
  CHECK(bloom.total_positions() == 513);
  CHECK(bloom.num_bytes() == 128);
  const uint32_t field_bits[] = {1, 2, 4, 4, 8, 8, 8, 8};
  for (uint32_t bits = 1; bits <= kMaxCounterBits; ++bits) {
    const ArrayGeometry counters{.num_hashes = 1, .counter_bits = bits, .num_positions = 1};
    CHECK(counters.field_bits() == field_bits[bits - 1]);
    CHECK(counters.max_count() == (1U << bits) - 1);
  }
}

TEST_CASE("a classic geometry out of range is refused by name, value and range",
          "[engine][classic]") {
  CHECK(ComplaintOf(kValid) == "");
  ArrayGeometry bad = kValid;
  bad.num_hashes = 0;
  CHECK(ComplaintOf(bad) == "num_hashes is 0; it must be between 1 and 64");
  bad.num_hashes = 65;
  CHECK(ComplaintOf(bad) == "num_hashes is 65; it must be between 1 and 64");
  bad = kValid;
  bad.counter_bits = 9;
  CHECK(ComplaintOf(bad) == "counter_bits is 9; it must be between 1 and 8");
  bad.counter_bits = 0;
  CHECK(ComplaintOf(bad) == "counter_bits is 0; it must be between 1 and 8");
  bad = kValid;
  bad.num_positions = 0;
  CHECK(ComplaintOf(bad) == "num_positions is 0; it must be between 1 and 4294967295");
  bad.num_positions = kMaxPositions + 1;
  CHECK_THAT(ComplaintOf(bad), ContainsSubstring("num_positions is 4294967296"));
  bad = kValid;
  bad.kind = Kind::kBloom;
  CHECK(ComplaintOf(bad) == "counter_bits is 4; it must be 1 for the kind bloom");
  bad.kind = static_cast<Kind>(3);
  CHECK_THAT(ComplaintOf(bad), ContainsSubstring("kind is 3"));
  bad = kValid;
  bad.hashing = static_cast<Hashing>(2);
  CHECK_THAT(ComplaintOf(bad), ContainsSubstring("hashing is 2"));
}

TEST_CASE("classic kinds and hashings have names", "[engine][classic]") {
  CHECK(KindName(Kind::kBloom) == "bloom");
  CHECK(KindName(Kind::kCountingBloom) == "counting bloom");
  CHECK(KindName(Kind::kSplitCounting) == "split counting");
  CHECK(KindName(static_cast<Kind>(9)) == "unknown");
  CHECK(HashingName(Hashing::kDouble) == "double");
  CHECK(HashingName(Hashing::kMixed) == "mixed");
  CHECK(HashingName(static_cast<Hashing>(9)) == "unknown");
}

}  // namespace
}  // namespace trommel::classic
