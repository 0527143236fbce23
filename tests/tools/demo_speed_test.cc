// The demo's speed: positive figures of the right operations.
#include "tools/trommel/demo_speed.h"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "tools/trommel/demo_trial.h"

namespace trommel::tool {
namespace {

TEST_CASE("speed is measured for one key and for many", "[tools][demo_speed]") {
  const size_t num_keys = GENERATE(size_t{1}, size_t{3000});
  std::vector<std::string> names;
  for (size_t i = 0; i < num_keys; ++i) names.push_back("key" + std::to_string(i));
  const std::vector<std::string_view> members(names.begin(), names.end());
  std::vector<char> bytes;
  uint64_t num_skipped = 0;
  const Result<Speed> speed = MeasureSpeed(members, MakeStrangers(members, bytes, num_skipped));
  REQUIRE(speed.ok());
  for (const OperationSpeed& operation :
       {speed->insert, speed->erase, speed->query_hit, speed->query_miss}) {
    CHECK(operation.from_keys_ns > 0);
    CHECK(operation.from_digests_ns > 0);
    // A filter of one block is too small to have a ceiling.
    CHECK((operation.ceiling_ns > 0 || std::isnan(operation.ceiling_ns)));
  }
  CHECK(speed->hash_ns > 0);
}

}  // namespace
}  // namespace trommel::tool
