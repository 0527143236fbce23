// Every row stays findable: the protocol's own code, under interleavings chosen by a generator.
//
//   TROMMEL_INTERLEAVINGS="FIRST COUNT" trommel_index_tests "every row stays findable*"
//
// runs other seeds, as many as one likes.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "index/support/interleavings.h"
#include "support/catch.h"

namespace trommel::index {
namespace {

// Most mutants of this protocol (tests/bugs) fail within this many runs, all within the 10,000 of
// tests/bugs/run. Sanitizers, under which a run takes ten times as long, look for other faults.
#ifndef TROMMEL_NUM_INTERLEAVINGS
#define TROMMEL_NUM_INTERLEAVINGS 3'000
#endif

TEST_CASE("every row stays findable while rows, columns and regions change", "[index][threads]") {
  uint64_t first_seed = 1;
  uint64_t count = TROMMEL_NUM_INTERLEAVINGS;
  if (const char* const range = std::getenv("TROMMEL_INTERLEAVINGS")) {
    std::istringstream(range) >> first_seed >> count;
  }
  CHECK(tests::RunInterleavings(first_seed, count) == "");
}

TEST_CASE("the same seed gives the same interleaving", "[index][threads]") {
  tests::Interleavings a;
  tests::Interleavings b;
  for (const uint64_t seed : {1, 2, 3}) CHECK(a.Explain(seed) == b.Explain(seed));
}

}  // namespace
}  // namespace trommel::index
