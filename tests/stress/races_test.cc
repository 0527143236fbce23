// Races: of all writers that insert one absent key, one is told "new".
#include <atomic>
#include <thread>

#include "stress/faulty_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

// Queries first and inserts afterwards: two callers may both find the key absent.
struct QueriesFirst : FaultySubject {
  using FaultySubject::FaultySubject;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t>) override {
    size_t num_new = 0;
    for (uint64_t& word : inserted) word = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const Key key = Key::Digest(Digests(keys)[i]);
      if (!InsertOneIfAbsent(key, nullptr)) continue;
      inserted[i / 64] |= uint64_t{1} << (i % 64);
      ++num_new;
    }
    return num_new;
  }
  bool InsertOneIfAbsent(Key key, uint64_t*) override {
    if (LockedSubject::MayContain(key)) return false;
    // Waits until another thread is between the two as well, but not for long.
    const uint64_t seen = num_queries_.fetch_add(1);
    for (int i = 0; i < 20 && num_queries_.load() == seen + 1; ++i) std::this_thread::yield();
    LockedSubject::InsertOne(key);
    return true;
  }

 private:
  std::atomic<uint64_t> num_queries_ = 0;
};

// Tells a second caller "new" of the same key.
struct TellsTwice : FaultySubject {
  using FaultySubject::FaultySubject;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        std::span<uint64_t> times) override {
    const size_t num_new = LockedSubject::InsertIfAbsent(keys, inserted, times);
    if ((inserted[0] & 1) != 0 || !IsTurn(3)) return num_new;
    inserted[0] |= 1;
    return num_new + 1;
  }
};

// Inserts the key, and tells no caller.
struct TellsNone : FaultySubject {
  using FaultySubject::FaultySubject;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        std::span<uint64_t> times) override {
    const size_t num_new = LockedSubject::InsertIfAbsent(keys, inserted, times);
    if ((inserted[0] & 1) == 0 || !IsTurn(3)) return num_new;
    inserted[0] &= ~uint64_t{1};
    return num_new - 1;
  }
};

// Counts a key that is alone in its block twice.
struct CountsTwice : FaultySubject {
  using FaultySubject::FaultySubject;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    LockedSubject::CountEstimates(keys, counts);
    for (uint64_t& count : counts) count *= 2;
  }
};

Mix RacesOnly() {
  Mix mix = SampleMix();
  mix.keys_per_writer = 1;
  mix.keys_per_thread = 5000;
  mix.num_hot = 0;
  mix.audit_one_in = 0;
  mix.weights = {0, 0, 0, 0, 0, 0, 1};
  return mix;
}

TEST_CASE("races are run to their end, and one writer is told", "[stress][races][threads]") {
  const auto num_writers = GENERATE(1u, 2u, 5u);
  const RoundResult result = RunSample(RacesOnly(), MakeLocked, 1, num_writers, 0);
  CHECK_FALSE(result.violation);
  CHECK(result.totals.num_races > 0);
}

TEST_CASE("races hold for keys that non-members may hide", "[stress][races][threads]") {
  Mix mix = SampleMix();
  mix.kind = KeyKind::kInt64;
  mix.capacity = 50;  // most answers are "maybe present"
  const RoundResult result = RunSample(mix, MakeLocked);
  CHECK_FALSE(result.violation);
  CHECK(result.totals.num_races > 0);
}

TEST_CASE("races of which none or two are told \"new\", and counts of lone keys, are found",
          "[stress][races][threads]") {
  CHECK(ViolatedBy<QueriesFirst>(RacesOnly(), 20));
  CHECK(ViolatedBy<TellsTwice>(RacesOnly(), 20) == Invariant::kNewToldOnce);
  CHECK(ViolatedBy<TellsNone>(RacesOnly(), 20) == Invariant::kNewToldOnce);
  CHECK(ViolatedBy<CountsTwice>(RacesOnly()) == Invariant::kLoneKeyExact);
}

}  // namespace
}  // namespace trommel::stress
