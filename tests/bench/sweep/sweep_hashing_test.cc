// Hashing steps: every digest is right, for any batch and number of threads.
#include "bench/sweep/sweep_hashing.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("hashing steps are right in any batch and with threads", "[bench][sweep_hashing]") {
  SweepHashing hashing(1000);
  const size_t batch = GENERATE(size_t{1}, size_t{64}, size_t{999}, size_t{1} << 20);
  CHECK(hashing.StepInts(nullptr, batch).num_keys == 1000);
  CHECK(hashing.StepStrings(nullptr, batch).num_keys == 1000);
  const Result<std::shared_ptr<Executor>> executor = Executor::Create(3);
  REQUIRE(executor.ok());
  CHECK(hashing.StepInts(executor->get(), batch).seconds > 0);
  CHECK(hashing.StepStrings(executor->get(), batch).seconds > 0);
}

}  // namespace
}  // namespace trommel::bench
