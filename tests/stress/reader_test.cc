// What readers find out while writers write.
#include "tools/stress/reader.h"

#include <thread>
#include <vector>

#include "stress/sample_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

// Now and then a key that came in earlier is absent for a while, and comes back.
class Flickers : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  void Insert(Keys keys) override {
    inner_->Insert(keys);
    const uint64_t earlier = earlier_.exchange(Digests(keys)[0]);
    if (!IsTurn(20) || earlier == 0 || !inner_->EraseOne(Key::Digest(earlier))) return;
    const uint64_t asked = num_asked_.load();
    for (int i = 0; i < 500 && num_asked_.load() < asked + 2000; ++i) std::this_thread::yield();
    inner_->InsertOne(Key::Digest(earlier));
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    num_asked_.fetch_add(keys.size());
    return inner_->Query(keys, maybe_present);
  }

 private:
  std::atomic<uint64_t> earlier_ = 0;
  mutable std::atomic<uint64_t> num_asked_ = 0;
};

// Mixes up the answers of the first and the last key of a batch.
class MixesUpAnswers : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    const size_t num_present = inner_->Query(keys, maybe_present);
    const size_t last = keys.size() - 1;
    const uint64_t differ = (maybe_present[0] ^ maybe_present[last / 64] >> (last % 64)) & 1;
    maybe_present[0] ^= differ;
    maybe_present[last / 64] ^= differ << (last % 64);
    return num_present;
  }
};

// Snapshots are of the time when the filter was new.
class SavesTooLittle : public PassingSubject {
 public:
  explicit SavesTooLittle(std::unique_ptr<Subject> inner)
      : PassingSubject(std::move(inner)), bytes_(inner_->Serialize()) {}
  std::vector<std::byte> Serialize() const override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Snapshots are torn.
class SavesTorn : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  std::vector<std::byte> Serialize() const override {
    std::vector<std::byte> bytes = inner_->Serialize();
    bytes[bytes.size() / 2] ^= std::byte{1};
    return bytes;
  }
};

// Some keys are forgotten in the number of keys.
class ForgetsNumKeys : public PassingSubject {
 public:
  using PassingSubject::PassingSubject;
  uint64_t num_keys() const override { return inner_->num_keys() / 100; }
};

// Writers only insert and erase: what is wrong with questions only readers can find.
Mix AskedByReaders() {
  Mix mix = SampleMix();
  mix.num_races = 0;
  mix.weights = {5, 0, 6, 0, 1, 1, 0};
  return mix;
}

TEST_CASE("a claim holds until a copy is withdrawn", "[stress][reader]") {
  Claim claim;
  CHECK(claim.Look().count == 0);
  claim.Post();
  claim.Post();
  const Claim::Known known = claim.Look();
  CHECK(known.count == 2);
  claim.Post();
  CHECK(claim.StillHolds(known));
  claim.Withdraw();
  CHECK_FALSE(claim.StillHolds(known));
  CHECK(claim.Look().count == 2);
  CHECK(claim.Look().epoch == known.epoch + 1);
}

TEST_CASE("tokens are taken while there are any", "[stress][reader]") {
  Tokens tokens;
  CHECK(tokens.Take(3) == 0);
  tokens.Put(5);
  CHECK(tokens.Take(3) == 3);
  CHECK(tokens.Take(3) == 2);
  CHECK(tokens.count() == 0);
}

TEST_CASE("a key that is absent for a moment is found", "[stress][reader][threads]") {
  Mix mix = AskedByReaders();
  mix.keys_per_writer = 20;
  CHECK(BrokenLaw<Flickers>(mix, 20));
}

TEST_CASE("answers that are mixed up in a bitmap are found", "[stress][reader][threads]") {
  CHECK(BrokenLaw<MixesUpAnswers>(AskedByReaders(), 20) == Law::kNoFalseNegative);
}

TEST_CASE("a snapshot that lacks keys is found", "[stress][reader][threads]") {
  const std::optional<Law> law = BrokenLaw<SavesTooLittle>(AskedByReaders(), 20);
  // Where no reader looked in time, the bytes at the end are wrong.
  CHECK((law == Law::kWholeFilter || law == Law::kBytesAsSequential));
}

TEST_CASE("a snapshot that does not load is found", "[stress][reader][threads]") {
  CHECK(BrokenLaw<SavesTorn>(AskedByReaders(), 20));
}

TEST_CASE("keys forgotten in their number are found", "[stress][reader][threads]") {
  const std::optional<Law> law = BrokenLaw<ForgetsNumKeys>(AskedByReaders(), 20);
  CHECK((law == Law::kWholeFilter || law == Law::kNumKeysExact));
}

}  // namespace
}  // namespace trommel::stress
