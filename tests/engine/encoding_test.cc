// What the table of every encoding promises.
#include "engine/src/blocks/encoding.h"

#include <cstdint>
#include <random>
#include <vector>

#include "engine/src/blocks/long_runs.h"
#include "kernels/layout.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

TEST_CASE("an encoding decodes the counters that it encoded", "[engine][encoding]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const size_t num_slices = shape.num_slices;
  const BlockEncoding& encoding = EncodingTable(tests::GeometryOf(shape, 1).encoding);
  std::mt19937_64 random(Catch::rngSeed());
  for (uint64_t most = 0; most < 20; ++most) {
    // Keys of random positions, so that all slices hold the same number.
    std::vector<uint64_t> counters(shape.num_counters());
    for (uint64_t i = 0; i < most * most; ++i) {
      const uint64_t digest = random();
      for (size_t s = 0; s < num_slices; ++s) {
        // Few positions, so that some counters are large.
        counters[kernels::CounterIndex(digest, s, num_slices) & ~uint32_t{7}] += 1;
      }
    }
    if (!encoding.fits(counters, num_slices)) continue;
    std::vector<uint32_t> presence(shape.num_counters() / 32, ~0U);
    std::vector<uint32_t> counts(encoding.count_words(num_slices), ~0U);
    encoding.encode(counters, num_slices, presence.data(), counts.data());
    CHECK_FALSE(encoding.is_promoted(presence.data(), counts.data(), num_slices));
    std::vector<uint64_t> decoded(counters.size(), 99);
    encoding.decode(presence.data(), counts.data(), num_slices, decoded);
    CHECK(decoded == counters);
    for (size_t i = 0; i < counters.size(); ++i) {
      REQUIRE(encoding.count_at(presence.data(), counts.data(), num_slices, i / shape.positions(),
                                static_cast<uint32_t>(i % shape.positions())) == counters[i]);
      REQUIRE((presence[i / 32] >> (i % 32) & 1) == (counters[i] > 0 ? 1 : 0));
    }
  }
}

TEST_CASE("an empty block is all zero and a marked one is promoted", "[engine][encoding]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const size_t num_slices = shape.num_slices;
  const BlockEncoding& encoding = EncodingTable(tests::GeometryOf(shape, 1).encoding);
  const std::vector<uint64_t> none(shape.num_counters(), 0);
  std::vector<uint32_t> presence(shape.num_counters() / 32, ~0U);
  std::vector<uint32_t> counts(encoding.count_words(num_slices), ~0U);
  encoding.encode(none, num_slices, presence.data(), counts.data());
  CHECK(presence == std::vector<uint32_t>(presence.size(), 0));
  CHECK(counts == std::vector<uint32_t>(counts.size(), 0));
  CHECK_FALSE(encoding.is_promoted(presence.data(), counts.data(), num_slices));
  presence[0] = 1;  // a promoted block has keys
  encoding.mark_promoted(counts.data(), num_slices);
  CHECK(encoding.is_promoted(presence.data(), counts.data(), num_slices));
}

TEST_CASE("counters that have drained fit", "[engine][encoding]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const size_t num_slices = shape.num_slices;
  const BlockEncoding& encoding = EncodingTable(tests::GeometryOf(shape, 1).encoding);
  for (uint64_t count = 0; count < 20; ++count) {
    const std::vector<uint64_t> counters(shape.num_counters(), count);
    if (encoding.has_drained(counters, num_slices)) CHECK(encoding.fits(counters, num_slices));
  }
  CHECK(encoding.has_drained(std::vector<uint64_t>(shape.num_counters(), 0), num_slices));
}

TEST_CASE("run strings have drained when their counters have", "[engine][encoding]") {
  constexpr size_t num_slices = 8;
  const BlockEncoding& encoding = EncodingTable(Encoding::kPlanes);
  std::vector<uint64_t> runs(num_slices);
  size_t num_drained = 0;
  for (uint64_t round = 0; round < 400; ++round) {
    tests::BlockCounters block(num_slices);
    const auto keys = tests::DrawnDigests(5 + round % 58, 4 + round / 40, Catch::rngSeed() + round);
    for (const uint64_t digest : keys) block.Add(digest);
    REQUIRE(MakeLongRuns(block.counters, runs));
    const bool want = encoding.has_drained(block.counters, num_slices);
    REQUIRE(encoding.has_drained_runs(runs, num_slices) == want);
    num_drained += want ? 1 : 0;
  }
  CHECK(num_drained > 20);
  CHECK(num_drained < 380);
}

TEST_CASE("an encoding's kernels are those of the requested shape", "[engine][encoding]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const BlockEncoding& encoding = EncodingTable(tests::GeometryOf(shape, 1).encoding);
  for (const kernels::KernelTable& table : kernels::RunnableKernels()) {
    CHECK(&(table.*encoding.kernels(shape.num_slices)) == &tests::KernelsOf(table, shape));
  }
}

}  // namespace
}  // namespace trommel
