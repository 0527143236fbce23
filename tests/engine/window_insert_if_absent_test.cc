// InsertIfAbsent: a key is new once in the window, whichever bucket has it. TROMMEL_TEST_SCALE
// makes the test of threads longer.
//
// Catch2's macros are not for threads: threads count, and the test checks after the join.
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/bit_at.h"
#include "support/catch.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

// So low a rate that no answer of these tests is a false positive: their keys are always the same.
WindowFilter SureFilter() {
  return WindowFilter::Create(
             {.window = 40, .num_buckets = 4, .capacity = 50'000, .target_fpr = 2e-5})
      .value();
}

TEST_CASE("InsertIfAbsent tells the time of each chunk", "[engine][window]") {
  WindowFilter filter = SureFilter();
  REQUIRE(filter.Advance(33));
  const std::vector<uint64_t> keys = tests::MemberKeys(2 * WindowFilter::kChunkKeys + 1, 4);
  std::vector<uint64_t> inserted(BitmapWords(keys.size()));
  std::vector<uint64_t> times(WindowFilter::NumChunks(keys.size()));
  REQUIRE(times.size() == 3);
  CHECK(filter.InsertIfAbsent(keys, inserted, times) == keys.size());
  CHECK(times == std::vector<uint64_t>(3, 33));
}

// Each thread inserts the same keys again and again, in batches of several chunks. Of each key the
// test keeps when it was new, and to no call may it be new again within a window of that time.
TEST_CASE("no key is new to a large batch within a window of the time it was new",
          "[engine][window][threads]") {
  constexpr uint64_t kThreads = 2;
  constexpr uint64_t kWindow = 40;
  const uint32_t num_buckets = GENERATE(2U, 8U);
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  const size_t num_keys = 3 * WindowFilter::kChunkKeys;
  const std::vector<uint64_t> keys = tests::MemberKeys(num_keys, 5);
  // Smaller than the keys would like: some blocks overflow.
  WindowFilter filter = std::move(WindowFilter::Create({.window = kWindow,
                                                        .num_buckets = num_buckets,
                                                        .capacity = num_keys * 3 / 4,
                                                        .target_fpr = rate}))
                            .value();
  struct Last {
    std::atomic<uint64_t> time_plus_1{0};
  };
  std::vector<Last> last(num_keys);
  std::atomic<uint64_t> num_running{kThreads};
  std::atomic<uint64_t> num_too_early{0};
  std::atomic<uint64_t> num_new{0};
  std::atomic<uint64_t> num_batches{0};
  const uint64_t num_rounds = tests::Scaled(60);
  tests::InThreads(kThreads + 1, [&](uint64_t t) {
    if (t == kThreads) {
      std::mt19937_64 random(1);
      uint64_t now = 0;
      while (num_running > 0) {
        const uint64_t before = num_batches;
        now += random() % 8 == 0 ? random() % (2 * kWindow) : random() % 8;
        filter.Advance(now);
        while (num_running > 0 && num_batches == before && random() % 512 != 0) {
          std::this_thread::yield();
        }
      }
      return;
    }
    std::vector<uint64_t> inserted(BitmapWords(num_keys));
    std::vector<uint64_t> times(WindowFilter::NumChunks(num_keys));
    for (uint64_t round = 0; round < num_rounds || num_new == 0; ++round) {
      filter.InsertIfAbsent(keys, inserted, times);
      for (size_t i = 0; i < num_keys; ++i) {
        if (!tests::BitAt(inserted, i)) continue;
        const uint64_t time = times[i / WindowFilter::kChunkKeys];
        // Threads come here in any order: the earlier of two times may be noted later.
        const uint64_t before = last[i].time_plus_1.exchange(time + 1);
        if (before == 0) continue;
        const uint64_t difference = time + 1 > before ? time + 1 - before : before - time - 1;
        if (difference < kWindow) ++num_too_early;
        ++num_new;
      }
      ++num_batches;
    }
    --num_running;
  });
  CHECK(num_too_early == 0);
  CHECK(num_new > 0);
}

}  // namespace
}  // namespace trommel
