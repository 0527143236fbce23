// Long runs of one block, against its counters.
#include "engine/src/blocks/long_runs.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/run_block.h"
#include "kernels/run_slice.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

using tests::BlockCounters;

TEST_CASE("long runs equal single counters after each key", "[engine][long_runs]") {
  for (const uint32_t num_slices : tests::kAllShapes) {
    for (const size_t num_distinct : {1, 2, 10, 1000}) {
      std::mt19937_64 random(Catch::rngSeed() + num_distinct);
      BlockCounters want(num_slices);
      std::vector<uint32_t> presence = want.PresenceWords();
      std::vector<uint64_t> runs(num_slices);
      REQUIRE(MakeLongRuns(want.counters, runs));
      const auto pool = tests::DrawnDigests(1000, num_distinct, random());
      std::vector<uint64_t> held;
      for (int step = 0; step < 1500; ++step) {
        const bool is_filling = step / 100 % 2 == 0;
        const bool adds = held.empty() || (held.size() < kernels::kMaxLongRunKeys &&
                                           random() % 10 < (is_filling ? 9 : 1));
        const size_t at = adds ? held.size() : random() % held.size();
        if (adds) held.push_back(pool[random() % pool.size()]);
        const uint64_t digest = held[at];
        if (adds) {
          IncrementLongRuns(digest, presence.data(), runs);
          want.Add(digest);
        } else {
          DecrementLongRuns(digest, presence.data(), runs);
          want.Take(digest);
          held[at] = held.back();
          held.pop_back();
        }
        std::vector<uint64_t> got(want.counters.size(), 99);
        CopyLongRuns(runs, presence.data(), got);
        std::vector<uint64_t> made(num_slices);
        if (got != want.counters || presence != want.PresenceWords() || !MakeLongRuns(got, made) ||
            made != runs) {
          FAIL(num_slices << " slices, step " << step << ", " << held.size() << " keys");
        }
        const uint64_t other = pool[random() % pool.size()];
        for (size_t s = 0; s < num_slices; ++s) {
          REQUIRE(LongRunCount(runs, presence.data(), other, s) == want.At(other, s));
        }
      }
    }
  }
}

TEST_CASE("long runs take 63 keys and no uneven slices", "[engine][long_runs]") {
  for (const uint32_t num_slices : tests::kAllShapes) {
    const size_t positions = kernels::SlicePositions(num_slices);
    BlockCounters block(num_slices);
    std::vector<uint64_t> runs(num_slices);
    for (int i = 0; i < 63; ++i) block.Add(uint64_t{0x9e3779b97f4a7c15} * static_cast<uint64_t>(i));
    CHECK(MakeLongRuns(block.counters, runs));
    for (const uint64_t slice : runs) CHECK(kernels::KeysOfRuns(slice) == 63);
    block.Add(5);
    CHECK_FALSE(MakeLongRuns(block.counters, runs));
    block.Take(5);
    const auto last = block.counters.end() - static_cast<std::ptrdiff_t>(positions);
    *std::find_if(last, block.counters.end(), [](uint64_t count) { return count > 0; }) -= 1;
    CHECK_FALSE(MakeLongRuns(block.counters, runs));
    std::vector<uint64_t> huge(num_slices * positions);
    for (size_t s = 0; s < num_slices; ++s) {  // a sum that is small if it wraps
      huge[s * positions] = 2;
      huge[s * positions + 1] = ~uint64_t{0};
    }
    CHECK_FALSE(MakeLongRuns(huge, runs));
  }
}

TEST_CASE("a slice of 64 positions is two presence words, the low one first",
          "[engine][long_runs]") {
  const std::vector<uint32_t> words = {1, 0x80000000U, 6, 0, 0, 0, 0, 0};
  CHECK(kernels::SlicePresence(words.data(), 0, 4) == 0x8000000000000001U);
  CHECK(kernels::SlicePresence(words.data(), 1, 4) == 6);
  CHECK(kernels::SlicePresence(words.data(), 1, 8) == 0x80000000U);
}

}  // namespace
}  // namespace trommel
