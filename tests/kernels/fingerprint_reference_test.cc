// The reference of fingerprint blocks: doubling and folding keep what a filter of the other size
// would have been.
#include "kernels/fingerprint_reference.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/sanitized.h"

namespace trommel::kernels {
namespace {

using MaybeDense = std::optional<DenseShape>;  // none: slots of 16 bits

uint32_t MostBits(const MaybeDense& shape) { return shape ? shape->max_bits : kMaxWideBits; }

MaybeDense EitherShape() {
  const auto i = GENERATE(range(size_t{0}, kNumDenseShapes + 1));
  return i == 0 ? MaybeDense() : MaybeDense(kDenseShapes[i - 1]);
}

// Of one block: digests of every key of 16 bits, reserved ones included, and random ones; under
// sanitizers, where they take minutes, of every eleventh.
std::vector<uint64_t> DigestsOfEveryKey() {
  auto digests = tests::DrawnDigests(2000, 1500, Catch::rngSeed());
  constexpr uint64_t kStep = TROMMEL_TESTS_SANITIZED ? 11 : 1;
  for (uint64_t key = 0; key < 65'536; key += kStep) digests.push_back(key << 48);
  return digests;
}

FingerprintReference FilterOf(const std::vector<uint64_t>& digests, const MaybeDense& shape,
                              uint64_t num_blocks, uint32_t bits) {
  FingerprintReference filter(shape, num_blocks, bits);
  for (const uint64_t digest : digests) filter.Insert(digest);
  return filter;
}

TEST_CASE("a doubled filter is one built with twice the blocks and one bit less",
          "[kernels][fingerprints][long]") {
  const MaybeDense shape = EitherShape();
  const uint64_t num_blocks = GENERATE(1, 3);
  const auto digests = DigestsOfEveryKey();
  auto filter = FilterOf(digests, shape, num_blocks, MostBits(shape));
  // Up to a thousand times the blocks.
  const uint32_t most = MostBits(shape);
  const uint32_t fewest = shape ? std::max(most, 11U) - 10 : kMinWideBits;
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
  const MaybeDense shape = EitherShape();
  const auto digests = DigestsOfEveryKey();
  const auto filter = FilterOf(digests, shape, 6, MostBits(shape));
  CHECK((filter.Folded() == FilterOf(digests, shape, 3, MostBits(shape))));
}

TEST_CASE("subtract undoes merge and refuses what is not contained", "[kernels][fingerprints]") {
  const MaybeDense shape = EitherShape();
  const auto filter = FilterOf(tests::DrawnDigests(500, 100, Catch::rngSeed()), shape, 3, 8);
  const auto other = FilterOf(tests::DrawnDigests(500, 100, Catch::rngSeed() + 1), shape, 3, 8);
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
