// Insert and insert-if-absent: the reference's bytes on every target.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "kernels/kernels.h"
#include "kernels/plane_block.h"
#include "kernels/reference.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/kernel_filter.h"
#include "support/shapes.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::DrawnDigests;
using tests::KernelFilter;

constexpr size_t kMaxChunkKeys = kernels::kMaxChunkKeys;

ReferenceFilter ReferenceOf(const std::vector<uint64_t>& digests, uint64_t num_blocks,
                            Shape shape) {
  ReferenceFilter reference(num_blocks, shape);
  for (const uint64_t digest : digests) reference.Insert(digest);
  return reference;
}

TEST_CASE("insert leaves the reference's bytes on every target", "[kernels][insert]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const size_t size : tests::EdgeSizes()) {
    for (const uint64_t num_blocks : tests::EdgeBlocks()) {
      INFO(size << " keys, " << num_blocks << " blocks, " << shape);
      const auto digests = DrawnDigests(size, size / 3 + 1, Catch::rngSeed() + size);
      const ReferenceFilter want = ReferenceOf(digests, num_blocks, shape);
      tests::ForEachRunnableTarget([&] {
        KernelFilter filter(num_blocks, shape);
        filter.Insert(digests, 0, digests.size());
        REQUIRE(filter.DifferenceFrom(want) == "");
      });
    }
  }
}

TEST_CASE("insert handles exactly the keys from begin to end", "[kernels][insert]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const auto digests = DrawnDigests(200, 60, Catch::rngSeed());
  for (const size_t begin : {0, 1, 16, 17, 63, 64, 65, 199, 200}) {
    for (const size_t length : {0, 1, 15, 16, 17, 33, 64}) {
      const size_t end = std::min(begin + length, digests.size());
      const auto first = digests.begin();
      const ReferenceFilter want = ReferenceOf(
          {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)}, 5,
          shape);
      tests::ForEachRunnableTarget([&] {
        KernelFilter filter(5, shape);
        filter.Insert(digests, begin, end);
        REQUIRE(filter.DifferenceFrom(want) == "");
      });
    }
  }
}

TEST_CASE("the engine's largest batch leaves the reference's bytes", "[kernels][insert]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const size_t size : {kMaxChunkKeys - 1, kMaxChunkKeys, kMaxChunkKeys + 1}) {
    const auto digests = DrawnDigests(size, size / 3, Catch::rngSeed());
    const ReferenceFilter want = ReferenceOf(digests, 99, shape);
    tests::ForEachRunnableTarget([&] {
      KernelFilter filter(99, shape);
      filter.Insert(digests, 0, digests.size());
      REQUIRE(filter.DifferenceFrom(want) == "");
    });
  }
}

TEST_CASE("1000 keys go into one block of many on every target", "[kernels][insert]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  auto digests = DrawnDigests(1000, 1000, Catch::rngSeed());
  for (uint64_t& digest : digests)
    digest = digest % (uint64_t{1} << 32) | uint64_t{0x80000000} << 32;
  const ReferenceFilter want = ReferenceOf(digests, 9, shape);
  REQUIRE(want.PromotedBlocks() == std::vector<uint64_t>{4});
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(9, shape);
    filter.Insert(digests, 0, digests.size());
    REQUIRE(filter.DifferenceFrom(want) == "");
  });
}

TEST_CASE("an insert that would overflow stops or is spilled, with nothing of that key done",
          "[kernels][insert]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t digest = DrawnDigests(1, 1, Catch::rngSeed())[0];
  const std::vector<uint64_t> most(tests::MostCopies(shape), digest);
  const std::vector<uint64_t> more(most.size() + 2, digest);
  const ReferenceFilter want = ReferenceOf(most, 3, shape);
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(3, shape);
    std::vector<uint32_t> spilled(more.size(), 77);
    const UpdateProgress applied =
        filter.block_kernels().insert(more.data(), {0, more.size()}, filter.View(), spilled.data());
    if (shape.has_runs) {
      CHECK(applied.end == more.size());
      CHECK(applied.num_spilled == 2);
      CHECK(spilled[0] == most.size());
      CHECK(spilled[1] == most.size() + 1);
    } else {
      CHECK(applied.end == most.size());
      CHECK(applied.num_spilled == 0);
    }
    CHECK(filter.DifferenceFrom(want) == "");
  });
}

TEST_CASE("keys of a promoted block are spilled and change nothing", "[kernels][insert]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t digest = DrawnDigests(1, 1, Catch::rngSeed())[0];
  const ReferenceFilter full = ReferenceOf(std::vector<uint64_t>(70, digest), 1, shape);
  const auto digests = DrawnDigests(50, 50, Catch::rngSeed() + 1);
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(full);
    std::vector<uint32_t> spilled(digests.size());
    std::vector<uint64_t> inserted(1, 0);
    UpdateProgress applied = filter.block_kernels().insert(digests.data(), {3, digests.size()},
                                                           filter.View(), spilled.data());
    CHECK(applied.end == digests.size());
    CHECK(applied.num_spilled == digests.size() - 3);
    CHECK(spilled.front() == 3);
    applied = filter.block_kernels().insert_if_absent(
        digests.data(), {0, digests.size()}, filter.View(), inserted.data(), spilled.data());
    CHECK(applied.num_spilled == digests.size());
    CHECK(inserted[0] == 0);
    CHECK(filter.DifferenceFrom(full) == "");
  });
}

TEST_CASE("256 keys that fill slice 0 to the brim stop one short of the marker",
          "[kernels][insert]") {
  const Shape shape(8);
  const auto digests = tests::Repeated(tests::EveryPositionOnce(), kMaxPlaneCount);
  const std::vector<uint64_t> but_one(digests.begin(), digests.end() - 1);
  const ReferenceFilter before = ReferenceOf(but_one, 1, shape);
  const ReferenceFilter after = ReferenceOf(digests, 1, shape);
  REQUIRE(before.PromotedBlocks().empty());
  REQUIRE(after.PromotedBlocks().size() == 1);
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(1, shape);
    std::vector<uint32_t> spilled(digests.size());
    const UpdateProgress applied = filter.block_kernels().insert(
        digests.data(), {0, digests.size()}, filter.View(), spilled.data());
    CHECK(applied.end == digests.size() - 1);
    CHECK(applied.num_spilled == 0);
    CHECK(filter.DifferenceFrom(before) == "");
    filter.Insert(digests, digests.size() - 1, digests.size());
    CHECK(filter.DifferenceFrom(after) == "");
  });
}

TEST_CASE("insert-if-absent leaves the reference's bytes and answers on every target",
          "[kernels][insert]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const size_t size : tests::EdgeSizes()) {
    for (const uint64_t num_blocks : tests::EdgeBlocks()) {
      INFO(size << " keys, " << num_blocks << " blocks, " << shape);
      // Some blocks are promoted before, so that spilled keys are among the answers.
      const auto before = DrawnDigests(size, size / 16 + 1, Catch::rngSeed() + size);
      const auto digests = DrawnDigests(size, size / 2 + 1, Catch::rngSeed() + size + 1);
      const ReferenceFilter start = ReferenceOf(before, num_blocks, shape);
      ReferenceFilter want = start;
      std::vector<uint64_t> want_inserted((size + 63) / 64, 0);
      for (size_t i = 0; i < size; ++i) {
        want_inserted[i / 64] |= uint64_t{want.InsertIfAbsent(digests[i])} << (i % 64);
      }
      tests::ForEachRunnableTarget([&] {
        KernelFilter filter(start);
        tests::Guarded<uint64_t> inserted(want_inserted.size());
        filter.InsertIfAbsent(digests, 0, size, inserted.span());
        REQUIRE(filter.DifferenceFrom(want) == "");
        REQUIRE(tests::FirstDifference(inserted.Copy(), want_inserted) == "");
        REQUIRE(inserted.GuardsIntact());
      });
    }
  }
}

}  // namespace
}  // namespace trommel::kernels
