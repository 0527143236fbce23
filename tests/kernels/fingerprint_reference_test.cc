// The reference of fingerprint blocks: doubling and folding keep what a filter of the other size
// would have been.
#include "kernels/fingerprint_reference.h"

#include <cstdint>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/digests.h"

namespace trommel::kernels {
namespace {

uint32_t MostBits(FingerprintShape shape) {
  return shape == FingerprintShape::kWide ? kMaxWideBits : kMaxNarrowBits;
}

// Of one block: digests of every key of 16 bits, reserved ones included, and random ones.
std::vector<uint64_t> DigestsOfEveryKey() {
  auto digests = tests::DrawnDigests(2000, 1500, Catch::rngSeed());
  for (uint64_t key = 0; key < 65'536; ++key) digests.push_back(key << 48);
  return digests;
}

FingerprintReference FilterOf(const std::vector<uint64_t>& digests, FingerprintShape shape,
                              uint64_t num_blocks, uint32_t bits) {
  FingerprintReference filter(shape, num_blocks, bits);
  for (const uint64_t digest : digests) filter.Insert(digest);
  return filter;
}

TEST_CASE("a doubled filter is one built with twice the blocks and one bit less",
          "[kernels][fingerprints]") {
  const auto shape = GENERATE(FingerprintShape::kWide, FingerprintShape::kNarrow);
  const uint64_t num_blocks = GENERATE(1, 3);
  const auto digests = DigestsOfEveryKey();
  auto filter = FilterOf(digests, shape, num_blocks, MostBits(shape));
  const uint32_t fewest = shape == FingerprintShape::kWide ? kMinWideBits : kMinNarrowBits;
  while (filter.fingerprint_bits() > fewest) {
    const auto smaller = filter;
    filter = filter.Doubled();
    const auto built =
        FilterOf(digests, shape, 2 * smaller.num_blocks(), smaller.fingerprint_bits() - 1);
    REQUIRE((filter == built));
    REQUIRE((filter.Folded() == smaller));
  }
}

TEST_CASE("a fold of the longest keys is a filter built with half the blocks",
          "[kernels][fingerprints]") {
  const auto shape = GENERATE(FingerprintShape::kWide, FingerprintShape::kNarrow);
  const auto digests = DigestsOfEveryKey();
  const auto filter = FilterOf(digests, shape, 6, MostBits(shape));
  CHECK((filter.Folded() == FilterOf(digests, shape, 3, MostBits(shape))));
}

TEST_CASE("subtract undoes merge and refuses what is not contained", "[kernels][fingerprints]") {
  const auto shape = GENERATE(FingerprintShape::kWide, FingerprintShape::kNarrow);
  const auto filter = FilterOf(tests::DrawnDigests(500, 100, Catch::rngSeed()), shape, 3, 10);
  const auto other = FilterOf(tests::DrawnDigests(500, 100, Catch::rngSeed() + 1), shape, 3, 10);
  auto both = filter;
  both.Merge(other);
  auto left = both;
  CHECK(left.Subtract(other));
  CHECK((left == filter));
  CHECK_FALSE(left.Subtract(both));
  CHECK((left == filter));
}

}  // namespace
}  // namespace trommel::kernels
