// What a window in slots promises to threads beyond window_filter_threads_test: InsertIfAbsent in
// large batches beside a clock that advances, and refreshes beside queries. TROMMEL_TEST_SCALE
// makes it longer.
//
// Catch2's macros are not for threads: threads count, and the test checks after the join.
#include <atomic>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/in_threads.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

// Each thread inserts the same keys again and again, in batches of several chunks. Of each key the
// test keeps when it was new, and to no call may it be new again within a window of that time.
TEST_CASE("no key is new to a large batch within a window of the time it was new",
          "[engine][window][slots][threads]") {
  constexpr uint64_t kThreads = 2;
  constexpr uint64_t kWindow = 40;
  const uint32_t num_buckets = GENERATE(2U, 8U);
  const auto form = GENERATE(WindowForm::kSlots16, WindowForm::kSlots24);
  const size_t num_keys = 3 * WindowFilter::kChunkKeys;
  const std::vector<uint64_t> keys = tests::MemberKeys(num_keys, 5);
  // Smaller than the keys would like: some blocks overflow.
  WindowFilter filter = std::move(WindowFilter::Create({.window = kWindow,
                                                        .num_buckets = num_buckets,
                                                        .capacity = num_keys * 3 / 4,
                                                        .target_fpr = 0.01,
                                                        .form = form}))
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

// Keys are refreshed before they expire, in turn by two writers, while the clock goes on: queries
// always find them. Other keys come and go in the same blocks.
TEST_CASE("a key that is refreshed in time is always found", "[engine][window][slots][threads]") {
  constexpr uint64_t kWindow = 64;
  const bool is_erasable = GENERATE(true, false);
  const auto form = GENERATE(WindowForm::kSlots16, WindowForm::kSlots24);
  const std::vector<uint64_t> kept = tests::MemberKeys(500, 1);
  WindowFilter filter = std::move(WindowFilter::Create({.window = kWindow,
                                                        .num_buckets = 8,
                                                        .capacity = 1000,
                                                        .target_fpr = 0.02,
                                                        .form = form,
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
        filter.Insert(tests::MemberKeys(300, 7, num_made));
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

}  // namespace
}  // namespace trommel
