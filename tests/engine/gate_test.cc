// Many pass, or one is alone.
#include "engine/src/sync/gate.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {

TEST_CASE("who shuts the gate is alone, and everyone gets through", "[engine][gate][threads]") {
  constexpr int kNumPassers = 3;
  constexpr int kNumPassages = 20'000;
  constexpr int kNumShuts = 200;
  Gate gate;
  uint64_t plain = 0;  // a race, if somebody passes meanwhile: ThreadSanitizer's business
  std::atomic<uint64_t> num_passed{0};
  std::atomic<uint64_t> num_torn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kNumPassers; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kNumPassages; ++i) {
        const Gate::Passage passage = gate.Pass();
        if (plain % 2 != 0) ++num_torn;
        ++num_passed;
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < kNumShuts; ++i) {
      const Gate::Shut shut(gate);
      const uint64_t before = num_passed;
      ++plain;
      std::this_thread::yield();
      ++plain;
      if (num_passed != before) ++num_torn;
    }
  });
  for (std::thread& thread : threads) thread.join();
  CHECK(num_torn == 0);
  CHECK(num_passed == kNumPassers * kNumPassages);
  CHECK(plain == 2 * kNumShuts);
}

TEST_CASE("many are inside at one time", "[engine][gate][threads]") {
  Gate gate;
  const Gate::Passage first = gate.Pass();
  std::thread other([&] { const Gate::Passage second = gate.Pass(); });
  other.join();  // would hang if passages kept each other out
  SUCCEED("both were inside");
}

}  // namespace trommel::tests
