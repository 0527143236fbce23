// EraseAll of lists that are erased again, and of copies in a batch. What every type promises of
// it: tests/promises/erased_as_whole_test.cc; of keys that expire: window_erase_all_test.cc.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::tests {
namespace {

using SavedBytes = std::vector<std::byte>;

TEST_CASE("of the copies of a key in a batch the last ones are missing", "[engine][erase_all]") {
  CountingFilter filter = CountingFilter::Create({.capacity = 1000}).value();
  const std::vector<std::string> in = {"a", "a", "b"};
  filter.Insert(in);
  const std::vector<std::string> batch = {"a", "c", "a", "b", "a", "b"};
  std::vector<uint64_t> missing(1);
  CHECK(filter.EraseAll(batch, missing).value() == EraseOutcome{0, 3});
  CHECK(missing == std::vector<uint64_t>{0b110010});
  CHECK(filter.GetStats().num_refused_erases == 3);
  CHECK(filter.EraseAll(std::vector<std::string>{}).value() == EraseOutcome{});
  CHECK(filter.num_keys() == 3);
}

}  // namespace
}  // namespace trommel::tests
