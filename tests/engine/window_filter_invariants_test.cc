// The invariants of a window filter: random programs beside a map of copies for each block,
// fingerprint and bucket, with late events, leaps, a clock that runs backwards, and keys that share
// block and fingerprint; and very many random operations beside an exact log of what is in.
// TROMMEL_TEST_SCALE=N makes the log N times as long; 1,000 is 10^8 operations and more.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/targets.h"
#include "support/window_model.h"
#include "support/window_program.h"
#include "support/window_subject.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::WindowFilterSubject;
using tests::WindowOp;
using tests::WindowProgram;
using tests::WindowWay;

void ForEachWindowProgram(uint64_t num_programs, size_t num_steps,
                          const std::function<std::string(const WindowProgram&)>& invariant) {
  for (uint64_t i = 0; i < tests::Scaled(num_programs); ++i) {
    const uint64_t seed = Catch::rngSeed() * 1000 + i;
    tests::CheckInvariant(tests::RandomWindowProgram(seed, num_steps), invariant);
  }
}

TEST_CASE("a window filter answers as a map of copies of each bucket does",
          "[engine][window][invariants][long]") {
  const auto way = GENERATE(WindowWay::kBatches, WindowWay::kPoints, WindowWay::kThreads);
  ForEachWindowProgram(160, 60, [way](const WindowProgram& program) {
    WindowFilterSubject got(program, way);
    tests::WindowModel want(program, got.filter(0).geometry());
    return FirstDisagreement(program, got, want);
  });
}

TEST_CASE("a window filter answers alike on every target", "[engine][window][invariants][long]") {
  tests::ForEachRunnableTarget([] {
    ForEachWindowProgram(30, 40, [](const WindowProgram& program) {
      WindowFilterSubject got(program, WindowWay::kBatches);
      tests::WindowModel want(program, got.filter(0).geometry());
      return FirstDisagreement(program, got, want);
    });
  });
}

TEST_CASE("points, batches and threads leave the same bytes of a window",
          "[engine][window][invariants][long]") {
  ForEachWindowProgram(60, 40, [](const WindowProgram& program) {
    const auto bytes_after = [&](WindowWay way) {
      WindowFilterSubject subject(program, way);
      for (const tests::WindowStep& step : program.steps) DoWindowStep(step, subject);
      std::vector<std::byte> bytes = subject.filter(0).Serialize();
      const std::vector<std::byte> more = subject.filter(1).Serialize();
      bytes.insert(bytes.end(), more.begin(), more.end());
      return bytes;
    };
    const std::vector<std::byte> want = bytes_after(WindowWay::kBatches);
    if (bytes_after(WindowWay::kPoints) != want) return "points leave other bytes";
    return bytes_after(WindowWay::kThreads) != want ? "threads leave other bytes" : "";
  });
}

TEST_CASE("erasing what was inserted leaves the bytes of a window that never had it",
          "[engine][window][invariants][long]") {
  ForEachWindowProgram(60, 30, [](const WindowProgram& program) -> std::string {
    if (!program.config.is_erasable) return "";
    WindowFilterSubject with(program, WindowWay::kBatches);
    WindowFilterSubject without(program, WindowWay::kPoints);
    std::mt19937_64 random(program.pool[0]);
    struct Guest {
      size_t which;
      uint64_t time;
      uint64_t digest;
    };
    std::vector<Guest> guests;
    for (const tests::WindowStep& step : program.steps) {
      // Steps that look at what is in would see the guests, merges and clears would move them.
      if (step.op != WindowOp::kInsert && step.op != WindowOp::kAdvance) continue;
      DoWindowStep(step, with);
      DoWindowStep(step, without);
      const uint64_t digest = random() % 2 == 0 ? random() : program.pool[0];
      guests.push_back({step.which, with.Insert(step.which, std::span(&digest, 1)), digest});
      if (random() % 3 != 0) continue;
      const Guest& one = guests[random() % guests.size()];
      with.filter(one.which).Erase(Key::Digest(one.digest), one.time);
      std::swap(const_cast<Guest&>(one), guests.back());
      guests.pop_back();
    }
    for (const Guest& one : guests) {
      with.filter(one.which).Erase(Key::Digest(one.digest), one.time);
    }
    for (size_t which = 0; which < 2; ++which) {
      if (with.filter(which).Serialize() != without.filter(which).Serialize()) {
        return "the guests show";
      }
    }
    return "";
  });
}

constexpr uint64_t kLongWindow = 1000;

// A filter, and the log of the keys that are in by the contract: their keys and times, oldest
// first, but for those that were erased.
class LoggedWindow {
 public:
  LoggedWindow(WindowFilter filter, uint64_t seed)
      : filter_(std::move(filter)), random_(seed), seed_(seed) {}

  void DoOne() {
    const size_t num_keys = 1 + random_() % (random_() % 8 == 0 ? 3000 : 100);
    num_operations_ += num_keys;
    const uint64_t what = random_() % 100;
    if (what < 35) {
      Insert(num_keys);
    } else if (what < 50) {
      InsertIfAbsent(num_keys);
    } else if (what < 65) {
      Erase(num_keys);
    } else if (what < 95) {
      LookUp(num_keys);
    } else {
      Advance(what == 99 ? random_() % (2 * kLongWindow) : random_() % 300);
    }
  }

  uint64_t num_operations() const { return num_operations_; }
  uint64_t num_found() const { return num_found_; }
  // What must be 0: keys missed, and erases refused.
  uint64_t num_wrong() const { return num_wrong_; }
  const WindowFilter& filter() const { return filter_; }

 private:
  struct Entry {
    uint64_t key;
    uint64_t time;
    bool is_erased = false;
  };

  std::vector<uint64_t> NewKeys(size_t num_keys) {
    std::vector<uint64_t> keys = tests::MemberKeys(num_keys, seed_, num_made_);
    num_made_ += num_keys;
    // Some come back: they are in at several times, or were erased.
    for (uint64_t& key : keys) {
      if (!log_.empty() && random_() % 8 == 0) key = log_[random_() % log_.size()].key;
    }
    return keys;
  }

  void Insert(size_t num_keys) {
    const std::vector<uint64_t> keys = NewKeys(num_keys);
    const uint64_t time = filter_.Insert(keys);
    for (const uint64_t key : keys) log_.push_back({key, time});
  }

  void InsertIfAbsent(size_t num_keys) {
    const std::vector<uint64_t> keys = NewKeys(num_keys);
    std::vector<uint64_t> inserted(BitmapWords(num_keys));
    std::vector<uint64_t> times(WindowFilter::NumChunks(num_keys));
    filter_.InsertIfAbsent(keys, inserted, times);
    for (size_t i = 0; i < num_keys; ++i) {
      if (!tests::BitAt(inserted, i)) continue;
      log_.push_back({keys[i], times[i / WindowFilter::kChunkKeys]});
    }
    if (filter_.InsertIfAbsent(keys, inserted) != 0) ++num_wrong_;
  }

  // Of one time, for that is what a call erases.
  void Erase(size_t num_keys) {
    if (log_.empty()) return;
    const size_t first = random_() % log_.size();
    std::vector<uint64_t> keys;
    for (size_t i = first; i < log_.size() && keys.size() < num_keys; ++i) {
      if (log_[i].time != log_[first].time) break;
      if (!std::exchange(log_[i].is_erased, true)) keys.push_back(log_[i].key);
    }
    const WindowEraseOutcome outcome = filter_.Erase(keys, log_[first].time);
    num_wrong_ += outcome.num_refused + outcome.num_expired;
  }

  void LookUp(size_t num_keys) {
    if (log_.empty()) return;
    std::vector<uint64_t> keys;
    const size_t first = random_() % log_.size();
    for (size_t i = first; i < log_.size() && keys.size() < num_keys; ++i) {
      if (!log_[i].is_erased) keys.push_back(log_[i].key);
    }
    std::vector<uint64_t> answers(BitmapWords(keys.size()));
    num_wrong_ += keys.size() - filter_.Query(keys, answers);
    num_found_ += keys.size();
  }

  void Advance(uint64_t ticks) {
    filter_.Advance(filter_.now() + ticks);
    const uint64_t now = filter_.now();
    while (!log_.empty() && log_.front().time + kLongWindow <= now) log_.pop_front();
  }

  WindowFilter filter_;
  std::mt19937_64 random_;
  const uint64_t seed_;
  std::deque<Entry> log_;
  uint64_t num_made_ = 0;
  uint64_t num_operations_ = 0;
  uint64_t num_found_ = 0;
  uint64_t num_wrong_ = 0;
};

TEST_CASE("no key of the window is missed in very many operations", "[engine][window]") {
  const uint32_t num_buckets = GENERATE(7U, 20U);  // slots of 16 and of 24 bits
  // About full: an Insert brings 130 keys at the mean, and there are about ten to a bucket's time.
  Result<WindowFilter> filter = WindowFilter::Create(
      {.window = kLongWindow, .num_buckets = num_buckets, .capacity = 30'000, .target_fpr = 0.02});
  REQUIRE(filter.ok());
  LoggedWindow window(*std::move(filter), Catch::rngSeed());
  const uint64_t num_operations = tests::Scaled(1'000'000);
  while (window.num_operations() < num_operations) window.DoOne();
  CHECK(window.num_wrong() == 0);
  CHECK(window.num_found() > num_operations / 20);  // a share of the operations, which chance draws
  CHECK(window.filter().GetStats().buckets.size() <= num_buckets + 1);
}

}  // namespace
}  // namespace trommel
