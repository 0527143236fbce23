// Checked erase: the reference's bytes and answers on every target.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "kernels/run_block.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/kernel_filter.h"
#include "support/shapes.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::DrawnDigests;
using tests::KernelFilter;

ReferenceFilter ReferenceHolding(const std::vector<uint64_t>& digests, uint64_t num_blocks,
                                 Shape shape) {
  ReferenceFilter reference(num_blocks, shape);
  for (const uint64_t digest : digests) reference.Insert(digest);
  return reference;
}

// Erases digests [begin, end) from both and compares bytes and answers, on every target.
void CheckErase(const ReferenceFilter& start, const std::vector<uint64_t>& digests, size_t begin,
                size_t end) {
  ReferenceFilter want = start;
  std::vector<uint64_t> want_erased((digests.size() + 63) / 64, 0);
  for (size_t i = begin; i < end; ++i) {
    want_erased[i / 64] |= uint64_t{want.Erase(digests[i])} << (i % 64);
  }
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(start);
    tests::Guarded<uint64_t> erased(want_erased.size());
    filter.Erase(digests, begin, end, erased.span());
    REQUIRE(filter.DifferenceFrom(want) == "");
    REQUIRE(tests::FirstDifference(erased.Copy(), want_erased) == "");
    REQUIRE(erased.GuardsIntact());
  });
}

TEST_CASE("erase leaves the reference's bytes and answers on every target",
          "[kernels][erase][long]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const size_t size : tests::EdgeSizes()) {
    for (const uint64_t num_blocks : tests::EdgeBlocks()) {
      INFO(size << " keys, " << num_blocks << " blocks, " << shape);
      // Half of the batch are members (some many times), half are non-members that may answer
      // "maybe".
      const auto members = DrawnDigests(size, size / 6 + 1, Catch::rngSeed() + size);
      auto batch = DrawnDigests(size, size + 1, Catch::rngSeed() + size + 1);
      for (size_t i = 0; i < size; i += 2) batch[i] = members[size - 1 - i];
      CheckErase(ReferenceHolding(members, num_blocks, shape), batch, 0, size);
    }
  }
}

TEST_CASE("erase handles exactly the keys from begin to end", "[kernels][erase]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const auto digests = DrawnDigests(200, 60, Catch::rngSeed());
  const ReferenceFilter start = ReferenceHolding(digests, 5, shape);
  for (const size_t begin : {0, 1, 16, 17, 63, 64, 65, 199, 200}) {
    for (const size_t length : {0, 1, 15, 16, 17, 33, 64}) {
      CheckErase(start, digests, begin, std::min(begin + length, digests.size()));
    }
  }
}

TEST_CASE("a block drained from 1000 keys is all zero again", "[kernels][erase]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const auto digests = DrawnDigests(1000, 900, Catch::rngSeed());
  CheckErase(ReferenceHolding(digests, 1, shape), digests, 0, digests.size());
}

TEST_CASE("a block of the marker state loses its last key as the first one", "[kernels][erase]") {
  const Shape shape(8);
  const auto digests = tests::Repeated(tests::EveryPositionOnce(), kMaxPlaneCount);
  CheckErase(ReferenceHolding(digests, 1, shape), digests, 0, 1);
  CheckErase(ReferenceHolding(digests, 1, shape), digests, 0, digests.size());
}

TEST_CASE("a block at its capacity loses and regains keys one by one", "[kernels][erase]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  const auto digests = DrawnDigests(RunCapacity(shape.num_slices), 40, Catch::rngSeed());
  CheckErase(ReferenceHolding(digests, 1, shape), digests, 0, 1);
  CheckErase(ReferenceHolding(digests, 1, shape), digests, 0, digests.size());
}

TEST_CASE("an absent key changes nothing even where some of its positions are present",
          "[kernels][erase]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t member = 0x0000000512345678;
  const ReferenceFilter start = ReferenceHolding({member}, 1, shape);
  // One low bit apart: most salts send it to another position, some to the same.
  for (uint32_t bit = 0; bit < 32; ++bit) {
    CheckErase(start, {member ^ (uint64_t{1} << bit)}, 0, 1);
  }
}

}  // namespace
}  // namespace trommel::kernels
