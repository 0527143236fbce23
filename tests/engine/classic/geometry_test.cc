// Classic geometries: what they take, and what is no geometry.
#include "trommel/classic/geometry.h"

#include <string>

#include "support/catch.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;

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
