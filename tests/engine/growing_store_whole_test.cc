// GrowingStore: batches, copies, whole stores, limits, memory. (What it holds key by key:
// growing_store_test.cc; queries beside updates: growing_store_threads_test.cc.)
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/memory_budget.h"
#include "engine/src/batches/query_batch.h"
#include "engine/src/batches/update_batch.h"
#include "engine/src/growing/growing_store.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/sync/range_locks.h"
#include "kernels/growing_layout.h"
#include "support/catch.h"
#include "support/sanitized.h"
#include "support/shrink.h"
#include "trommel/executor.h"
#include "trommel/keys.h"

namespace trommel {
namespace {

using StorePtr = std::unique_ptr<GrowingStore>;

StorePtr MakeGrowing(const GrowingOptions& options = {}) {
  Result<StorePtr> store = GrowingStore::Create(options);
  REQUIRE(store);
  return *std::move(store);
}

std::vector<uint64_t> RandomDigests(size_t size, std::mt19937_64& random) {
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

// Of so many shards only, so that these grow much with few keys.
std::vector<uint64_t> DigestsOfShards(size_t size, uint64_t num_shards, std::mt19937_64& random) {
  std::vector<uint64_t> digests = RandomDigests(size, random);
  for (uint64_t& digest : digests) digest = digest >> 6 | (digest % num_shards) << 58;
  return digests;
}

std::vector<ShardContents> ContentsOf(const GrowingStore& store) {
  std::vector<ShardContents> contents;
  for (size_t i = 0; i < GrowingStore::kNumShards; ++i) contents.push_back(store.ReadShard(i));
  return contents;
}

size_t NumMissed(const GrowingStore& store, std::span<const uint64_t> digests) {
  std::vector<uint64_t> bits((digests.size() + 63) / 64);
  return digests.size() - store.Query(digests, bits.data());
}

void InsertAll(GrowingStore& store, std::span<const uint64_t> digests) {
  for (const uint64_t digest : digests) REQUIRE(store.InsertOne(digest));
}

void EraseAll(GrowingStore& store, std::span<const uint64_t> digests) {
  for (const uint64_t digest : digests) REQUIRE(store.EraseOne(digest));
}

}  // namespace

TEST_CASE("a growing store's contents and answers are the same for any split of a batch",
          "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  // Through digests, doublings and, in one shard of 8, segments that split.
  std::vector<uint64_t> digests = DigestsOfShards(400'000, 8, random);
  const auto crowded = DigestsOfShards(150'000, 1, random);
  digests.insert(digests.end(), crowded.begin(), crowded.end());
  for (size_t i = 0; i < digests.size(); i += 7) digests[i] = digests[i / 2];
  std::ranges::shuffle(digests, random);
  const DigestPolicy policy;
  const Keys keys = Keys::Digests(digests);

  struct Outcome {
    std::vector<ShardContents> grown;
    std::vector<ShardContents> shrunk;
    std::vector<uint64_t> inserted;
    std::vector<uint64_t> erased;
  };
  const auto follow = [&](const BatchTarget& target, GrowingStore& store, size_t batch) {
    Outcome outcome;
    for (const bool is_erase : {false, true}) {
      for (size_t first = 0; first < digests.size(); first += batch) {
        const size_t size = std::min(batch, digests.size() - first);
        std::vector<uint64_t> answers((size + 63) / 64);
        const Keys some = keys.Subspan(first, size);
        // A third of the batches inserts copies as well.
        const bool is_plain = first / batch % 3 == 0 && !is_erase;
        const Update update = is_plain   ? Update::kInsert
                              : is_erase ? Update::kErase
                                         : Update::kInsertIfAbsent;
        const bool is_rest = is_erase && first > digests.size() * 9 / 10;
        if (is_rest) break;
        UpdateBatch(target, update, some, is_plain ? std::span<uint64_t>() : answers);
        auto& to = is_erase ? outcome.erased : outcome.inserted;
        to.insert(to.end(), answers.begin(), answers.end());
      }
      (is_erase ? outcome.shrunk : outcome.grown) = ContentsOf(store);
    }
    return outcome;
  };

  const size_t batch = 64 * 1000;
  const StorePtr direct = MakeGrowing();
  const Outcome want =
      follow({.store = *direct, .policy = policy, .route = Route::kDirect}, *direct, batch);
  CHECK(want.grown != want.shrunk);
  CHECK(want.grown[0].depth > 12);
  const auto executor = Executor::Create(3).value();
  for (const bool has_locks : {false, true}) {
    for (const Route route : {Route::kDirect, Route::kSplit}) {
      for (const bool has_threads : {false, true}) {
        RangeLocks locks(GrowingStore::kShardBits);
        const StorePtr store = MakeGrowing();
        const Outcome got = follow({.store = *store,
                                    .policy = policy,
                                    .executor = has_threads ? executor.get() : nullptr,
                                    .locks = has_locks ? &locks : nullptr,
                                    .route = route},
                                   *store, batch);
        CHECK(got.grown == want.grown);
        CHECK(got.shrunk == want.shrunk);
        CHECK(got.inserted == want.inserted);
        CHECK(got.erased == want.erased);
      }
    }
  }
}

TEST_CASE("copies of a few keys weigh nothing, never make a growing store grow, and are all there",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t num_keys : {100, 20'000}) {
    const StorePtr store = MakeGrowing();
    // Of one shard: with digests, or with blocks.
    const auto digests = DigestsOfShards(num_keys, 1, random);
    InsertAll(*store, digests);
    const GrowingFigures before = store->Figures();
    for (int copy = 0; copy < 10'000; ++copy) {
      REQUIRE(store->InsertOne(digests[0]));
      REQUIRE(store->InsertOne(digests[1]));
    }
    CHECK(store->CountEstimate(digests[0]) >= 10'001);
    CHECK(store->Figures().num_blocks == before.num_blocks);
    CHECK(store->num_entries() == before.num_entries);
    CHECK(store->Figures().side_table_bytes == before.side_table_bytes + 2 * 64);
    CHECK(NumMissed(*store, digests) == 0);
    for (int copy = 0; copy < 10'000; ++copy) {
      REQUIRE(store->EraseOne(digests[0]));
      REQUIRE(store->EraseOne(digests[1]));
    }
    CHECK(NumMissed(*store, digests) == 0);
    EraseAll(*store, digests);
    CHECK(store->num_entries() == 0);
    CHECK(store->Figures().side_table_bytes == 0);
  }
}

TEST_CASE("more keys than a growing store's block and line have space for stay in, and come back",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const StorePtr store = MakeGrowing({.most_doublings = 0});
  // Enough for blocks; then 60 for each of 40 blocks of one group, whose line has 18 entries.
  const auto others = DigestsOfShards(1500, 1, random);
  InsertAll(*store, others);
  std::vector<uint64_t> crowd;
  for (uint64_t block = 0; block < 30; ++block) {
    for (int i = 0; i < 60; ++i) crowd.push_back(block << 51 | random() >> 13);
  }
  InsertAll(*store, crowd);
  CHECK(store->Figures().num_marked >= 30);
  CHECK(store->Figures().num_undecided >= 29);
  CHECK(NumMissed(*store, crowd) == 0);
  CHECK(NumMissed(*store, others) == 0);
  for (const uint64_t digest : crowd) CHECK(store->CountEstimate(digest) >= 1);
  const ShardContents contents = store->ReadShard(0);
  // Not enough space in the blocks: half of them goes.
  std::ranges::shuffle(crowd, random);
  const std::span<const uint64_t> all(crowd);
  EraseAll(*store, all.first(1000));
  CHECK(NumMissed(*store, all.subspan(1000)) == 0);
  CHECK(NumMissed(*store, others) == 0);
  EraseAll(*store, all.subspan(1000));
  CHECK(store->Figures().num_marked == 0);
  CHECK(store->Figures().num_undecided == 0);
  CHECK(store->Figures().side_table_bytes == 0);
  CHECK(NumMissed(*store, others) == 0);
  // A non-member of an undecided block is decided under the lock.
  InsertAll(*store, crowd);
  std::vector<uint64_t> again = crowd;
  std::ranges::sort(again);
  CHECK(store->ReadShard(0) == contents);
}

TEST_CASE("contents of a growing store's shards make an equal store", "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint32_t first_bits : {7, 9}) {
    const GrowingOptions options{.first_bits = first_bits};
    const StorePtr store = MakeGrowing(options);
    for (uint64_t shard = 0; shard < 6; ++shard) {
      // Empty, a few digests, many digests, blocks, segments that split.
      const std::array<size_t, 6> sizes = {0, 3, 800, 5000, 100'000, 170'000};
      for (size_t i = 0; i < sizes[shard]; ++i) {
        const uint64_t digest = shard << 58 | random() >> 6;
        const uint64_t num_copies = random() % 50 == 0 ? 1 + random() % 9 : 1;
        for (uint64_t c = 0; c < num_copies; ++c) REQUIRE(store->InsertOne(digest));
      }
    }
    const StorePtr copy = MakeGrowing(options);
    for (size_t i = 0; i < GrowingStore::kNumShards; ++i) {
      const ShardContents contents = store->ReadShard(i);
      REQUIRE(copy->WriteShard(i, contents));
      CHECK(copy->ReadShard(i) == contents);
      CHECK(copy->TallyOf(i) == store->TallyOf(i));
    }
    CHECK(copy->num_entries() == store->num_entries());
    const GrowingFigures figures = copy->Figures();
    CHECK(figures.num_blocks == store->Figures().num_blocks);
    // From here on both do the same.
    const auto more = DigestsOfShards(60'000, 6, random);
    InsertAll(*store, more);
    InsertAll(*copy, more);
    EraseAll(*store, std::span(more).first(50'000));
    EraseAll(*copy, std::span(more).first(50'000));
    CHECK(ContentsOf(*copy) == ContentsOf(*store));
  }
}

TEST_CASE("contents that no shard has are refused, and the shard is as new", "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const StorePtr store = MakeGrowing();
  for (uint64_t i = 0; i < 3; ++i) {
    const size_t size = std::array<size_t, 3>{500, 3000, 170'000}[i];
    for (size_t k = 0; k < size; ++k) {
      const uint64_t digest = i << 58 | random() >> 6;
      for (int c = 0; c < (k % 100 == 0 ? 6 : 1); ++c) REQUIRE(store->InsertOne(digest));
    }
  }
  const ShardContents digests = store->ReadShard(0);
  const ShardContents blocks = store->ReadShard(1);
  const ShardContents split = store->ReadShard(2);
  const StorePtr to = MakeGrowing();
  const auto refuses = [&](ShardContents contents, const auto& damage) {
    damage(contents);
    const Status status = to->WriteShard(5, contents);
    CHECK(!status);
    if (!status) CHECK(status.error().code == ErrorCode::kCorrupt);
    CHECK(to->ReadShard(5) == ShardContents());
    CHECK(to->num_entries() == 0);
  };
  using Contents = ShardContents;
  refuses(digests, [](Contents& c) { std::swap(c.digests[0], c.digests[1]); });
  refuses(digests, [](Contents& c) { c.digests[0] ^= 1; });
  refuses(digests, [](Contents& c) { c.further[0].string ^= 1 << 20; });
  refuses(digests, [](Contents& c) { c.further[0].count = 0; });
  refuses(digests, [](Contents& c) { c.num_split = 1; });
  refuses(digests, [](Contents& c) { c.codes.push_back(3); });
  refuses(digests, [](Contents& c) { c.digests[1] = c.digests[0]; });
  // Of two codes neither may begin the other, as in files in which copies took slots.
  for (const uint16_t code : {uint16_t{0x0201}, uint16_t{0x0202}, uint16_t{0x0204}}) {
    refuses(blocks, [code](Contents& c) {
      c.block_sizes[0] += 2;
      c.codes.insert(c.codes.begin(), {0x0201, code});
      std::ranges::sort(c.codes.begin(), c.codes.begin() + c.block_sizes[0]);
    });
  }
  refuses(blocks, [](Contents& c) { c.depth = 6; });
  refuses(blocks, [](Contents& c) { c.depth = 22; });
  refuses(blocks, [](Contents& c) { c.num_split = 1; });
  refuses(blocks, [](Contents& c) { c.block_sizes[0] += 1; });
  refuses(blocks, [](Contents& c) { c.block_sizes.push_back(0); });
  refuses(blocks, [](Contents& c) { c.codes[0] = 0; });
  refuses(blocks, [](Contents& c) { c.codes[0] = 0x8000; });
  refuses(blocks, [](Contents& c) { std::swap(c.codes[0], c.codes[1]); });
  refuses(blocks, [](Contents& c) { c.digests.push_back(32); });
  refuses(blocks, [](Contents& c) { c.further.back().string -= uint64_t{1} << 62; });
  refuses(blocks, [](Contents& c) { c.further.push_back({~uint64_t{0}, 1}); });
  refuses(split, [](Contents& c) { c.num_split += 1; });
  refuses(split, [](Contents& c) { c.num_split = 2; });
  REQUIRE(to->WriteShard(5, split));
  CHECK(to->ReadShard(5) == split);
}

TEST_CASE("a merged growing store holds the strings of both, whatever their sizes",
          "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  // Digests, blocks, larger blocks, segments that split: all pairs.
  const std::array<size_t, 5> sizes = {0, 600, 2000, 30'000, 100'000};
  for (const size_t into_size : sizes) {
    for (const size_t from_size : sizes) {
      if (TROMMEL_TESTS_SANITIZED && std::max(into_size, from_size) > 50'000) continue;
      INFO(into_size << " keys and " << from_size);
      const StorePtr into = MakeGrowing();
      const StorePtr from = MakeGrowing();
      auto keys = DigestsOfShards(into_size, 1, random);
      InsertAll(*into, keys);
      auto other_keys = DigestsOfShards(from_size, 1, random);
      for (size_t i = 0; i < std::min(keys.size(), other_keys.size()); i += 5) {
        other_keys[i] = keys[i];
      }
      InsertAll(*from, other_keys);
      const auto contents = ContentsOf(*from);
      REQUIRE(into->Merge(*from));
      CHECK(ContentsOf(*from) == contents);
      keys.insert(keys.end(), other_keys.begin(), other_keys.end());
      CHECK(NumMissed(*into, keys) == 0);
      std::ranges::shuffle(keys, random);
      EraseAll(*into, keys);
      CHECK(into->num_entries() == 0);
      CHECK(ContentsOf(*into) == ContentsOf(*MakeGrowing()));
    }
  }
}

TEST_CASE("a growing store whose growth is refused works on, and refuses keys at 28 per block",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const bool has_limit : {false, true}) {
    // Two doublings: 512 blocks in each shard.
    const StorePtr store = has_limit ? MakeGrowing({.limit_bytes = GrowingStore::BytesAt(9)})
                                     : MakeGrowing({.most_doublings = 2});
    const auto digests = DigestsOfShards(20'000, 1, random);
    std::vector<uint64_t> taken;
    std::vector<uint64_t> refused_bits((digests.size() + 63) / 64);
    const uint64_t num_refused = store->ApplyNoting(
        Update::kInsert, digests.data(), {0, digests.size()}, nullptr, refused_bits.data());
    constexpr uint64_t kMostEntries = 28 * 512;
    uint64_t refused_one = 0;
    for (size_t i = 0; i < digests.size(); ++i) {
      const bool is_refused = (refused_bits[i / 64] >> (i % 64) & 1) != 0;
      if (is_refused) refused_one = digests[i];
      if (!is_refused) taken.push_back(digests[i]);
    }
    CHECK(taken.size() == digests.size() - num_refused);
    CHECK(store->num_entries() == kMostEntries);
    // A few keys are counted at the strings of others.
    CHECK(taken.size() >= kMostEntries);
    CHECK(taken.size() < kMostEntries + kMostEntries / 200);
    CHECK(store->Figures().num_refused_inserts == num_refused);
    CHECK(store->Figures().num_refused_growths > 0);
    CHECK(store->Figures().num_marked > 0);
    CHECK(NumMissed(*store, taken) == 0);
    // A further copy of a key needs no slot. taken[0] may have fewer bits than it would come in
    // with now.
    for (int copy = 0; copy < 6; ++copy) REQUIRE(store->InsertOne(taken[0]));
    CHECK(store->num_entries() == kMostEntries);
    CHECK_FALSE(store->InsertOne(refused_one));
    CHECK(store->UpdateOne(Update::kInsertIfAbsent, refused_one) == Fate::kRefused);
    for (int copy = 0; copy < 6; ++copy) REQUIRE(store->EraseOne(taken[0]));
    size_t num_erased = 1;
    while (store->num_entries() == kMostEntries) REQUIRE(store->EraseOne(taken[num_erased++]));
    REQUIRE(store->InsertOne(refused_one));
    CHECK(NumMissed(*store, std::span(taken).subspan(num_erased)) == 0);
    CHECK(store->MayContain(taken[0]));
  }
}

TEST_CASE("a growing store takes no more than its budget has, and gives back what it frees",
          "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  const auto budget = std::make_shared<MemoryBudget>(uint64_t{4} << 20);
  const auto digests = RandomDigests(2'000'000, random);
  {
    const StorePtr store = MakeGrowing();
    REQUIRE(store->Join(budget));
    std::vector<uint64_t> taken;
    for (const uint64_t digest : digests) {
      if (store->InsertOne(digest)) taken.push_back(digest);
    }
    CHECK(taken.size() < digests.size());
    CHECK(taken.size() > 1'000'000);
    CHECK(NumMissed(*store, taken) == 0);
    CHECK(budget->num_bytes() <= budget->limit_bytes());
    CHECK(budget->num_bytes() == store->num_bytes());
    EraseAll(*store, taken);
    store->FreeReplaced();
    CHECK(store->num_entries() == 0);
    CHECK(budget->num_bytes() == store->num_bytes());
    CHECK(store->num_bytes() == MakeGrowing()->num_bytes());
  }
  CHECK(budget->num_bytes() == 0);
}

TEST_CASE("fifty thousand live keys replaced 40 times take the memory of fifty thousand",
          "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t num_live : {50'000, 150'000}) {
    const StorePtr store = MakeGrowing();
    std::vector<uint64_t> live = RandomDigests(num_live, random);
    InsertAll(*store, live);
    store->FreeReplaced();
    const uint64_t num_bytes = store->num_bytes();
    if (num_live == 50'000) CHECK(num_bytes <= 12 * num_live);
    for (size_t i = 0; i < tests::Scaled(40) * num_live; ++i) {
      uint64_t& digest = live[random() % num_live];
      REQUIRE(store->EraseOne(digest));
      digest = random();
      REQUIRE(store->InsertOne(digest));
    }
    store->FreeReplaced();
    CHECK(NumMissed(*store, live) == 0);
    CHECK(static_cast<double>(store->num_bytes()) <= 1.1 * static_cast<double>(num_bytes));
    EraseAll(*store, live);
    store->FreeReplaced();
    CHECK(store->num_bytes() == MakeGrowing()->num_bytes());
  }
}

TEST_CASE("a cleared growing store is as new", "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint32_t first_bits : {7, 10}) {
    const StorePtr store = MakeGrowing({.first_bits = first_bits});
    const uint64_t num_bytes = store->num_bytes();
    const auto digests = DigestsOfShards(200'000, 2, random);
    InsertAll(*store, digests);
    store->Clear();
    CHECK(ContentsOf(*store) == ContentsOf(*MakeGrowing({.first_bits = first_bits})));
    CHECK(NumMissed(*store, digests) == digests.size());
    // Two freed segments of full size are kept.
    CHECK(store->num_bytes() <= num_bytes + (uint64_t{600} << 10));
    InsertAll(*store, digests);
    CHECK(NumMissed(*store, digests) == 0);
  }
}

TEST_CASE("options beyond a growing store's bounds are refused", "[engine][growing]") {
  const auto refuses = [](const GrowingOptions& options, ErrorCode code, const char* names) {
    const auto store = GrowingStore::Create(options);
    REQUIRE(!store);
    CHECK(store.error().code == code);
    CHECK(store.error().message.find(names) != std::string::npos);
  };
  refuses({.first_bits = 6}, ErrorCode::kInvalidArgument, "first_bits");
  refuses({.first_bits = 27}, ErrorCode::kInvalidArgument, "first_bits");
  refuses({.most_doublings = 15}, ErrorCode::kInvalidArgument, "most_doublings");
  refuses({.first_bits = 12, .limit_bytes = 1000}, ErrorCode::kOutOfMemory, "1,000");
}

}  // namespace trommel
