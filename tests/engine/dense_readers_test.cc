// Queries of a DenseStore beside updates: a key that is in is found at every moment, while blocks
// are cut and filled, entries move, lines grow and shrink, and keys are hidden.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/dense_store.h"
#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/dense_filter.h"
#include "trommel/sync/grace_periods.h"

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
  store->Apply(Update::kInsert, members.data(), {0, members.size()}, nullptr, nullptr);
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

// A query that reads a block while it changes sees another version afterwards, and reads again.
TEST_CASE("each update that changes a block's words changes its group's version",
          "[engine][fingerprints][dense]") {
  constexpr uint64_t kNumGroups = 3;
  constexpr uint64_t kGroupWords = kernels::kGroupBlocks * kernels::kFingerprintBlockWords;
  constexpr uint64_t kNumBlocks = kNumGroups * kernels::kGroupBlocks;
  const DenseLayout layout{kernels::kDenseShapes[1], 8};
  tests::OwnedDenseRange owned(layout, kNumBlocks, 16);
  std::vector<uint64_t> versions(kNumGroups);
  GracePeriods periods;
  owned.range.SetReaders({.versions = versions.data(), .first_block = 0, .periods = &periods});
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<std::pair<uint64_t, uint32_t>> members;
  uint64_t num_changes = 0;
  for (int i = 0; i < 30'000; ++i) {
    const uint32_t* const words = owned.blocks.data();
    const std::vector<uint32_t> words_before(words, words + kNumGroups * kGroupWords);
    const std::vector<uint64_t> versions_before = versions;
    const bool is_erasure = i > 12'000 && random() % 2 == 0;
    if (is_erasure) {
      std::swap(members[random() % members.size()], members.back());
      REQUIRE(owned.range.Erase(members.back().first, members.back().second));
      members.pop_back();
    } else {
      const auto place = kernels::FingerprintPlaceOf(random(), kNumBlocks);
      members.emplace_back(place.block_idx, layout.KeyOf(place.rest));
      // One in eight is a copy.
      if (random() % 8 == 0) members.back() = members[random() % members.size()];
      REQUIRE(owned.range.Insert(members.back().first, members.back().second));
    }
    for (uint64_t g = 0; g < kNumGroups; ++g) {
      REQUIRE(versions[g] % 2 == 0);
      if (std::equal(words + g * kGroupWords, words + (g + 1) * kGroupWords,
                     words_before.data() + g * kGroupWords)) {
        continue;
      }
      ++num_changes;
      REQUIRE(versions[g] > versions_before[g]);
    }
  }
  CHECK(num_changes > 15'000);
}

}  // namespace
}  // namespace trommel
