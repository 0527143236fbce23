// Every row stays findable: the protocol's own code, under interleavings chosen by a generator.
#include <cstdint>
#include <string>

#include "index/support/interleavings.h"
#include "support/catch.h"

namespace trommel::index {
namespace {

// Each of the mutants of this protocol (tests/bugs) fails within this many runs. Sanitizers, under
// which a run takes ten times as long, look for other faults.
#ifndef TROMMEL_NUM_INTERLEAVINGS
#define TROMMEL_NUM_INTERLEAVINGS 3'000
#endif

TEST_CASE("every row stays findable while rows, columns and regions change", "[index][threads]") {
  CHECK(tests::RunInterleavings(1, TROMMEL_NUM_INTERLEAVINGS) == "");
}

TEST_CASE("the same seed gives the same interleaving", "[index][threads]") {
  tests::Interleavings a;
  tests::Interleavings b;
  for (const uint64_t seed : {1, 2, 3}) CHECK(a.Explain(seed) == b.Explain(seed));
}

}  // namespace
}  // namespace trommel::index
