// Races for one "new".
#include "stress/sample_rounds.h"
#include "support/catch.h"
#include "tools/stress/writer.h"

namespace trommel::stress {
namespace {

// Looks first and inserts then: two callers may both see nothing.
class LooksFirst : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) override {
    size_t num_new = 0;
    for (uint64_t& word : inserted) word = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const Key key = Key::Digest(Digests(keys)[i]);
      if (!InsertOneIfAbsent(key)) continue;
      inserted[i / 64] |= uint64_t{1} << (i % 64);
      ++num_new;
    }
    return num_new;
  }
  bool InsertOneIfAbsent(Key key) override {
    if (inner_->MayContain(key)) return false;
    // Leaves the gap open until another thread has been in it, but not for ever.
    const uint64_t seen = num_looks_.fetch_add(1);
    for (int i = 0; i < 20 && num_looks_.load() == seen + 1; ++i) std::this_thread::yield();
    inner_->InsertOne(key);
    return true;
  }

 private:
  std::atomic<uint64_t> num_looks_ = 0;
};

// Tells "new" of a key that another caller was told of before.
class TellsTwice : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) override {
    const size_t num_new = inner_->InsertIfAbsent(keys, inserted);
    if ((inserted[0] & 1) != 0 || !IsTurn(3)) return num_new;
    inserted[0] |= 1;
    return num_new + 1;
  }
};

// Inserts the key, and tells nobody.
class TellsNobody : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) override {
    const size_t num_new = inner_->InsertIfAbsent(keys, inserted);
    if ((inserted[0] & 1) == 0 || !IsTurn(3)) return num_new;
    inserted[0] &= ~uint64_t{1};
    return num_new - 1;
  }
};

// Counts a key that is alone in its block twice.
class CountsTwice : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    inner_->CountEstimates(keys, counts);
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

TEST_CASE("races are fair game for keys that strangers may hide, too", "[stress][races][threads]") {
  Mix mix = SampleMix();
  mix.kind = KeyKind::kInt64;
  mix.capacity = 50;  // most answers are "maybe present"
  const RoundResult result = RunSample(mix, MakeLocked);
  CHECK_FALSE(result.violation);
  CHECK(result.totals.num_races > 0);
}

TEST_CASE("looking first and inserting then is found", "[stress][races][threads]") {
  CHECK(BrokenLaw<LooksFirst>(RacesOnly(), 20));
}

TEST_CASE("telling \"new\" twice is found", "[stress][races][threads]") {
  CHECK(BrokenLaw<TellsTwice>(RacesOnly(), 20) == Law::kNewToldOnce);
}

TEST_CASE("telling nobody is found", "[stress][races][threads]") {
  CHECK(BrokenLaw<TellsNobody>(RacesOnly(), 20) == Law::kNewToldOnce);
}

TEST_CASE("a lone key that is counted twice is found", "[stress][races][threads]") {
  CHECK(BrokenLaw<CountsTwice>(RacesOnly()) == Law::kLoneKeyExact);
}

}  // namespace
}  // namespace trommel::stress
