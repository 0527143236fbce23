// The choice of a hash, run small.
#include "bench/paper/hash_report.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("every hash has the rate that the model says", "[paper]") {
  const Report report = HashReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Rate of one", "XXH3, keys like") == "as modelled");
  CHECK(RowOf(report, "ns a key of 8 bytes", "XXH64").measured > 0);
}

}  // namespace
}  // namespace trommel::paper
