// What `trommel size` says: the lines that a key touches. The text itself is in size_test.cc.
#include "tools/trommel/size_print.h"

#include <cstdint>

#include "support/catch.h"

namespace trommel::tool {
namespace {

TEST_CASE("cache lines a query reads and an update changes", "[tools][size]") {
  const auto [encoding, num_slices, query, update] =
      GENERATE(table<Encoding, uint32_t, uint64_t, uint64_t>({{Encoding::kPlanes, 8, 1, 3},
                                                              {Encoding::kPlanes, 16, 1, 4},
                                                              {Encoding::kRuns, 4, 1, 1},
                                                              {Encoding::kRuns, 5, 1, 1},
                                                              {Encoding::kRuns, 8, 1, 1},
                                                              {Encoding::kRuns, 10, 2, 2}}));
  const Geometry geometry{.num_slices = num_slices, .encoding = encoding, .num_blocks = 77};
  CHECK(LinesOfQuery(geometry) == query);
  CHECK(LinesOfUpdate(geometry) == update);
}

}  // namespace
}  // namespace trommel::tool
