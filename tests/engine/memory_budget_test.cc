// One memory limit for several filters.
#include "engine/src/base/memory_budget.h"

#include <thread>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {
namespace {

TEST_CASE("members of a share take and give within its limit", "[engine][memory_share]") {
  MemoryBudget share(100);
  CHECK(share.HasRoomFor(100));
  CHECK_FALSE(share.HasRoomFor(101));
  CHECK(share.Change(0, 60));
  CHECK(share.Change(0, 40));
  CHECK_FALSE(share.Change(60, 61));
  CHECK(share.num_bytes() == 100);
  CHECK(share.Change(60, 20));
  CHECK(share.HasRoomFor(40));
  CHECK_FALSE(share.HasRoomFor(41));
  CHECK(share.Change(40, 80));
  CHECK_FALSE(share.Change(0, ~uint64_t{0}));
  CHECK(share.num_bytes() == 100);
}

TEST_CASE("a share is never overdrawn by members that ask together",
          "[engine][memory_share][threads]") {
  constexpr uint64_t kLimit = 10;
  MemoryBudget share(kLimit);
  std::vector<std::thread> threads;
  std::vector<int> is_over(3);
  for (size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&share, &over = is_over[t]] {
      uint64_t mine = 0;
      for (int i = 0; i < 20'000; ++i) {
        const uint64_t wanted = mine == 0 ? 7 : 0;
        if (share.Change(mine, wanted)) mine = wanted;
        if (share.num_bytes() > kLimit) over = 1;
      }
      share.Change(mine, 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(is_over == std::vector<int>{0, 0, 0});
  CHECK(share.num_bytes() == 0);
}

}  // namespace
}  // namespace trommel::tests
