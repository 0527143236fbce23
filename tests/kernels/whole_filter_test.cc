// Tally, merge, subtract and fold, block by block: the reference's bytes on every target, and a
// block that cannot be done is reported and left alone.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "kernels/kernels.h"
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

// So few distinct keys per block that counters rise, so few copies that most blocks still fit.
ReferenceFilter SomeFilter(uint64_t num_blocks, Shape shape, uint64_t seed) {
  ReferenceFilter filter(num_blocks, shape);
  const size_t size = num_blocks * 12;
  for (const uint64_t digest : DrawnDigests(size, size / 2 + 1, seed)) filter.Insert(digest);
  return filter;
}

// Is this block of the canonical words promoted?
bool IsPromotedIn(const ReferenceFilter& filter, uint64_t block_idx) {
  const std::vector<uint64_t> promoted = filter.PromotedBlocks();
  return std::find(promoted.begin(), promoted.end(), block_idx) != promoted.end();
}

// Runs a whole-filter kernel over all blocks, skipping those it reports, which it must have left
// alone. Returns them.
template <class Kernel>
std::vector<uint64_t> RunOver(const Kernel& kernel, uint64_t num_blocks, KernelFilter& into,
                              size_t words_per_block) {
  std::vector<uint64_t> reported;
  for (uint64_t b = 0; b < num_blocks; ++b) {
    const auto before = into.CountWords();
    const uint64_t end = kernel(b, num_blocks);
    REQUIRE(end >= b);
    REQUIRE(end <= num_blocks);
    b = end;
    if (b == num_blocks) break;
    const auto after = into.CountWords();
    for (size_t i = b * words_per_block; i < (b + 1) * words_per_block; ++i) {
      if (before[i] != after[i]) FAIL("block " << b << " was reported and changed");
    }
    reported.push_back(b);
  }
  return reported;
}

// Block b of the words equals block b of the wanted words unless it was reported.
void CheckBlocks(const std::vector<uint32_t>& got, const std::vector<uint32_t>& want,
                 size_t words_per_block, const std::vector<uint64_t>& reported) {
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const uint64_t block_idx = i / words_per_block;
    if (std::find(reported.begin(), reported.end(), block_idx) != reported.end()) continue;
    if (got[i] != want[i]) FAIL("word " << i << " of block " << block_idx << " differs");
  }
}

void CheckLike(KernelFilter& got, const ReferenceFilter& want,
               const std::vector<uint64_t>& reported) {
  const Shape shape = want.shape();
  CheckBlocks(got.PresenceWords(), want.PresenceWords(), shape.num_counters() / 32, reported);
  CheckBlocks(got.CountWords(), want.CountWords(), want.CountWordsPerBlock(), reported);
}

TEST_CASE("tally counts what a scalar loop counts on every target", "[kernels][whole_filter]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const uint64_t num_blocks : tests::EdgeBlocks()) {
    ReferenceFilter reference = SomeFilter(num_blocks, shape, Catch::rngSeed());
    for (int i = 0; i < 70; ++i) reference.Insert(0);  // block 0 is promoted
    const std::vector<uint32_t> presence = reference.PresenceWords();
    for (const uint64_t begin : {uint64_t{0}, num_blocks / 2, num_blocks}) {
      Tally want;
      for (uint64_t b = begin; b < num_blocks; ++b) {
        Uint128 product = 1;
        for (size_t s = 0; s < shape.num_slices; ++s) {
          const size_t words = shape.positions() / 32;
          uint64_t bits = 0;
          for (size_t w = 0; w < words; ++w) {
            const uint32_t word = presence[(b * shape.num_slices + s) * words + w];
            bits += static_cast<uint64_t>(std::popcount(word));
          }
          want.num_present += bits;
          product *= bits;
        }
        want.product_sum += product;
        want.num_promoted += IsPromotedIn(reference, b) ? 1 : 0;
      }
      tests::ForEachRunnableTarget([&] {
        KernelFilter filter(reference);
        CHECK((filter.block_kernels().tally(filter.View(), begin, num_blocks) == want));
      });
    }
  }
}

TEST_CASE("tally of full blocks needs more than 64 bits and gets them", "[kernels][whole_filter]") {
  constexpr uint64_t kBlocks = 100;
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(kBlocks, shape);
    for (uint64_t b = 0; b < kBlocks; ++b) {
      std::fill_n(filter.PresenceOf(b), shape.num_counters() / 32, ~uint32_t{0});
    }
    Uint128 product = 1;  // 2^60 of 10 slices
    for (size_t s = 0; s < shape.num_slices; ++s) product *= shape.positions();
    const Tally tally = filter.block_kernels().tally(filter.View(), 0, kBlocks);
    CHECK(tally.num_present == kBlocks * shape.num_counters());
    CHECK((tally.product_sum == kBlocks * product));
  });
}

TEST_CASE("merge adds counter by counter or reports the block", "[kernels][whole_filter]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const uint64_t num_blocks : tests::EdgeBlocks()) {
    const ReferenceFilter a = SomeFilter(num_blocks, shape, Catch::rngSeed());
    const ReferenceFilter b = SomeFilter(num_blocks, shape, Catch::rngSeed() + 1);
    ReferenceFilter want = a;
    want.Merge(b);
    tests::ForEachRunnableTarget([&] {
      KernelFilter into(a);
      KernelFilter from(b);
      const auto reported = RunOver(
          [&](uint64_t begin, uint64_t end) {
            return into.block_kernels().merge(into.View(), from.View(), begin, end);
          },
          num_blocks, into, want.CountWordsPerBlock());
      // Reported are exactly the blocks whose sum does not fit.
      CHECK(reported == want.PromotedBlocks());
      CheckLike(into, want, reported);
      CHECK(from.DifferenceFrom(b) == "");
    });
  }
}

TEST_CASE("two halves of the marker state are not merged into it", "[kernels][whole_filter]") {
  const Shape shape(8);
  ReferenceFilter half(2, shape);
  for (const uint64_t digest : tests::Repeated(tests::EveryPositionOnce(), kMaxPlaneCount / 2)) {
    half.Insert(digest);
    half.Insert(digest | uint64_t{1} << 63);
  }
  tests::ForEachRunnableTarget([&] {
    KernelFilter into(half);
    KernelFilter from(half);
    CHECK(into.block_kernels().merge(into.View(), from.View(), 0, 2) == 0);
    KernelFilter folded(1, shape);
    CHECK(folded.block_kernels().fold(folded.View(), from.View(), 0, 1) == 0);
    CHECK(into.DifferenceFrom(half) == "");
    CHECK(folded.DifferenceFrom(ReferenceFilter(1, shape)) == "");
  });
}

TEST_CASE("subtract takes counter by counter or reports the block", "[kernels][whole_filter]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const uint64_t num_blocks : tests::EdgeBlocks()) {
    const ReferenceFilter part = SomeFilter(num_blocks, shape, Catch::rngSeed());
    ReferenceFilter whole = SomeFilter(num_blocks, shape, Catch::rngSeed() + 1);
    const ReferenceFilter want = whole;
    whole.Merge(part);
    tests::ForEachRunnableTarget([&] {
      KernelFilter into(whole);
      KernelFilter from(part);
      std::vector<uint64_t> looked;
      for (uint64_t b = 0; b < num_blocks; ++b) {
        b = into.block_kernels().can_subtract(into.View(), from.View(), b, num_blocks);
        if (b < num_blocks) looked.push_back(b);
      }
      CHECK(into.DifferenceFrom(whole) == "");  // looking changes nothing
      const auto reported = RunOver(
          [&](uint64_t begin, uint64_t end) {
            return into.block_kernels().subtract(into.View(), from.View(), begin, end);
          },
          num_blocks, into, want.CountWordsPerBlock());
      CHECK(reported == looked);
      CHECK(reported == whole.PromotedBlocks());
      CheckLike(into, want, reported);
    });
  }
}

TEST_CASE("a counter that would fall below zero is reported at every count",
          "[kernels][whole_filter]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t digest = DrawnDigests(1, 1, Catch::rngSeed())[0];
  const uint32_t most = tests::MostCopies(shape);
  const uint32_t step = most / 8;
  for (uint32_t ours = 0; ours <= most; ours += step) {
    for (uint32_t theirs = 0; theirs <= most; theirs += step) {
      ReferenceFilter a(1, shape);
      ReferenceFilter b(1, shape);
      for (uint32_t i = 0; i < ours; ++i) a.Insert(digest);
      for (uint32_t i = 0; i < theirs; ++i) b.Insert(digest);
      ReferenceFilter want = a;
      if (a.CanSubtract(b)) want.Subtract(b);
      tests::ForEachRunnableTarget([&] {
        KernelFilter into(a);
        KernelFilter from(b);
        const uint64_t end = ours >= theirs ? 1 : 0;
        REQUIRE(into.block_kernels().can_subtract(into.View(), from.View(), 0, 1) == end);
        REQUIRE(into.block_kernels().subtract(into.View(), from.View(), 0, 1) == end);
        REQUIRE(into.DifferenceFrom(want) == "");
      });
    }
  }
}

TEST_CASE("fold adds neighbouring blocks or reports the block", "[kernels][whole_filter]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  for (const uint64_t num_blocks : {2, 6, 14, 128, 1000}) {
    const ReferenceFilter whole = SomeFilter(num_blocks, shape, Catch::rngSeed());
    const ReferenceFilter want = whole.Folded();
    tests::ForEachRunnableTarget([&] {
      KernelFilter from(whole);
      KernelFilter into(num_blocks / 2, shape);
      const auto reported = RunOver(
          [&](uint64_t begin, uint64_t end) {
            return into.block_kernels().fold(into.View(), from.View(), begin, end);
          },
          num_blocks / 2, into, want.CountWordsPerBlock());
      CHECK(reported == want.PromotedBlocks());
      CheckLike(into, want, reported);
      CHECK(from.DifferenceFrom(whole) == "");
    });
  }
}

}  // namespace
}  // namespace trommel::kernels
