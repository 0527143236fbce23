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

TEST_CASE("a list that is erased a second time takes nothing from other keys",
          "[engine][erase_all]") {
  // What a job that is retried does.
  CountingFilter filter = CountingFilter::Create({.capacity = 20'000, .target_fpr = 0.05}).value();
  std::vector<uint64_t> keys(20'000);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  filter.Insert(keys);
  const std::vector<uint64_t> list(keys.begin(), keys.begin() + 5000);
  const std::vector<uint64_t> others(keys.begin() + 5000, keys.end());
  CHECK(filter.EraseAll(list).value() == EraseOutcome{5000, 0});
  const SavedBytes once = filter.Serialize();
  CHECK(filter.EraseAll(list).value().num_erased == 0);
  CHECK((filter.Serialize() == once));
  std::vector<uint64_t> found(BitmapWords(others.size()));
  CHECK(filter.Query(others, found) == others.size());
  CHECK(filter.Erase(others).num_refused == 0);
  CHECK(filter.num_keys() == 0);
}

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
