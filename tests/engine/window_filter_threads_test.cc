// What a window filter promises to threads: readers and writers beside a clock that advances.
// TROMMEL_TEST_SCALE makes it longer (support/shrink.h).
//
// Catch2's macros are not for threads: threads count, and the test checks after the join.
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

// Keys are refreshed before they expire, in turn by two writers, while the clock goes on: queries
// always find them. Other keys come and go in the same blocks.
TEST_CASE("a key that is refreshed in time is always found", "[engine][window][threads]") {
  constexpr uint64_t kWindow = 64;
  const bool is_erasable = GENERATE(true, false);
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  const std::vector<uint64_t> kept = tests::MemberKeys(500, 1);
  WindowFilter filter = std::move(WindowFilter::Create({.window = kWindow,
                                                        .num_buckets = 8,
                                                        .capacity = 1000,
                                                        .target_fpr = rate,
                                                        .is_erasable = is_erasable}))
                            .value();
  filter.Insert(kept);
  const uint64_t num_rounds = tests::Scaled(1000);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_found{0};
  tests::InThreads(4, [&](uint64_t t) {
    std::vector<uint64_t> answers(BitmapWords(kept.size()));
    if (t == 0) {
      // The clock goes on by less than a window between two refreshes, sometimes by one bucket.
      std::mt19937_64 random(2);
      uint64_t now = 0;
      for (uint64_t round = 0; round < num_rounds || num_found + num_missed == 0; ++round) {
        now += random() % (kWindow - 1);
        filter.Advance(now);
        filter.Insert(kept);
      }
      is_over = true;
      return;
    }
    uint64_t num_made = 0;
    while (!is_over) {
      if (t == 1) {
        const std::vector<uint64_t> others = tests::MemberKeys(300, 7, num_made);
        const uint64_t time = filter.Insert(others);
        // At the time that they were told they can be erased, unless that is over.
        const bool erases = is_erasable && num_made % 600 == 0;
        if (erases) num_missed += filter.Erase(others, time).num_refused;
        num_made += 300;
        continue;
      }
      const size_t num_present = filter.Query(kept, answers);
      num_missed += kept.size() - num_present;
      num_missed += filter.MayContain(kept[num_made++ % kept.size()]) ? 0 : 1;
      num_found += num_present;
    }
  });
  CHECK(num_missed == 0);
  CHECK(num_found > 0);
}

#ifndef NDEBUG
TEST_CASE("merging a window beside another operation ends a debug build",
          "[engine][window][death]") {
  const std::string message = tests::AbortMessage([] {
    WindowFilter filter =
        WindowFilter::Create({.window = 10, .num_buckets = 2, .capacity = 1000}).value();
    std::atomic<bool> is_done{false};
    std::thread reader([&] {
      const std::vector<uint64_t> keys = tests::MemberKeys(10'000, 1);
      std::vector<uint64_t> answers(BitmapWords(keys.size()));
      while (!is_done) filter.Query(keys, answers);
    });
    for (int i = 0; i < 1'000'000; ++i) filter.Clear();
    is_done = true;
    reader.join();
  });
  CHECK(message.find("exclusive operation") != std::string::npos);
}
#endif

}  // namespace
}  // namespace trommel
