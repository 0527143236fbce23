// Lines over machines by hash.
#include "bench/paper/hash_partition.h"

#include <numeric>

#include "bench/paper/range.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("every copy of a string goes to one machine, and strings are spread evenly", "[paper]") {
  const auto trial = RunPartition(100'000, 10'000, 20, RandomStream(Catch::rngSeed(), 1));
  CHECK(trial.num_on_two_machines == 0);
  CHECK(std::reduce(trial.lines.begin(), trial.lines.end()) == 100'000);
  CHECK(std::reduce(trial.distinct.begin(), trial.distinct.end()) == trial.num_distinct);
  CHECK(trial.num_distinct > 8'000);
  CHECK(trial.num_distinct <= 10'000);
  CHECK(SigmaRange(19, std::sqrt(2.0 * 19)).Contains(trial.ChiSquare()));
}

TEST_CASE("chi-square tells an uneven share", "[paper]") {
  const PartitionTrial even{.distinct = {50, 50}, .num_distinct = 100};
  CHECK(even.ChiSquare() == 0);
  const PartitionTrial uneven{.distinct = {60, 40}, .num_distinct = 100};
  CHECK(uneven.ChiSquare() == Catch::Approx(4));
}

}  // namespace
}  // namespace trommel::paper
