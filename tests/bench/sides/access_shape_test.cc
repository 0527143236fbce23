// The cache lines that operations touch.
#include "bench/sides/access_shape.h"

#include <vector>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("planes touch presence and counts separately, runs the lines of their block",
          "[bench][shape]") {
  struct Case {
    Encoding encoding;
    uint32_t num_slices;
    uint32_t query_lines;
    uint32_t update_lines;
    size_t num_arrays;  // of an update
  };
  const Case c = GENERATE(values<Case>({{Encoding::kPlanes, 8, 1, 3, 2},
                                        {Encoding::kRuns, 4, 1, 1, 1},
                                        {Encoding::kRuns, 5, 1, 1, 1},
                                        {Encoding::kRuns, 8, 1, 1, 1},
                                        {Encoding::kRuns, 10, 2, 2, 1}}));
  const Geometry geometry{.num_slices = c.num_slices, .encoding = c.encoding, .num_blocks = 1000};
  REQUIRE(Validate(geometry).ok());
  const std::vector<Touch> query = QueryShape(geometry);
  REQUIRE(query.size() == 1);
  CHECK(query[0].bytes == geometry.query_bytes());
  CHECK(NumLines(query) == c.query_lines);
  const std::vector<Touch> update = UpdateShape(geometry);
  CHECK(update.size() == c.num_arrays);
  CHECK(NumLines(update) == c.update_lines);
  uint64_t num_bytes = 0;
  for (const Touch& touch : update) num_bytes += touch.bytes;
  CHECK(num_bytes == geometry.num_bytes());
}

}  // namespace

}  // namespace trommel::bench
