// What a window filter promises to threads: readers and writers beside a clock that advances.
// TROMMEL_TEST_SCALE makes it longer (support/shrink.h).
//
// Catch2's macros are not for threads: threads count, and the test checks after the join.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
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

// Batches that went in, for readers to look up: entry i is whole once `size` is over i.
struct InsertionLog {
  struct Entry {
    uint64_t first_key;
    uint64_t time;
  };
  explicit InsertionLog(size_t capacity) : entries(capacity) {}

  std::vector<Entry> entries;
  std::atomic<size_t> size{0};
};

TEST_CASE("keys are found throughout their window while writers and the clock go on",
          "[engine][window][threads]") {
  constexpr uint64_t kWindow = 64;
  const bool has_wide_slots = GENERATE(false, true);
  const uint32_t num_buckets = has_wide_slots ? 7 : 4;
  const double rate = has_wide_slots ? tests::kRateOfSlots24 : 0.3;
  const size_t batch = GENERATE(size_t{1}, 50, 3000);
  const size_t num_batches = tests::Scaled(batch == 3000 ? 10 : 250);
  // Fewer blocks than keys would like: they are promoted, and come back. No more than ten times as
  // many: an update costs more with each key that its block holds.
  WindowFilter filter = WindowFilter::Create({.window = kWindow,
                                              .num_buckets = num_buckets,
                                              .capacity = std::max<uint64_t>(400, batch),
                                              .target_fpr = rate})
                            .value();
  std::atomic<uint64_t> begun{0};  // the latest time an Advance to which has begun
  std::atomic<int> num_writing{2};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_looked_up{0};
  std::atomic<uint64_t> num_refused{0};
  std::atomic<uint64_t> num_written{0};
  std::atomic<uint64_t> num_looks{0};
  std::array<InsertionLog, 2> logs{InsertionLog(num_batches), InsertionLog(num_batches)};

  // All keys of one batch that is logged, unless its window is over.
  const auto look_up = [&](const WindowFilter& where, const InsertionLog::Entry& entry,
                           const std::function<uint64_t()>& now_at_last) {
    const std::vector<uint64_t> keys = tests::MemberKeys(batch, 3, entry.first_key);
    std::vector<uint64_t> answers(BitmapWords(batch));
    uint64_t misses = batch - where.Query(keys, answers);
    misses += where.MayContain(keys[0]) ? 0 : 1;
    if (now_at_last() >= entry.time + kWindow) return;
    num_missed += misses;
    num_looked_up += batch;
  };
  const auto write = [&](uint64_t t) {
    InsertionLog& log = logs[t];
    for (size_t b = 0; b < num_batches; ++b) {
      const uint64_t first_key = (t * num_batches + b) * batch;
      const std::vector<uint64_t> keys = tests::MemberKeys(batch, 3, first_key);
      const uint64_t time = filter.Insert(keys);
      log.entries[b] = {first_key, time};
      log.size.store(b + 1, std::memory_order_release);
      // Guests come and go around them, at the time they are told.
      const std::vector<uint64_t> guests = tests::MemberKeys(batch, 100 + t);
      num_refused += filter.Erase(guests, filter.Insert(guests)).num_refused;
      const uint64_t guest = guests[0];
      uint64_t at = 0;
      if (filter.InsertIfAbsent(guest, &at)) {
        num_refused += filter.Erase(std::vector<uint64_t>{guest}, at).num_refused;
      }
      num_written += 1;
    }
    --num_writing;
  };
  const auto advance = [&] {
    std::mt19937_64 random(1);
    uint64_t leaps = 0;
    while (num_writing > 0) {
      // Never so far ahead of the reader that it would find nothing to look for.
      if (num_looks > 0 && random() % 300 == 0) leaps += random() % (2 * kWindow);
      const uint64_t next = std::min(num_written / 4, num_looks + kWindow / 2) + leaps;
      if (next <= begun) {
        std::this_thread::yield();
        continue;
      }
      begun = next;
      if (!filter.Advance(next)) ++num_missed;
    }
  };
  const auto read = [&](uint64_t t) {
    std::mt19937_64 random(t);
    do {
      const InsertionLog& log = logs[random() % 2];
      const size_t size = log.size.load(std::memory_order_acquire);
      if (size == 0) continue;
      const size_t back = std::min<size_t>(size, 1 + random() % 100);
      look_up(filter, log.entries[size - back], [&] { return begun.load(); });
      ++num_looks;
    } while (num_writing > 0 || num_looks == 0);
  };
  const auto save = [&] {
    while (num_writing > 0) {
      const size_t size = logs[1].size.load(std::memory_order_acquire);
      const Result<WindowFilter> loaded = WindowFilter::Deserialize(filter.Serialize());
      if (!loaded.ok()) ++num_missed;
      if (!loaded.ok() || size == 0) continue;
      for (size_t i = size - std::min<size_t>(size, 20); i < size; ++i) {
        look_up(*loaded, logs[1].entries[i], [&] { return loaded->now(); });
      }
      if (filter.GetStats().buckets.size() > num_buckets + 1) ++num_missed;
    }
  };
  tests::InThreads(5, [&](uint64_t t) {
    if (t < 2) return write(t);
    if (t == 2) return read(t);
    if (t == 3) return save();
    advance();
  });
  CHECK(num_missed == 0);
  CHECK(num_refused == 0);
  CHECK(num_looked_up > 0);
  REQUIRE(filter.Advance(begun + 2 * kWindow));
  CHECK(filter.num_keys() == 0);
  CHECK(filter.MeasureFill().current_fpr == 0);
}

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
