// The seam of encodings: whatever an encoding is, its table must keep these promises.
#include "engine/src/encoding.h"

#include <cstdint>
#include <random>
#include <vector>

#include "engine/src/long_runs.h"
#include "kernels/layout.h"
#include "kernels/targets.h"
#include "support/block_counters.h"
#include "support/catch.h"
#include "support/digests.h"

namespace trommel {
namespace {

TEST_CASE("an encoding gives back the counters it was given", "[engine][encoding]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  const BlockEncoding& encoding = EncodingTable(Encoding::kPlanes);
  std::mt19937_64 random(Catch::rngSeed());
  for (uint64_t most = 0; most < 20; ++most) {
    std::vector<uint64_t> counters(num_slices * kernels::kPositions);
    for (uint64_t& count : counters) count = random() % (most + 1);
    if (!encoding.fits(counters, num_slices)) continue;
    std::vector<uint32_t> presence(num_slices, ~0U);
    std::vector<uint32_t> counts(num_slices * encoding.count_words_per_slice, ~0U);
    encoding.encode(counters, num_slices, presence.data(), counts.data());
    CHECK_FALSE(encoding.is_promoted(counts.data(), num_slices));
    std::vector<uint64_t> decoded(counters.size(), 99);
    encoding.decode(presence.data(), counts.data(), num_slices, decoded);
    CHECK(decoded == counters);
    for (size_t i = 0; i < counters.size(); ++i) {
      REQUIRE(encoding.count_at(presence.data(), counts.data(), num_slices, i / 32, i % 32) ==
              counters[i]);
      REQUIRE((presence[i / 32] >> (i % 32) & 1) == (counters[i] > 0 ? 1 : 0));
    }
  }
}

TEST_CASE("an empty block is all zero and a marked one is promoted", "[engine][encoding]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  const BlockEncoding& encoding = EncodingTable(Encoding::kPlanes);
  const std::vector<uint64_t> none(num_slices * kernels::kPositions, 0);
  std::vector<uint32_t> presence(num_slices, ~0U);
  std::vector<uint32_t> counts(num_slices * encoding.count_words_per_slice, ~0U);
  encoding.encode(none, num_slices, presence.data(), counts.data());
  CHECK(presence == std::vector<uint32_t>(presence.size(), 0));
  CHECK(counts == std::vector<uint32_t>(counts.size(), 0));
  CHECK_FALSE(encoding.is_promoted(counts.data(), num_slices));
  encoding.mark_promoted(counts.data(), num_slices);
  CHECK(encoding.is_promoted(counts.data(), num_slices));
}

TEST_CASE("what has drained fits", "[engine][encoding]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  const BlockEncoding& encoding = EncodingTable(Encoding::kPlanes);
  for (uint64_t count = 0; count < 20; ++count) {
    const std::vector<uint64_t> counters(num_slices * kernels::kPositions, count);
    if (encoding.has_drained(counters, num_slices)) CHECK(encoding.fits(counters, num_slices));
  }
  CHECK(encoding.has_drained(std::vector<uint64_t>(num_slices * 32, 0), num_slices));
}

TEST_CASE("run strings have drained when their counters have", "[engine][encoding]") {
  const auto num_slices = GENERATE(size_t{8}, size_t{16});
  const BlockEncoding& encoding = EncodingTable(Encoding::kPlanes);
  std::vector<uint64_t> runs(num_slices);
  size_t num_drained = 0;
  for (uint64_t round = 0; round < 400; ++round) {
    tests::BlockCounters block(num_slices);
    const auto keys = tests::DrawnDigests(5 + round % 58, 4 + round / 40, Catch::rngSeed() + round);
    for (const uint64_t digest : keys) block.Add(digest);
    REQUIRE(MakeLongRuns(block.counters, runs));
    const bool want = encoding.has_drained(block.counters, num_slices);
    REQUIRE(encoding.has_drained_runs(runs) == want);
    num_drained += want ? 1 : 0;
  }
  CHECK(num_drained > 20);
  CHECK(num_drained < 380);
}

TEST_CASE("an encoding's kernels are those of the shape asked for", "[engine][encoding]") {
  const BlockEncoding& encoding = EncodingTable(Encoding::kPlanes);
  for (const kernels::Kernels& table : kernels::RunnableKernels()) {
    CHECK(&(table.*encoding.kernels(8)) == &table.planes8);
    CHECK(&(table.*encoding.kernels(16)) == &table.planes16);
  }
}

}  // namespace
}  // namespace trommel
