// A concurrent filter behind the door of a Subject.
#include "tools/stress/concurrent_subject.h"

#include <vector>

#include "support/catch.h"

namespace trommel::stress {
namespace {

TEST_CASE("a concurrent filter is made as asked", "[stress][subject][threads]") {
  const uint32_t executor_threads = GENERATE(0u, 2u);
  CountingConfig config;
  config.capacity = 1000;
  const bool has_runs = GENERATE(false, true);
  config.num_slices = has_runs ? 10 : 16;
  config.encoding = has_runs ? Encoding::kRuns : Encoding::kPlanes;
  Result<std::unique_ptr<Subject>> subject = MakeConcurrentSubject(config, executor_threads);
  REQUIRE(subject.ok());
  CHECK((*subject)->geometry().num_slices == config.num_slices);
  CHECK((*subject)->geometry().encoding == config.encoding);
  const std::vector<uint64_t> keys = {1, 2, 2};
  (*subject)->Insert(keys);
  CHECK((*subject)->num_keys() == 3);
  CHECK((*subject)->CountEstimate(2) == 2);
  config.capacity = 0;
  CHECK_FALSE(MakeConcurrentSubject(config, executor_threads).ok());
}

}  // namespace
}  // namespace trommel::stress
