// Positions and queries of the classic filters: the reference's.
#include <cstdint>
#include <vector>

#include "kernels/classic_array.h"
#include "kernels/classic_reference.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/classic_shapes.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::DrawnDigests;
using tests::Guarded;

// The position of a key: the only one that it marks in an empty reference.
uint32_t MarkedPosition(const ClassicShape& shape, uint64_t digest, size_t hash_idx) {
  ClassicReference reference(shape);
  reference.Insert(digest);
  const auto& slice = reference.counters()[hash_idx];
  for (uint32_t p = 0; p < slice.size(); ++p) {
    if (slice[p] != 0) return p;
  }
  return ~0U;
}

TEST_CASE("positions are the reference's on every target", "[kernels][classic]") {
  const bool is_mixed = GENERATE(false, true);
  // The extremes of both halves, and some between.
  std::vector<uint64_t> digests = DrawnDigests(20, 20, Catch::rngSeed());
  for (const uint64_t half : {0x00000000ULL, 0x00000001ULL, 0x7fffffffULL, 0xffffffffULL}) {
    digests.push_back(half << 32 | 0xffffffffU);
    digests.push_back(half << 32);
  }
  const ClassicShape shape{true, is_mixed, 64, 4, 1001};
  const ClassicArray array = tests::ArrayOf(shape, nullptr);
  for (const size_t hash_idx : {size_t{0}, size_t{1}, size_t{2}, size_t{31}, size_t{63}}) {
    std::vector<uint32_t> want;
    for (const uint64_t digest : digests) {
      want.push_back(MarkedPosition(shape, digest, hash_idx));
      CHECK(ClassicPosition(array, digest, hash_idx) == want.back());
    }
    tests::ForEachRunnableTarget([&] {
      for (const size_t size : {size_t{0}, size_t{1}, size_t{7}, digests.size()}) {
        Guarded<uint32_t> positions(size, 0, size % 3);
        ActiveKernels().classic.positions(digests.data() + digests.size() - size, size, array,
                                          hash_idx, positions.data());
        CHECK(tests::FirstDifference(positions.Copy(),
                                     {want.end() - static_cast<int>(size), want.end()}) == "");
        CHECK(positions.GuardsIntact());
      }
    });
  }
}

TEST_CASE("positions reach the last of 2^32 - 1 and never pass it on every target",
          "[kernels][classic]") {
  const std::vector<uint64_t> digests = {0, ~uint64_t{0}, 0xffffffff00000000ULL,
                                         0x80000000ULL << 32};
  const ClassicShape shape{true, false, 1, 4, 0xffffffffU};
  tests::ForEachRunnableTarget([&] {
    std::vector<uint32_t> positions(digests.size());
    ActiveKernels().classic.positions(digests.data(), digests.size(),
                                      tests::ArrayOf(shape, nullptr), 0, positions.data());
    CHECK(positions == std::vector<uint32_t>{0, 0xfffffffeU, 0xfffffffeU, 0x7fffffffU});
  });
}

TEST_CASE("queries of classic filters give the reference's answers on every target",
          "[kernels][classic][query]") {
  const ClassicShape shape = GENERATE(from_range(tests::ClassicShapes()));
  INFO(shape);
  ClassicReference reference(shape);
  const auto members = DrawnDigests(shape.num_positions / 2 + 1, 400, Catch::rngSeed());
  for (const uint64_t digest : members) reference.Insert(digest);
  const std::vector<uint8_t> bytes = reference.Bytes();
  Guarded<uint8_t> memory(bytes.size());
  std::copy(bytes.begin(), bytes.end(), memory.data());
  const ClassicArray array = tests::ArrayOf(shape, memory.data());

  std::vector<uint64_t> digests = DrawnDigests(2500, 2500, Catch::rngSeed() + 1);
  for (size_t i = 0; i < digests.size(); i += 3) digests[i] = members[i % members.size()];
  for (const size_t size : {0, 1, 3, 4, 5, 63, 64, 65, 1023, 1024, 1025, 2500}) {
    for (const uint32_t num_probes : {1U, (shape.num_hashes + 1) / 2, shape.num_hashes}) {
      std::vector<uint64_t> want((size + 63) / 64, 0);
      size_t num_want = 0;
      for (size_t i = 0; i < size; ++i) {
        const bool answer = reference.MayContain(digests[i], num_probes);
        want[i / 64] |= uint64_t{answer} << i % 64;
        num_want += answer ? 1 : 0;
      }
      tests::ForEachRunnableTarget([&] {
        Guarded<uint64_t> bitmap(want.size(), ~uint64_t{0});
        const size_t num_present =
            ActiveKernels().classic.query(digests.data(), size, array, num_probes, bitmap.data());
        REQUIRE(num_present == num_want);
        REQUIRE(tests::FirstDifference(bitmap.Copy(), want) == "");
        REQUIRE(bitmap.GuardsIntact());
      });
    }
  }
  CHECK(memory.Copy() == bytes);
}

TEST_CASE("a digest's hashes are f1 + i f2 of its halves, f2 made odd", "[kernels][classic]") {
  // By hand: f1 = 0xfffffff0, f2 = 6, which becomes 7.
  constexpr uint64_t kDigest = 0xfffffff000000006ULL;
  CHECK(ClassicHash(kDigest, 0) == 0xfffffff0U);
  CHECK(ClassicHash(kDigest, 1) == 0xfffffff7U);
  CHECK(ClassicHash(kDigest, 3) == 5);  // it wraps around
  CHECK(ClassicHash(kDigest, 3) == ClassicHash(kDigest | 1, 3));
  // MurmurHash3's finalizer is a permutation that leaves zero alone, and this is a known value.
  CHECK(ClassicMix(0) == 0);
  CHECK(ClassicMix(1) == 0x514e28b7U);
}

}  // namespace
}  // namespace trommel::kernels
