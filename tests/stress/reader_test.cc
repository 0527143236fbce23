// What readers find while writers write.
#include "tools/stress/threads/reader.h"

#include <thread>
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

// In one insertion of 20, a key that was inserted earlier is absent for a while.
struct Flickers : FaultySubject {
  using FaultySubject::FaultySubject;
  uint64_t Insert(Keys keys) override {
    LockedSubject::Insert(keys);
    const uint64_t earlier = earlier_.exchange(Digests(keys)[0]);
    if (!IsTurn(20) || earlier == 0 || !LockedSubject::EraseOne(Key::Digest(earlier), 0)) return 0;
    const uint64_t queried = num_queried_.load();
    for (int i = 0; i < 500 && num_queried_.load() < queried + 2000; ++i) {
      std::this_thread::yield();
    }
    return LockedSubject::InsertOne(Key::Digest(earlier));
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    num_queried_.fetch_add(keys.size());
    return LockedSubject::Query(keys, maybe_present);
  }

 private:
  std::atomic<uint64_t> earlier_ = 0;
  mutable std::atomic<uint64_t> num_queried_ = 0;
};

// Swaps the answers of the first and the last key of a batch.
struct SwapsAnswers : FaultySubject {
  using FaultySubject::FaultySubject;
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    const size_t num_present = LockedSubject::Query(keys, maybe_present);
    const size_t last = keys.size() - 1;
    const uint64_t differ = (maybe_present[0] ^ maybe_present[last / 64] >> (last % 64)) & 1;
    maybe_present[0] ^= differ;
    maybe_present[last / 64] ^= differ << (last % 64);
    return num_present;
  }
};

// Snapshots are those of the new filter.
struct SavesTooLittle : FaultySubject {
  SavesTooLittle(CountingFilter&& filter, const CountingConfig& config)
      : FaultySubject(std::move(filter), config), bytes_(LockedSubject::Serialize()) {}
  std::vector<std::byte> Serialize() const override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// num_keys misses keys.
struct ForgetsNumKeys : FaultySubject {
  using FaultySubject::FaultySubject;
  uint64_t num_keys() const override { return LockedSubject::num_keys() / 100; }
};

// Writers only insert and erase: only readers can find what is wrong with queries.
Mix QueriedByReaders() {
  Mix mix = SampleMix();
  mix.num_races = 0;
  mix.weights = {5, 0, 6, 0, 1, 1, 0};
  return mix;
}

TEST_CASE("a claim holds until a copy is withdrawn", "[stress][reader]") {
  Claim claim;
  CHECK(claim.Look().copies.count == 0);
  claim.Post({5, 2});
  const Claim::Known known = claim.Look();
  CHECK(known.copies.bucket == 5);
  CHECK(known.copies.count == 2);
  claim.Post({5, 3});
  claim.Post({6, 1});
  CHECK(claim.StillHolds(known));
  claim.Withdraw({6, 1});
  CHECK_FALSE(claim.StillHolds(known));
  CHECK(claim.Look().epoch == known.epoch + 1);
  claim.Post({5, 2});
  CHECK_FALSE(claim.StillHolds(known));  // though the copies are the same again
  claim.Post({uint64_t{1} << 20, 1});
  CHECK(claim.Look().copies.count == 0);  // too late a bucket to be claimed
}

TEST_CASE("wrong answers and snapshots are found by readers", "[stress][reader][threads]") {
  Mix mix = QueriedByReaders();
  mix.keys_per_writer = 20;
  CHECK(ViolatedBy<Flickers>(mix, 20));
  CHECK(ViolatedBy<SwapsAnswers>(QueriedByReaders(), 20) == Invariant::kNoFalseNegative);
  // If no reader audited in time, the final check finds these.
  const std::optional<Invariant> saved = ViolatedBy<SavesTooLittle>(QueriedByReaders(), 20);
  CHECK((saved == Invariant::kWholeFilter || saved == Invariant::kBytesAsSequential));
  const std::optional<Invariant> counted = ViolatedBy<ForgetsNumKeys>(QueriedByReaders(), 20);
  CHECK((counted == Invariant::kWholeFilter || counted == Invariant::kNumKeysExact));
}

}  // namespace
}  // namespace trommel::stress
