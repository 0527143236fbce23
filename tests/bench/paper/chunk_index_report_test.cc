// The reproduction of the article on chunk indexes, run small.
#include "bench/paper/chunk_index_report.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the article on chunk indexes is reproduced", "[paper]") {
  const Report report = ChunkIndexReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "The worked", "positions") == "agrees");
  CHECK(VerdictOf(report, "The worked", "a third key seems present, any") == "as modelled");
  CHECK(VerdictOf(report, "m / n = 8", "k = 6,") == "shown");
  CHECK(VerdictOf(report, "m / n = 8", "k = 5.55") == "agrees");
  CHECK(VerdictOf(report, "100 M", "bytes of a hash") == "agrees");
  CHECK(VerdictOf(report, "The use", "stored chunks") == "agrees");
  CHECK(RowOf(report, "The use", "new chunks").exact > 0.001);
}

}  // namespace
}  // namespace trommel::paper
