// Queries of a DenseStore beside updates: a key that is in is found at every moment, while blocks
// are cut and filled, entries move, lines grow and shrink, and keys are hidden.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "engine/src/fingerprints/dense_store.h"
#include "kernels/dense_layout.h"
#include "support/catch.h"
#include "trommel/outcomes.h"

namespace trommel {
namespace {

constexpr uint64_t kServedBlocks = 448;  // groups of 64 are cut by ranges of 112
constexpr uint32_t kServedShardBits = 2;

std::unique_ptr<DenseStore> NewServedDense(const kernels::DenseShape& shape) {
  Geometry geometry;
  geometry.encoding = Encoding::kDense;
  geometry.num_blocks = kServedBlocks;
  geometry.shard_bits = kServedShardBits;
  geometry.num_slices = 0;
  geometry.fingerprint_bits = shape.max_bits;
  geometry.slots = shape.slots;
  Result<std::unique_ptr<DenseStore>> store = DenseStore::Create(geometry, 0);
  REQUIRE(store);
  REQUIRE((*store)->ServeQueries(0));
  return *std::move(store);
}

std::vector<uint64_t> RandomDigestsOf(size_t size, std::mt19937_64& random) {
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

// Of one block in each range: more than lines near it have places for.
std::vector<uint64_t> DenseCrowd(std::mt19937_64& random) {
  std::vector<uint64_t> digests;
  for (uint64_t r = 0; r < (1U << kServedShardBits); ++r) {
    const uint64_t first = ((r * 112 + 37) * (~uint64_t{0} / kServedBlocks)) + kServedBlocks;
    for (int i = 0; i < 700; ++i) digests.push_back(first + random() % (uint64_t{1} << 55));
  }
  return digests;
}

bool DenseAnswers(const DenseStore& store, uint64_t digest, bool is_in) {
  uint64_t bits = 0;
  return store.Query({&digest, 1}, &bits) == uint64_t{is_in} && store.MayContain(digest) == is_in;
}

TEST_CASE("served queries answer as alone, but for blocks whose keys may be hidden",
          "[engine][fingerprints][dense]") {
  const kernels::DenseShape shape =
      kernels::kDenseShapes[GENERATE(range(size_t{0}, kernels::kNumDenseShapes))];
  const std::unique_ptr<DenseStore> store = NewServedDense(shape);
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> members = RandomDigestsOf(shape.slots * kServedBlocks, random);
  members.insert(members.end(), 300, members.front());
  store->Apply(Update::kInsert, members.data(), {0, members.size()}, nullptr);
  REQUIRE(store->Figures().num_promoted > 0);
  for (const uint64_t digest : members) REQUIRE(DenseAnswers(*store, digest, true));

  const auto count = [&](const std::vector<uint64_t>& digests) {
    return static_cast<uint64_t>(
        std::ranges::count_if(digests, [&](uint64_t d) { return store->MayContain(d); }));
  };
  const std::vector<uint64_t> others = RandomDigestsOf(50'000, random);
  REQUIRE(store->Figures().num_undecided == 0);
  const uint64_t num_beside = count(others);
  store->StopServingQueries();
  CHECK(count(others) == num_beside);

  // With hidden keys: never fewer, and more by the undecided share.
  const std::vector<uint64_t> crowd = DenseCrowd(random);
  for (const uint64_t digest : crowd) REQUIRE(store->InsertOne(digest));
  REQUIRE(store->Figures().num_undecided > 0);
  REQUIRE(store->ServeQueries(0));
  for (const uint64_t digest : crowd) REQUIRE(DenseAnswers(*store, digest, true));
  std::vector<bool> beside;
  for (const uint64_t digest : others) beside.push_back(store->MayContain(digest));
  store->StopServingQueries();
  for (size_t i = 0; i < others.size(); ++i) {
    if (store->MayContain(others[i])) REQUIRE(beside[i]);
  }
  REQUIRE(store->ServeQueries(0));
  for (const uint64_t digest : crowd) REQUIRE(store->EraseOne(digest));
  for (const uint64_t digest : members) REQUIRE(store->EraseOne(digest));
  for (const uint64_t digest : members) REQUIRE(DenseAnswers(*store, digest, false));
  CHECK(store->Figures().num_undecided == 0);
  CHECK(store->Figures().num_interrupted_queries == 0);
}

TEST_CASE("beside writers of dense blocks no member is lost",
          "[engine][fingerprints][dense][threads][long]") {
  const kernels::DenseShape shape = kernels::kDenseShapes[GENERATE(0U, 1U, 4U)];
  const std::unique_ptr<DenseStore> store = NewServedDense(shape);
  std::mt19937_64 random(Catch::rngSeed() + shape.slots);
  const std::vector<uint64_t> members =
      RandomDigestsOf(shape.slots * kServedBlocks * 8 / 10, random);
  store->Apply(Update::kInsert, members.data(), {0, members.size()}, nullptr);
  std::vector<uint64_t> crowd = DenseCrowd(random);

  constexpr size_t kNumWriters = 2;
  std::atomic<size_t> num_writing{kNumWriters};
  std::atomic<uint64_t> num_wrong{0};
  std::atomic<uint64_t> num_looks{0};
  // A writer has its ranges to itself, as if by their locks. From 0.8 to 1.6 times the slots and
  // back, so that lines grow and shrink.
  const auto write = [&](size_t writer) {
    std::mt19937_64 drawn(Catch::rngSeed() + writer);
    std::vector<uint64_t> keys;
    const auto take = [&](uint64_t digest) {
      if ((digest >> (64 - kServedShardBits)) % kNumWriters == writer) keys.push_back(digest);
    };
    for (int round = 0; round < 3 || num_looks < 6; ++round) {
      keys.clear();
      for (uint64_t i = 0; i < shape.slots * kServedBlocks * 8 / 10; ++i) take(drawn());
      for (int i = 0; i < 20; ++i) take(members[i]);  // copies of members
      if (round % 2 == 0) {
        for (const uint64_t digest : crowd) take(digest);
      }
      std::ranges::shuffle(keys, drawn);
      std::vector<uint64_t> answers(keys.size() / 64 + 1);
      store->Apply(Update::kInsert, keys.data(), {0, keys.size()}, answers.data());
      std::ranges::shuffle(keys, drawn);
      store->Apply(Update::kErase, keys.data(), {0, keys.size() / 2}, answers.data());
      for (size_t i = keys.size() / 2; i < keys.size(); ++i) {
        if (!store->EraseOne(keys[i])) ++num_wrong;
      }
    }
    --num_writing;
  };
  const auto read = [&] {
    std::vector<uint64_t> bits(BitmapWords(members.size()));
    do {
      num_wrong += members.size() - store->Query(members, bits.data());
      for (size_t i = 0; i < members.size(); i += 3)
        num_wrong += store->MayContain(members[i]) ? 0 : 1;
      ++num_looks;
    } while (num_writing != 0);
  };
  std::vector<std::thread> threads;
  for (size_t w = 0; w < kNumWriters; ++w) threads.emplace_back(write, w);
  threads.emplace_back(read);
  threads.emplace_back(read);
  for (std::thread& thread : threads) thread.join();
  CHECK(num_wrong == 0);
  CHECK(store->Figures().num_undecided == 0);
  for (const uint64_t digest : members) REQUIRE(store->EraseOne(digest));
  kernels::Tally tally;
  for (size_t r = 0; r < store->num_owned_ranges(); ++r) tally += store->TallyOf(r);
  CHECK(tally.num_present == 0);
}

}  // namespace
}  // namespace trommel
