// Keys of promoted blocks: the reference's presence bits and run strings on every target.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "kernels/run_slice.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

// The strings that the reference's counters make, each with its closing 1.
std::vector<uint64_t> RunsOf(const ReferenceFilter& reference) {
  const Shape& shape = reference.shape();
  std::vector<uint64_t> runs(shape.num_slices);
  for (size_t s = 0; s < shape.num_slices; ++s) {
    const auto slice =
        std::span(reference.counters()).subspan(s * shape.positions(), shape.positions());
    runs[s] = std::max<uint64_t>(1, EncodeSlice(slice));
  }
  return runs;
}

TEST_CASE("long runs gain and lose keys as the reference does on every target",
          "[kernels][long_runs]") {
  const Shape shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachTargetAndSelect([&] {
    std::mt19937_64 random(Catch::rngSeed());
    const LongRunKernels& kernels = ActiveKernels().long_runs(shape.num_slices);
    ReferenceFilter want(1, shape);
    alignas(64) uint32_t presence[20] = {};
    std::vector<uint64_t> runs(shape.num_slices, 1);
    std::vector<uint64_t> members;
    const std::vector<uint64_t> pool = tests::DrawnDigests(90, 60, Catch::rngSeed());
    for (int step = 0; step < 2000; ++step) {
      // Filled up, emptied, and filled again.
      const bool is_rising = step / 150 % 2 == 0;
      const bool adds =
          members.empty() || (members.size() < 63 && random() % 4 < (is_rising ? 3 : 1));
      if (adds) {
        members.push_back(pool[random() % pool.size()]);
        kernels.increment(members.back(), presence, runs.data());
        want.Insert(members.back());
      } else {
        std::swap(members[random() % members.size()], members.back());
        kernels.decrement(members.back(), presence, runs.data());
        want.Erase(members.back());
        members.pop_back();
      }
      const std::vector<uint32_t> want_presence = want.PresenceWords();
      if (!std::equal(want_presence.begin(), want_presence.end(), presence)) {
        FAIL("presence after step " << step << ", " << shape);
      }
      if (runs != RunsOf(want)) FAIL("runs after step " << step << ", " << shape);
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
