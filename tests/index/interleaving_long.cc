// The same as interleaving_test.cc for very many seeds, on request:
//
//   TROMMEL_INTERLEAVINGS="FIRST COUNT" trommel_index_tests "[long]"
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "index/support/interleavings.h"
#include "support/catch.h"

namespace trommel::index {
namespace {

TEST_CASE("every row stays findable in very many interleavings", "[.][long]") {
  uint64_t first_seed = 1;
  uint64_t count = 1'000'000;
  if (const char* const range = std::getenv("TROMMEL_INTERLEAVINGS")) {
    std::istringstream(range) >> first_seed >> count;
  }
  CHECK(tests::RunInterleavings(first_seed, count) == "");
}

}  // namespace
}  // namespace trommel::index
