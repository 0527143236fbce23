// One memory limit for several filters.
#include "engine/src/base/memory_budget.h"

#include <thread>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {
namespace {

TEST_CASE("filters change their bytes within the limit of their budget",
          "[engine][memory_budget]") {
  MemoryBudget budget(100);
  CHECK(budget.HasSpaceFor(100));
  CHECK_FALSE(budget.HasSpaceFor(101));
  CHECK(budget.Change(0, 60));
  CHECK(budget.Change(0, 40));
  CHECK_FALSE(budget.Change(60, 61));
  CHECK(budget.num_bytes() == 100);
  CHECK(budget.Change(60, 20));
  CHECK(budget.HasSpaceFor(40));
  CHECK_FALSE(budget.HasSpaceFor(41));
  CHECK(budget.Change(40, 80));
  CHECK_FALSE(budget.Change(0, ~uint64_t{0}));
  CHECK(budget.num_bytes() == 100);
}

TEST_CASE("a budget is never exceeded by filters that grow at the same time",
          "[engine][memory_budget][threads]") {
  constexpr uint64_t kLimit = 10;
  MemoryBudget budget(kLimit);
  std::vector<std::thread> threads;
  std::vector<int> is_over(3);
  for (size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&budget, &over = is_over[t]] {
      uint64_t mine = 0;
      for (int i = 0; i < 20'000; ++i) {
        const uint64_t wanted = mine == 0 ? 7 : 0;
        if (budget.Change(mine, wanted)) mine = wanted;
        if (budget.num_bytes() > kLimit) over = 1;
      }
      budget.Change(mine, 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(is_over == std::vector<int>{0, 0, 0});
  CHECK(budget.num_bytes() == 0);
}

}  // namespace
}  // namespace trommel::tests
