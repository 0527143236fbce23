// Threads that use one filter of any kind at the same time. Longer: `trommel stress`.
//
// Catch2's macros are not for threads: threads count, and the test checks afterwards.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "promises/specimen.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/in_threads.h"
#include "support/shrink.h"

namespace trommel::tests {
namespace {

FilterKind AnyErasable() {
  return GENERATE(from_range(KindsThatKeep({Promise::kWriters, Promise::kErase})));
}

KeyList RandomDigests(size_t size, uint32_t zero_bits, std::mt19937_64& random) {
  KeyList keys(size);
  for (uint64_t& key : keys) key = random() >> zero_bits;
  return keys;
}

// What comes and goes: keys of a few blocks, so that everything happens in these, copies of one of
// them, so that blocks are promoted and come back, and now and then a crowd, so that filters grow.
KeyList Guests(const FilterKind& kind, uint64_t round, std::mt19937_64& random) {
  KeyList keys = RandomDigests(kind.crowd / 32, kind.zero_bits + 5, random);
  keys.insert(keys.end(), 60, keys.front());
  if (round % 4 == 0) {
    const KeyList crowd = RandomDigests(kind.crowd / 2, kind.zero_bits, random);
    keys.insert(keys.end(), crowd.begin(), crowd.end());
  }
  return keys;
}

KeyList StayingKeys(const FilterKind& kind) {
  std::mt19937_64 random(1);
  KeyList keys = RandomDigests(200, kind.zero_bits, random);
  const KeyList crowded = RandomDigests(40, kind.zero_bits + 5, random);
  keys.insert(keys.end(), crowded.begin(), crowded.end());
  return keys;
}

TEST_CASE("of threads that race with one absent key exactly one is told new",
          "[engine][concurrent][scalable][window][threads]") {
  const FilterKind kind =
      GENERATE(from_range(KindsThatKeep({Promise::kWriters, Promise::kInsertIfAbsent})));
  const size_t batch = GENERATE(size_t{1}, 10, 500);  // 1: key by key
  CAPTURE(kind, batch);
  constexpr uint64_t kThreads = 3;
  constexpr size_t kKeys = 1500;
  const auto filter = kind.make();
  std::mt19937_64 random(7);
  const KeyList keys = RandomDigests(kKeys, kind.zero_bits, random);
  std::vector<std::atomic<int>> told(kKeys);
  std::atomic<uint64_t> num_running{kThreads};
  std::atomic<uint64_t> num_tried{0};
  InThreads(kThreads + 1, [&](uint64_t t) {
    if (t == kThreads) {  // a clock never leaves the window of the first insertion
      const uint64_t most = filter->lifetime() - 1;
      while (num_running > 0 && filter->lifetime() != kNow) {
        filter->Advance(num_tried * most / (kThreads * kKeys));
      }
      return;
    }
    KeyList bits(BitmapWords(batch));
    for (size_t first = 0; first < kKeys; first += batch) {
      if (batch == 1) {
        bits[0] = uint64_t{filter->InsertOneIfAbsent(keys[first])};
      } else {
        filter->InsertIfAbsent(std::span(keys).subspan(first, batch), bits);
      }
      for (size_t i = 0; i < batch; ++i) told[first + i] += int{BitAt(bits, i)};
      num_tried += batch;
    }
    --num_running;
  });
  uint64_t num_new = 0;
  for (const auto& times : told) {
    REQUIRE(times <= 1);
    num_new += static_cast<uint64_t>(times);
  }
  CHECK(num_new == filter->num_keys());
  CHECK(num_new > kKeys * 9 / 10);  // those that others cover are new to no thread
}

TEST_CASE("a key that is in is never missed while others come and go around it",
          "[engine][concurrent][scalable][window][attribute_filter][threads]") {
  const FilterKind kind = AnyErasable();
  const bool has_executor = GENERATE(false, true);
  if (has_executor && kind.type == "concurrent") return;  // it takes one when it is created
  CAPTURE(kind, has_executor);
  const auto filter = kind.make();
  if (has_executor) filter->UseExecutor(Executor::Create(2).value());
  const ByteList as_new = filter->Serialize();
  const KeyList staying = StayingKeys(kind);
  KeyList bits = SetBits(staying.size());
  filter->Insert(staying, bits);
  const ByteList before = filter->Serialize();
  const SpecimenFigures least = filter->Figures();
  std::atomic<int> num_writing{2};
  std::atomic<uint64_t> num_missed{0};
  std::atomic<uint64_t> num_refused{0};
  std::atomic<uint64_t> most_bytes{0};
  std::atomic<uint64_t> num_asked{0};
  InThreads(4, [&](uint64_t t) {
    if (t < 2) {
      std::mt19937_64 random(100 + t);
      const uint64_t num_rounds = Scaled(24);
      for (uint64_t round = 0; round < num_rounds || num_asked < 5; ++round) {
        const KeyList own = Guests(kind, round, random);
        KeyList done = SetBits(own.size());
        num_refused += filter->Insert(own, done).num_refused;
        num_missed += own.size() - filter->Query(own, done);
        if (t == 0) most_bytes = std::max<uint64_t>(most_bytes, filter->Figures().num_bytes);
        for (size_t i = 0; i < own.size() / 2; ++i) {
          num_refused += uint64_t{round % 2 == 0 && !filter->EraseOne(own[i])};
        }
        const size_t num_left = round % 2 == 0 ? own.size() - own.size() / 2 : own.size();
        num_refused += filter->Erase(std::span(own).last(num_left), done).num_refused;
      }
      --num_writing;
      return;
    }
    KeyList answers = SetBits(staying.size());
    while (num_writing > 0) {
      num_missed += staying.size() - filter->Query(staying, answers);
      for (const uint64_t key : staying) num_missed += uint64_t{!filter->MayContain(key)};
      for (const uint64_t count : filter->Counts(staying)) num_missed += uint64_t{count == 0};
      ++num_asked;
    }
  });
  CHECK(num_missed == 0);
  CHECK(num_refused == 0);
  CHECK(most_bytes > least.num_bytes);  // else there was no crowd
  CHECK(filter->num_keys() == staying.size());
  if (kind.Keeps(Promise::kNoTrace)) CHECK((filter->Serialize() == before));
  CHECK(filter->Erase(staying, bits).num_refused == 0);
  CHECK((filter->Serialize() == as_new));
}

TEST_CASE("what is saved while others write is whole, with all that was in before",
          "[engine][concurrent][scalable][window][attribute_filter][threads]") {
  const FilterKind kind = AnyErasable();
  CAPTURE(kind);
  const auto filter = kind.make();
  const KeyList staying = StayingKeys(kind);
  KeyList bits = SetBits(staying.size());
  filter->Insert(staying, bits);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> num_rounds{0};
  std::vector<ByteList> saved;
  std::vector<std::unique_ptr<Specimen>> copies;
  uint64_t num_wrong = 0;
  InThreads(2, [&](uint64_t t) {
    if (t == 0) {
      std::mt19937_64 random(2);
      while (!is_over) {
        const KeyList own = Guests(kind, num_rounds++, random);
        KeyList done = SetBits(own.size());
        filter->Insert(own, done);
        filter->Erase(own, done);
      }
      return;
    }
    while (saved.size() < 12 || num_rounds < 3) {
      saved.resize(std::min<size_t>(saved.size(), 20));  // of slow writers the last ones
      saved.push_back(filter->Serialize());
      if (saved.size() % 4 == 0) copies.push_back(filter->Clone().value());
      const SpecimenFigures figures = filter->Figures();
      num_wrong += uint64_t{figures.num_keys < staying.size()};
      num_wrong += uint64_t{figures.num_keys > staying.size() + 2 * kind.crowd};
      num_wrong += uint64_t{figures.num_bytes == 0};
      num_wrong += uint64_t{filter->num_keys() < staying.size()};
    }
    is_over = true;
  });
  CHECK(num_wrong == 0);
  for (const ByteList& bytes : saved) {
    // Loading audits every block: one torn between two keys would be refused.
    copies.push_back(filter->LoadFrom(SpanSource(bytes)).value());
  }
  for (const auto& copy : copies) CHECK(copy->Query(staying, bits) == staying.size());
}

TEST_CASE("batches of many threads add up to the bytes of one thread",
          "[engine][concurrent][scalable][window][threads]") {
  const FilterKind kind =
      GENERATE(from_range(KindsThatKeep({Promise::kWriters, Promise::kErase, Promise::kAnyOrder})));
  const bool has_executor = GENERATE(false, true);
  CAPTURE(kind, has_executor);
  const auto want = kind.make();
  const auto got = kind.make();
  if (has_executor) got->UseExecutor(Executor::Create(2).value());
  constexpr uint64_t kThreads = 3;
  std::vector<KeyList> keys;
  for (uint64_t t = 0; t < kThreads; ++t) {
    std::mt19937_64 random(t);
    keys.push_back(RandomDigests(kind.crowd / 2, kind.zero_bits, random));
  }
  const auto write = [&keys](Specimen& filter, uint64_t t) {
    const KeySpan own = keys[t];
    KeyList bits = SetBits(own.size());
    filter.Insert(own, bits);
    filter.Insert(own.first(own.size() / 8), bits);
    filter.Erase(own.last(own.size() / 4), bits);
    for (const uint64_t key : own.first(50)) filter.InsertOne(key);
    for (const uint64_t key : own.first(50)) filter.EraseOne(key);
  };
  InThreads(kThreads, [&](uint64_t t) { write(*got, t); });
  for (uint64_t t = 0; t < kThreads; ++t) write(*want, t);
  CHECK((got->Serialize() == want->Serialize()));
  CHECK(got->num_keys() == want->num_keys());
}

// Members of one half come and go in other threads while batches of the other half are erased as a
// whole, or refused for copies that are not in.
TEST_CASE("a batch goes as a whole beside other writers, and is never absent if it is refused",
          "[engine][erase_all][threads]") {
  const FilterKind kind = AnyErasable();
  CAPTURE(kind);
  const auto filter = kind.make();
  std::mt19937_64 random(10);
  const KeyList keys = RandomDigests(kind.crowd, kind.zero_bits, random);
  const KeySpan ours = std::span(keys).first(keys.size() / 2);
  const KeySpan theirs = std::span(keys).subspan(keys.size() / 2);
  KeyList bits = SetBits(keys.size());
  filter->Insert(ours, bits);
  const uint64_t num_rounds = Scaled(12);
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> num_wrong = 0;
  InThreads(3, [&](uint64_t t) {
    KeyList done = SetBits(keys.size());
    if (t == 1) {  // writes
      while (!is_over) {
        filter->Insert(theirs, done);
        num_wrong += filter->Erase(theirs, done).num_refused;
      }
      return;
    }
    if (t == 2) {  // queries what is never erased
      const KeySpan half = ours.first(ours.size() / 2);
      while (!is_over) num_wrong += half.size() - filter->Query(half, done);
      return;
    }
    KeyList too_many(ours.begin(), ours.end());
    too_many.insert(too_many.end(), 200, too_many.front());
    const KeySpan rest = ours.subspan(ours.size() / 2);
    for (uint64_t i = 0; i < num_rounds; ++i) {
      done = SetBits(too_many.size());
      num_wrong += filter->EraseAll(too_many, done, {}).value().num_done;
      const Done outcome = filter->EraseAll(rest, done, {}).value();
      num_wrong += outcome.num_refused + rest.size() - outcome.num_done;
      filter->Insert(rest, done);
    }
    is_over = true;
  });
  CHECK(num_wrong == 0);
  CHECK(filter->EraseAll(ours, bits, {}).value() == Done{.num_done = ours.size()});
  CHECK(filter->num_keys() == 0);
}

}  // namespace
}  // namespace trommel::tests
