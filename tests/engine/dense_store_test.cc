// DenseStore through the Store interface: exact beside a model, whatever batches, sizes and limits.
#include "engine/src/fingerprints/dense_store.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/targets.h"

namespace trommel {
namespace {

using kernels::DenseShape;
using kernels::kDenseShapes;

std::unique_ptr<DenseStore> NewStore(uint64_t num_blocks, const DenseLayout& layout,
                                     uint32_t shard_bits = 0) {
  Geometry geometry;
  geometry.encoding = Encoding::kDense;
  geometry.num_blocks = num_blocks;
  geometry.shard_bits = shard_bits;
  geometry.num_slices = 0;
  geometry.fingerprint_bits = layout.bits;
  geometry.slots = layout.shape.slots;
  Result<std::unique_ptr<DenseStore>> store = DenseStore::Create(geometry, 0);
  REQUIRE(store);
  return *std::move(store);
}

// How often each key of each block is in.
class StoreModel {
 public:
  StoreModel(uint64_t num_blocks, const DenseLayout& layout)
      : num_blocks_(num_blocks), layout_(layout) {}

  bool Apply(Update update, uint64_t digest) {
    uint64_t& count = counts_[PlaceOf(digest)];
    const bool is_in = count > 0;
    if (update == Update::kErase) {
      if (is_in) count -= 1;
      return is_in;
    }
    const bool is_inserted = update == Update::kInsert || !is_in;
    count += is_inserted ? 1 : 0;
    return is_inserted;
  }
  uint64_t CountOf(uint64_t digest) const {
    const auto found = counts_.find(PlaceOf(digest));
    return found == counts_.end() ? 0 : found->second;
  }
  BlockContents ContentsOf(uint64_t block_idx) const {
    BlockContents contents;
    const auto end = counts_.lower_bound({block_idx + 1, 0});
    for (auto at = counts_.lower_bound({block_idx, 0}); at != end; ++at) {
      if (at->second > 0) contents.push_back({at->first.second, at->second});
    }
    return contents;
  }

 private:
  std::pair<uint64_t, uint32_t> PlaceOf(uint64_t digest) const {
    const auto place = kernels::FingerprintPlaceOf(digest, num_blocks_);
    return {place.block_idx, layout_.KeyOf(place.rest)};
  }

  uint64_t num_blocks_;
  DenseLayout layout_;
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> counts_;
};

void CheckContents(const Store& store, const StoreModel& model) {
  uint64_t num_distinct = 0;
  for (uint64_t b = 0; b < store.geometry().num_blocks; ++b) {
    const BlockContents want = model.ContentsOf(b);
    if (!std::ranges::equal(store.ReadContents(b), want)) FAIL("contents of block " << b);
    num_distinct += want.size();
  }
  kernels::Tally tally;
  for (size_t r = 0; r < store.num_owned_ranges(); ++r) tally += store.TallyOf(r);
  CHECK(tally.num_present == num_distinct);
  CHECK(tally.num_promoted == store.Figures().num_promoted);
}

// Applies a batch in two parts, and compares the answers.
void ApplyBoth(Store& store, StoreModel& model, Update update, const std::vector<uint64_t>& digests,
               size_t split) {
  std::vector<uint64_t> want(digests.size() / 64 + 1);
  std::vector<uint64_t> got(want.size());
  for (size_t i = 0; i < digests.size(); ++i) {
    const bool is_changed = model.Apply(update, digests[i]);
    if (update != Update::kInsert) want[i / 64] |= uint64_t{is_changed} << (i % 64);
  }
  for (const auto& [begin, end] : {std::pair{size_t{0}, split}, std::pair{split, digests.size()}}) {
    REQUIRE(store.Apply(update, digests.data(), {begin, end}, got.data()) == 0);
  }
  REQUIRE(got == want);
}

TEST_CASE("a dense store does as a multiset does in batches of every update, on every target",
          "[fingerprints][dense]") {
  const DenseShape shape = kDenseShapes[GENERATE(range(size_t{0}, kernels::kNumDenseShapes))];
  const DenseLayout layout{shape, shape.max_bits - GENERATE(0U, 2U)};
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed() + shape.slots);
    const uint64_t num_blocks = 64;
    const std::unique_ptr<DenseStore> store = NewStore(num_blocks, layout, 2);
    StoreModel model(num_blocks, layout);
    const uint64_t num_keys = num_blocks * shape.slots * 12 / 10;
    std::vector<uint64_t> pool(num_keys);
    for (uint64_t& digest : pool) digest = random();
    constexpr Update kUpdates[] = {Update::kInsert, Update::kErase, Update::kInsertIfAbsent};
    for (int round = 0; round < 60; ++round) {
      const bool rises = round % 30 < 18;
      std::vector<uint64_t> digests(random() % 400);
      for (uint64_t& digest : digests) {
        digest = random() % 10 == 0 ? random() : pool[random() % pool.size()];
      }
      const Update update = random() % 3 == 0 ? kUpdates[random() % 3]
                            : rises           ? Update::kInsert
                                              : Update::kErase;
      ApplyBoth(*store, model, update, digests, random() % (digests.size() + 1));
      std::vector<uint64_t> bits((pool.size() + 63) / 64);
      size_t num_present = 0;
      for (size_t i = 0; i < pool.size(); ++i) num_present += model.CountOf(pool[i]) > 0 ? 1 : 0;
      REQUIRE(store->Query(pool, bits.data()) == num_present);
      for (int i = 0; i < 50; ++i) {
        const uint64_t digest = i % 2 == 0 ? random() : pool[random() % pool.size()];
        const Update one = kUpdates[random() % 4];
        REQUIRE((store->UpdateOne(one, digest) == Fate::kChanged) == model.Apply(one, digest));
        REQUIRE(store->CountEstimate(digest) == model.CountOf(digest));
        REQUIRE(store->MayContain(digest) == (model.CountOf(digest) > 0));
      }
      if (round % 10 == 0) CheckContents(*store, model);
    }
    CheckContents(*store, model);
  });
}

struct FilledStore {
  FilledStore(uint64_t num_blocks, const DenseLayout& layout, uint32_t shard_bits, uint64_t seed)
      : store(NewStore(num_blocks, layout, shard_bits)), model(num_blocks, layout) {
    std::mt19937_64 random(seed);
    std::vector<uint64_t> digests(num_blocks * layout.shape.slots * 11 / 10);
    for (uint64_t& digest : digests) {
      digest = random() % 20 == 0 && digest != digests[0] ? digests[0] : random();
    }
    ApplyBoth(*store, model, Update::kInsert, digests, digests.size() / 2);
    members = digests;
  }

  std::unique_ptr<DenseStore> store;
  StoreModel model;
  std::vector<uint64_t> members;
};

TEST_CASE("dense stores are merged, subtracted, copied and cleared with all copies",
          "[fingerprints][dense]") {
  const DenseLayout layout{kDenseShapes[GENERATE(1U, 4U)], 8};
  FilledStore one(32, layout, 1, 1);
  FilledStore other(32, layout, 1, 2);
  REQUIRE(one.store->Merge(*other.store));
  for (const uint64_t digest : other.members) one.model.Apply(Update::kInsert, digest);
  CheckContents(*one.store, one.model);
  REQUIRE(one.store->Subtract(*other.store));
  for (const uint64_t digest : other.members) one.model.Apply(Update::kErase, digest);
  CheckContents(*one.store, one.model);
  CHECK_FALSE(one.store->Subtract(*other.store));
  CheckContents(*one.store, one.model);

  const std::unique_ptr<DenseStore> copy = NewStore(32, layout, 1);
  for (size_t r = 0; r < copy->num_owned_ranges(); ++r) copy->CopyOwnedRange(*one.store, r);
  CheckContents(*copy, one.model);
  REQUIRE(copy->WriteContents(5, other.model.ContentsOf(5)));
  CHECK(std::ranges::equal(copy->ReadContents(5), other.model.ContentsOf(5)));
  CHECK(std::ranges::equal(copy->ReadContents(6), one.model.ContentsOf(6)));

  one.store->Clear();
  CheckContents(*one.store, StoreModel(32, layout));
  CHECK(one.store->Figures().num_promoted == 0);
  ApplyBoth(*one.store, other.model, Update::kInsert, {}, 0);
}

TEST_CASE("a dense store of twice or half the blocks has the same digests",
          "[fingerprints][dense]") {
  const DenseShape shape = kDenseShapes[GENERATE(range(size_t{0}, kernels::kNumDenseShapes))];
  const uint32_t bits = shape.max_bits - GENERATE(0U, 1U);
  const FilledStore from(64, {shape, bits}, 2, 3);
  const auto check = [&](const Result<std::unique_ptr<Store>>& resized, uint32_t new_bits) {
    REQUIRE(resized);
    const uint64_t num_blocks = (*resized)->geometry().num_blocks;
    REQUIRE((*resized)->geometry().fingerprint_bits == new_bits);
    StoreModel model(num_blocks, {shape, new_bits});
    for (const uint64_t digest : from.members) model.Apply(Update::kInsert, digest);
    CheckContents(**resized, model);
  };
  check(from.store->DoubleSize(0), bits - 1);
  check(from.store->HalfSize(0), std::min(bits + 1, shape.max_bits));
}

TEST_CASE("what a limit refuses does not depend on how batches are cut, and changes nothing",
          "[fingerprints][dense]") {
  const DenseLayout layout{kDenseShapes[1], 8};
  std::mt19937_64 random(7);
  std::vector<uint64_t> digests(32 * 1'500);
  for (uint64_t& digest : digests) {
    digest =
        random() % 3 == 0 && digest != digests[0] ? digests[random() % digests.size()] : random();
  }
  std::vector<uint64_t> refused[2];
  std::unique_ptr<DenseStore> stores[2];
  for (const size_t way : {0U, 1U}) {
    stores[way] = NewStore(32, layout, 1);
    const uint64_t limit_bytes = 2 * DenseRange::LeastSideBytes(16);
    CHECK_FALSE(stores[way]->LimitSideMemory(limit_bytes - 1));
    REQUIRE(stores[way]->LimitSideMemory(limit_bytes));
    refused[way].resize(digests.size() / 64 + 1);
    const size_t step = way == 0 ? digests.size() : 37;
    uint64_t num_refused = 0;
    for (size_t i = 0; i < digests.size(); i += step) {
      num_refused += stores[way]->ApplyNoting(Update::kInsert, digests.data(),
                                              {i, std::min(i + step, digests.size())}, nullptr,
                                              refused[way].data());
    }
    CHECK(num_refused > 0);
    CHECK(stores[way]->Figures().num_refused_inserts == num_refused);
    CHECK(stores[way]->Figures().side_table_bytes <= limit_bytes);
  }
  CHECK(refused[0] == refused[1]);
  StoreModel model(32, layout);
  for (size_t i = 0; i < digests.size(); ++i) {
    if ((refused[0][i / 64] >> (i % 64) & 1) == 0) model.Apply(Update::kInsert, digests[i]);
  }
  for (const auto& store : stores) CheckContents(*store, model);
}

}  // namespace
}  // namespace trommel
