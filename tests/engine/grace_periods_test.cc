// Grace periods: readers, and a writer that frees what they have read.
#include "trommel/sync/grace_periods.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {

TEST_CASE("a writer waits for the reader that was inside", "[engine][grace_periods][threads]") {
  GracePeriods grace_periods;
  std::atomic<bool> has_left{false};
  std::atomic<bool> is_inside{false};
  std::thread thread([&] {
    {
      const GracePeriods::Reader reader = grace_periods.Enter();
      is_inside = true;
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      has_left = true;
    }
  });
  while (!is_inside) std::this_thread::yield();
  grace_periods.Synchronize();
  CHECK(has_left);
  thread.join();
}

TEST_CASE("memory is not freed while a reader may read it", "[engine][grace_periods][threads]") {
  constexpr uint64_t kAlive = 0x5eed;
  constexpr int kNumReaders = 3;
  GracePeriods grace_periods;
  std::atomic<uint64_t*> shared{new uint64_t(kAlive)};
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_reads{0};
  std::atomic<uint64_t> num_dead{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < kNumReaders; ++r) {
    readers.emplace_back([&] {
      while (!is_over) {
        const GracePeriods::Reader reader = grace_periods.Enter();
        if (*shared.load() != kAlive) ++num_dead;
        ++num_reads;
      }
    });
  }
  for (int i = 0; i < 2000 || num_reads == 0; ++i) {
    uint64_t* old = shared.exchange(new uint64_t(kAlive));
    grace_periods.Synchronize();
    *old = 0;  // a reader that still reads it counts it as dead; ASan and TSan report it, too
    delete old;
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  delete shared.load();
  CHECK(num_dead == 0);
}

}  // namespace trommel::tests
