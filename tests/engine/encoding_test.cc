// What the table of every encoding promises.
#include "engine/src/blocks/encoding.h"

#include <cstdint>
#include <vector>

#include "engine/src/blocks/long_runs.h"
#include "kernels/layout.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

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
