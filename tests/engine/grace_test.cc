// Readers and a writer who takes away what they read.
#include "engine/src/sync/grace.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {

TEST_CASE("nobody waits when nobody reads", "[engine][grace]") {
  Grace grace;
  { const Grace::Reading reading = grace.Enter(); }
  grace.Wait();
  grace.Wait();
  SUCCEED("both returned");
}

TEST_CASE("a writer waits for the reader that was inside", "[engine][grace][threads]") {
  Grace grace;
  std::atomic<bool> has_left{false};
  std::atomic<bool> is_inside{false};
  std::thread reader([&] {
    {
      const Grace::Reading reading = grace.Enter();
      is_inside = true;
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      has_left = true;
    }
  });
  while (!is_inside) std::this_thread::yield();
  grace.Wait();
  CHECK(has_left);
  reader.join();
}

TEST_CASE("what a reader sees is not taken away under its eyes", "[engine][grace][threads]") {
  constexpr uint64_t kAlive = 0x5eed;
  constexpr int kNumReaders = 3;
  Grace grace;
  std::atomic<uint64_t*> shared{new uint64_t(kAlive)};
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_reads{0};
  std::atomic<uint64_t> num_dead{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < kNumReaders; ++r) {
    readers.emplace_back([&] {
      while (!is_over) {
        const Grace::Reading reading = grace.Enter();
        if (*shared.load() != kAlive) ++num_dead;
        ++num_reads;
      }
    });
  }
  for (int i = 0; i < 2000 || num_reads == 0; ++i) {
    uint64_t* old = shared.exchange(new uint64_t(kAlive));
    grace.Wait();
    *old = 0;  // a reader that still looks at it would count it as dead; ASan and TSan see it, too
    delete old;
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  delete shared.load();
  CHECK(num_dead == 0);
}

}  // namespace trommel::tests
