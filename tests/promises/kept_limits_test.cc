// Within a limit of side memory a filter of any kind refuses keys that there is no space for, and
// does all else as without one.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "promises/specimen.h"
#include "support/allocation_peak.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/in_threads.h"
#include "support/least_named.h"
#include "support/shrink.h"

namespace trommel::tests {
namespace {

FilterKind AnyLimited() { return GENERATE(from_range(KindsThatKeep({Promise::kSideLimit}))); }

TEST_CASE("within a limit a filter holds just the keys that it did not refuse",
          "[engine][side_limit][long]") {
  const FilterKind kind =
      GENERATE(from_range(KindsThatKeep({Promise::kSideLimit, Promise::kLimitIsExact})));
  const uint64_t times = GENERATE(1, 2);
  CAPTURE(kind, times);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = kind.MakeLimited(times);
  // Holds what was not refused, without a limit: every answer and the bytes must be the same.
  const auto model = kind.make();
  const bool has_time = filter->lifetime() != kNow;
  const KeyList pool = kind.Crowd(random);
  uint64_t num_refused = 0;
  uint64_t num_taken_at_limit = 0;  // keys
  const auto insert = [&](const KeyList& keys) {
    KeyList bits = SetBits(keys.size());
    const bool is_late = filter->now() > 0 && random() % 4 == 0;
    const uint64_t time = is_late ? filter->now() - random() % 100 : kNow;
    const uint64_t before = filter->Figures().num_refused_inserts;
    const Done done = filter->Insert(keys, bits, time);
    const KeyList taken = ChosenKeys(keys, bits);
    REQUIRE(done.num_done == taken.size());
    REQUIRE(done.num_done + done.num_refused == keys.size());
    REQUIRE(filter->Figures().num_refused_inserts == before + done.num_refused);
    num_refused += done.num_refused;
    if (num_refused > done.num_refused) num_taken_at_limit += done.num_done;
    REQUIRE(model->Insert(taken, bits, time).num_refused == 0);
  };
  for (int i = 0; i < 200 && num_refused == 0; ++i) insert(DrawnOften(4000, pool, random));
  REQUIRE(num_refused > 0);
  const uint64_t num_steps = Scaled(200);
  for (uint64_t step = 0; step < num_steps; ++step) {
    CAPTURE(step);
    const KeyList keys = DrawnOften(1 + random() % (random() % 2 == 0 ? 5 : 300), pool, random);
    KeyList bits = SetBits(keys.size());
    KeyList model_bits = SetBits(keys.size());
    const uint64_t choice = random() % 10;
    const uint64_t refused_before = filter->Figures().num_refused_inserts;
    if (choice < (step / 40 % 2 == 0 ? 5U : 2U)) {
      insert(keys);
    } else if (choice == 5) {
      const Done done = filter->InsertIfAbsent(keys, bits);
      const KeyList taken = ChosenKeys(keys, bits);
      REQUIRE(done.num_done == taken.size());
      const uint64_t refused_now = filter->Figures().num_refused_inserts - refused_before;
      if (!has_time) REQUIRE(done.num_refused == refused_now);
      REQUIRE(model->InsertIfAbsent(taken, model_bits).num_done == taken.size());
    } else if (choice == 6) {
      uint64_t num_refused_singles = 0;
      for (const uint64_t key : keys) {
        const bool is_in = filter->InsertOne(key);
        if (is_in) model->InsertOne(key);
        num_refused_singles += uint64_t{!is_in};
      }
      REQUIRE(filter->Figures().num_refused_inserts == refused_before + num_refused_singles);
    } else if (choice == 7) {
      const uint64_t now = filter->now() + random() % (random() % 6 == 0 ? 1500 : 80);
      filter->Advance(now);
      model->Advance(now);
    } else {
      const uint64_t ago =
          random() % 2 == 0 ? 0 : std::min<uint64_t>(filter->now(), random() % 400);
      const uint64_t time = filter->now() - ago;
      REQUIRE(filter->Erase(keys, bits, time) == model->Erase(keys, model_bits, time));
      REQUIRE(bits == model_bits);
    }
    REQUIRE(filter->num_keys() == model->num_keys());
    REQUIRE(filter->Counts(keys) == model->Counts(keys));
    // Blocks of counters come back when they have drained, by a way of their own.
    const uint64_t num_promoted = filter->Figures().num_promoted;
    if (!has_time) REQUIRE(num_promoted >= model->Figures().num_promoted);
    if (kind.has_fingerprints) REQUIRE(num_promoted == model->Figures().num_promoted);
    if (step % 20 == 0) REQUIRE((filter->Serialize() == model->Serialize()));
  }
  CHECK((filter->Serialize() == model->Serialize()));
  CHECK(num_taken_at_limit > 0);
  CHECK(filter->Figures().num_refused_erases == model->Figures().num_refused_erases);
  filter->Clear();
  model->Clear();
  CHECK(filter->Figures().num_refused_inserts == 0);
  CHECK((filter->Serialize() == model->Serialize()));
}

TEST_CASE("within a limit no update needs memory, and no step of a clock",
          "[engine][side_limit][refused_memory][long]") {
  if (!AllocationPeak::IsCounted()) return;
  const FilterKind kind = AnyLimited();
  CAPTURE(kind);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = kind.MakeLimited();
  const KeyList pool = kind.Crowd(random);
  // Until it refuses keys, so that it does not grow any more.
  uint64_t num_refused = 0;
  KeyList bits = SetBits(6000);
  for (int i = 0; i < 200 && num_refused == 0; ++i) {
    num_refused += filter->Insert(DrawnOften(6000, pool, random), bits).num_refused;
  }
  num_refused = 0;
  uint64_t num_wrong = 0;
  for (int round = 0; round < 6; ++round) {
    const KeyList keys = DrawnOften(6000, pool, random);
    KeyList taken;
    taken.reserve(keys.size());
    const RefusedAllocation refused(1, Refused::kAllFrom);
    const uint64_t num_allocations = NumAllocations();
    const Done done = filter->Insert(keys, bits);
    num_refused += done.num_refused;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (BitAt(bits, i)) taken.push_back(keys[i]);
    }
    num_wrong += uint64_t{taken.size() != done.num_done};
    num_wrong += taken.size() - filter->Query(taken, bits);
    if (kind.Keeps(Promise::kErase)) {
      const size_t half = round % 2 == 0 ? 0 : taken.size() / 2;
      const KeySpan first = std::span(taken).first(half);
      num_wrong += filter->Erase(first, bits, done.time).num_refused;
      for (size_t i = half; i < taken.size(); ++i) {
        num_wrong += uint64_t{!filter->EraseOne(taken[i], done.time)};
      }
    }
    (void)filter->InsertIfAbsent(keys, bits);
    for (size_t i = 0; i < 100; ++i) (void)filter->InsertOne(keys[i]);
    filter->Advance(filter->now() + (round == 3 ? 2000 : 70));
    if (kind.Keeps(Promise::kNoAllocation)) num_wrong += NumAllocations() - num_allocations;
  }
  CHECK(num_wrong == 0);
  CHECK(num_refused > 0);
}

TEST_CASE("what is erased or expires makes space within a limit", "[engine][side_limit][long]") {
  const FilterKind kind = AnyLimited();
  CAPTURE(kind);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = kind.MakeLimited();
  uint64_t num_refused = 0;
  for (int round = 0; round < 3; ++round) {
    // Refuses what a new one does, of keys in other blocks than before.
    const auto fresh = kind.MakeLimited();
    fresh->Advance(filter->now());
    const KeyList keys = DrawnOften(3 * kind.crowd, kind.Crowd(random), random);
    KeyList bits = SetBits(keys.size());
    KeyList fresh_bits = SetBits(keys.size());
    const Done done = filter->Insert(keys, bits);
    CHECK(done == fresh->Insert(keys, fresh_bits));
    CHECK((bits == fresh_bits));
    CHECK((filter->Serialize() == fresh->Serialize()));
    num_refused += done.num_refused;
    const bool is_erased = kind.Keeps(Promise::kErase) && round != 1;
    if (is_erased || filter->lifetime() == kNow) {
      const KeyList taken = ChosenKeys(keys, bits);
      CHECK(filter->Erase(taken, bits).num_refused == 0);
    } else {
      filter->Advance(filter->now() + 2 * filter->lifetime());
    }
  }
  CHECK(num_refused > 0);
}

TEST_CASE("a limit is set as a whole or not at all", "[engine][side_limit][refused_memory][long]") {
  const FilterKind kind = AnyLimited();
  CAPTURE(kind);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = kind.make();
  const uint64_t least = LeastNamed(filter->LimitSideMemory(1));
  const KeyList pool = kind.Crowd(random);
  KeyList keys = DrawnOften(8 * pool.size(), pool, random);
  KeyList bits = SetBits(keys.size());
  for (const uint64_t now : {0, 100}) {
    filter->Advance(now);
    REQUIRE(filter->Insert(keys, bits).num_refused == 0);
  }
  ByteList bytes = filter->Serialize();
  if (kind.Keeps(Promise::kErase)) {  // what is in needs more
    CHECK(filter->LimitSideMemory(least).error().code == ErrorCode::kOutOfMemory);
    CHECK((filter->Serialize() == bytes));
    CHECK(filter->Insert(keys, bits).num_refused == 0);
  }
  // From here on with keys that fit.
  filter->Clear();
  keys.resize(pool.size() / 2);
  for (uint64_t& key : keys) key = random() >> kind.zero_bits;
  REQUIRE(filter->Insert(keys, bits).num_refused == 0);
  bytes = filter->Serialize();
  const uint64_t side_bytes = filter->Figures().side_bytes;
  CHECK(filter->LimitSideMemory(~uint64_t{0}).error().code == ErrorCode::kOutOfMemory);
  constexpr uint64_t kEnough = uint64_t{1} << 24;
  bool was_refused = AllocationPeak::IsCounted();
  for (uint64_t n = 1; was_refused; n += 1 + n / 4) {
    CAPTURE(n);
    Status limited = Ok();
    was_refused = WasRefusedAt(n, [&] { limited = filter->LimitSideMemory(kEnough); });
    CHECK(limited.ok() != was_refused);
    if (limited.ok()) break;
    CHECK(limited.error().code == ErrorCode::kOutOfMemory);
    CHECK((filter->Serialize() == bytes));
    CHECK(filter->Figures().side_bytes <= side_bytes);  // no part has reserved any
  }
  REQUIRE(filter->LimitSideMemory(kEnough).ok());
  CHECK((filter->Serialize() == bytes));
  CHECK(filter->Figures().side_bytes > side_bytes);
  CHECK(filter->Figures().side_bytes <= kEnough);
  const auto copy = filter->Clone().value();
  CHECK(copy->IsEqual(*filter));
  CHECK(copy->Figures().side_bytes == filter->Figures().side_bytes);
  CHECK(copy->LimitSideMemory(0).ok());
  CHECK((copy->Serialize() == bytes));
  CHECK(copy->Insert(keys, bits).num_refused == 0);
}

TEST_CASE("beside other writers each key has one outcome, and the number of keys is theirs",
          "[engine][side_limit][threads]") {
  const FilterKind kind =
      GENERATE(from_range(KindsThatKeep({Promise::kSideLimit, Promise::kWriters})));
  CAPTURE(kind);
  const bool is_erasable = kind.Keeps(Promise::kErase);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = kind.MakeLimited();
  const bool has_time = filter->lifetime() != kNow;
  const KeyList pool = kind.Crowd(random);
  constexpr uint64_t kThreads = 3;
  std::vector<KeyList> batches;
  for (uint64_t t = 0; t < kThreads; ++t) {
    batches.push_back(DrawnOften(6000, pool, random));
  }
  std::atomic<uint64_t> num_wrong{0};
  std::atomic<uint64_t> num_refused{0};
  std::vector<KeyList> taken(kThreads);
  InThreads(kThreads, [&](uint64_t t) {
    KeyList bits = SetBits(batches[t].size());
    for (uint64_t round = 0; round < 6; ++round) {
      const bool if_absent = !has_time && round % 3 == 2;
      const Done done =
          if_absent ? filter->InsertIfAbsent(batches[t], bits) : filter->Insert(batches[t], bits);
      const KeyList in = ChosenKeys(batches[t], bits);
      num_wrong += uint64_t{done.num_done != in.size()};
      num_wrong += uint64_t{!if_absent && done.num_done + done.num_refused != batches[t].size()};
      num_refused += done.num_refused;
      KeyList answers = SetBits(in.size());
      num_wrong += in.size() - filter->Query(in, answers);
      if (is_erasable && (round % 2 == 0 || has_time)) {
        num_wrong += filter->Erase(in, answers, done.time).num_refused;
      } else {
        taken[t].insert(taken[t].end(), in.begin(), in.end());
      }
      for (size_t i = 0; !has_time && i < 1000; ++i) {
        const bool is_in = filter->InsertOne(batches[t][i]);
        if (is_in) taken[t].push_back(batches[t][i]);
        num_refused += uint64_t{!is_in};
      }
      if (t == 0) filter->Advance(round * 60);
    }
  });
  CHECK(num_wrong == 0);
  CHECK(num_refused > 0);
  CHECK(filter->Figures().num_refused_inserts == num_refused);
  if (!is_erasable) return;
  uint64_t num_left = 0;
  for (const KeyList& keys : taken) num_left += keys.size();
  CHECK(filter->num_keys() == num_left);
  for (const KeyList& keys : taken) {
    KeyList bits = SetBits(keys.size());
    CHECK(filter->Erase(keys, bits).num_refused == 0);
  }
  const auto fresh = kind.make();
  fresh->Advance(filter->now());
  CHECK((filter->Serialize() == fresh->Serialize()));
}

}  // namespace
}  // namespace trommel::tests
