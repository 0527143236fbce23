// GrowingStore against the values and counts that it must hold (support/value_model.h), key by key.
#include "engine/src/growing/growing_store.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "kernels/growing_layout.h"
#include "support/catch.h"
#include "support/sanitized.h"
#include "support/value_model.h"

namespace trommel {
namespace {

using tests::ValueModel;

std::unique_ptr<GrowingStore> NewStore(const GrowingOptions& options = {}) {
  Result<std::unique_ptr<GrowingStore>> store = GrowingStore::Create(options);
  REQUIRE(store);
  return *std::move(store);
}

constexpr uint64_t kShard = 11;  // which is what grows
uint64_t DigestOfShard(std::mt19937_64& random) { return random() >> 6 | kShard << 58; }

// Figures that are kept key by key are those of a pass over the segments, which setting no limit
// makes.
void CheckFigures(GrowingStore& store, const ValueModel& model) {
  const GrowingFigures kept = store.FiguresOf(kShard);
  REQUIRE(store.LimitSideMemory(0).ok());
  const GrowingFigures passed = store.FiguresOf(kShard);
  CHECK(kept.num_entries == passed.num_entries);
  CHECK(kept.num_blocks == passed.num_blocks);
  CHECK(kept.num_marked == passed.num_marked);
  CHECK(kept.undecided_bins == passed.undecided_bins);
  CHECK(kept.num_bins == passed.num_bins);
  CHECK(kept.num_slots == passed.num_slots);
  CHECK(kept.side_table_bytes >= passed.side_table_bytes);  // records are packed anew
  CHECK(kept.level == passed.level);
  CHECK(kept.num_entries >= model.num_distinct());
  CHECK(kept.num_entries <= model.num_keys());
  CHECK((kept.num_blocks == 0) == model.keeps_digests());
  if (model.keeps_digests()) CHECK(kept.num_entries == model.num_distinct());
  if (kept.num_blocks == 0) return;
  // In the size that its entries say, or on the way to one beside it.
  const GrowthLadder& ladder = store.ladder();
  const double load =
      static_cast<double>(kept.num_entries) / static_cast<double>(ladder[kept.level].capacity);
  CHECK(load <= 1.01);
  if (kept.level > ladder.first_level()) CHECK(load >= 0.39);
}

bool Holds(const GrowingStore& store, const ValueModel& model) {
  return store.ReadShard(kShard) == model.Contents();
}

}  // namespace

TEST_CASE("a growing store holds the values and counts of the definition at all of a shard's sizes",
          "[engine][growing][long]") {
  struct Plan {
    GrowingOptions options;
    uint64_t num_keys;
  };
  for (const auto& [options, num_keys] :
       {Plan{{}, 700}, Plan{{}, 30'000}, Plan{{.value_bits = 27}, 100'000},
        Plan{{.value_bits = 1}, 3'000}, Plan{{.value_bits = 9}, 20'000},
        Plan{{.value_bits = 20}, 30'000}, Plan{{.value_bits = 36}, 40'000},
        Plan{{.value_bits = 44}, 2'000},
        Plan{{.value_bits = 24, .first_capacity = 64 * 5'000}, 40'000},
        Plan{{.value_bits = 40, .first_capacity = 64 * 50'000}, 4'000}}) {
    if (TROMMEL_TESTS_SANITIZED && num_keys > 20'000) continue;  // they take minutes
    CAPTURE(options.value_bits, options.first_capacity, num_keys);
    const auto store = NewStore(options);
    ValueModel model(options.value_bits, store->ladder().max_digests());
    std::mt19937_64 random(num_keys + Catch::rngSeed());
    std::vector<uint64_t> live;
    // Later some of them have been erased for keys of their values.
    const auto erase_one = [&] {
      std::swap(live[random() % live.size()], live.back());
      const bool is_in = model.Erase(live.back());
      if (store->EraseOne(live.back()) != is_in) FAIL("erased differently");
      live.pop_back();
    };
    const auto insert_one = [&] {
      // A tenth are copies of keys that are in, most of these of a few keys.
      const uint64_t of_first = random() % 5 == 0 ? live.size() : 20;
      const bool is_copy = random() % 10 == 0 && !live.empty();
      const uint64_t key = is_copy ? live[random() % std::min<uint64_t>(live.size(), of_first)]
                                   : DigestOfShard(random);
      const Update update = random() % 8 == 0 ? Update::kInsertIfAbsent : Update::kInsert;
      bool is_in = true;
      if (update == Update::kInsert) model.Insert(key);
      if (update == Update::kInsertIfAbsent) is_in = model.InsertIfAbsent(key);
      if (store->UpdateOne(update, key) != (is_in ? Fate::kChanged : Fate::kUnchanged)) {
        FAIL("key " << key << ", update " << static_cast<int>(update));
      }
      if (is_in) live.push_back(key);
    };
    for (const bool is_last : {false, true}) {  // to the last key
      while (live.size() < num_keys) {
        insert_one();
        if (random() % 4 == 0) erase_one();
      }
      CHECK(Holds(*store, model));
      CheckFigures(*store, model);
      const auto copy = NewStore(options);
      REQUIRE(copy->WriteShard(kShard, store->ReadShard(kShard)));
      CHECK(Holds(*copy, model));
      for (const uint64_t key : live) {
        if (model.CountOf(key) > 0 && !store->MayContain(key)) FAIL("a key is missed");
      }
      uint64_t num_undecided = 0;
      for (int i = 0; i < 2'000; ++i) {
        const uint64_t key = i % 2 == 0 ? DigestOfShard(random) : live[random() % live.size()];
        if (store->CountEstimate(key) != model.CountOf(key)) FAIL("another count");
        if (model.CountOf(key) == 0) num_undecided += store->MayContain(key) ? 1 : 0;
      }
      CHECK(num_undecided <= 10);  // of bins whose keys are hidden
      // Keys that are not in, of which some have the value of one that is.
      for (int i = 0; i < 1'000; ++i) {
        const uint64_t key = DigestOfShard(random);
        if (store->EraseOne(key) != model.Erase(key)) FAIL("erased differently");
        if (random() % 4 != 0) continue;
        if (!store->InsertOne(key)) FAIL("refused");
        model.Insert(key);
      }
      CHECK(Holds(*store, model));
      while (live.size() > (is_last ? 0 : num_keys / 12)) {
        erase_one();
        if (live.size() % 16'411 == 0) CHECK(Holds(*store, model));
      }
      CHECK(Holds(*store, model));
      CheckFigures(*store, model);
    }
    // What is left are values of keys that came in for others.
    const ShardContents rest = model.Contents();
    for (const uint64_t key : rest.keys) {
      const uint64_t digest =
          kShard << 58 | (rest.keeps_digests ? key >> 6 : key << (58 - options.value_bits));
      while (model.Erase(digest)) REQUIRE(store->EraseOne(digest));
    }
    CHECK(store->num_entries() == 0);
    CHECK(store->Figures().num_marked == 0);
    CHECK(store->Figures().undecided_bins == 0);
    CHECK(store->Figures().side_table_bytes == 0);
    CHECK(store->Figures().num_refused_growths == 0);
    store->FreeReplaced();
    CHECK(store->num_bytes() <= NewStore(options)->num_bytes() + (uint64_t{1} << 20));
  }
}

TEST_CASE("an update of a growing store moves one segment at most, up and down",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const auto store = NewStore();
  const GrowthLadder& ladder = store->ladder();
  size_t level = 0;  // of many segments
  while (ladder[level].num_segments() < 8) ++level;
  std::vector<uint64_t> keys(ladder[level].capacity);
  for (uint64_t& key : keys) key = DigestOfShard(random);
  uint64_t num_blocks = 0;
  uint64_t num_moves = 0;  // from this level up, or down to it
  const auto note = [&](size_t level_before) {
    const uint64_t before = std::exchange(num_blocks, store->FiguresOf(kShard).num_blocks);
    num_moves += level_before == level && before != num_blocks ? 1 : 0;
  };
  for (const uint64_t key : keys) {
    const size_t level_before = store->FiguresOf(kShard).level;
    REQUIRE(store->InsertOne(key));
    note(level_before);
  }
  CHECK(store->FiguresOf(kShard).level == level + 1);
  CHECK(num_moves == ladder[level].num_segments());
  // A copy has the least level that takes its keys, and makes the steps that are due one by one.
  const auto copy = NewStore();
  REQUIRE(copy->WriteShard(kShard, store->ReadShard(kShard)));
  for (uint64_t i = 0; i < ladder[level].num_segments(); ++i) {
    CHECK(copy->FiguresOf(kShard).level == level);
    REQUIRE(copy->InsertOne(DigestOfShard(random)));
  }
  CHECK(copy->FiguresOf(kShard).level == level + 1);
  num_moves = 0;
  for (const uint64_t key : keys) {
    REQUIRE(store->EraseOne(key));
    const size_t level_now = store->FiguresOf(kShard).level;
    note(level_now);
    if (level_now < level) break;
  }
  CHECK(num_moves == ladder[level].num_segments());
}

TEST_CASE("a growing store counts a copy in a slot or in a record, and knows which",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const auto store = NewStore({.value_bits = 26});
  ValueModel model(26, store->ladder().max_digests());
  std::vector<uint64_t> keys(30'000);
  for (uint64_t& key : keys) key = DigestOfShard(random);
  // Each twice, up and down: what has a slot at one size is counted at another one.
  for (int round = 0; round < 2; ++round) {
    for (const uint64_t key : keys) {
      REQUIRE(store->InsertOne(key));
      model.Insert(key);
    }
    CheckFigures(*store, model);
  }
  CHECK(Holds(*store, model));
  for (int round = 0; round < 2; ++round) {
    for (const uint64_t key : keys) {
      REQUIRE(store->EraseOne(key));
      model.Erase(key);
      if (model.num_keys() % 9'999 == 0) CheckFigures(*store, model);
    }
    CHECK(Holds(*store, model));
  }
  CHECK(store->num_entries() == 0);
}

TEST_CASE("batches and single queries agree while some shards keep digests and others blocks",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t num_keys : {40'000, 51'000, 53'500, 56'000, 70'000}) {
    const auto store = NewStore();
    std::vector<uint64_t> digests(2 * num_keys);
    for (uint64_t& digest : digests) digest = random();
    for (size_t i = 0; i < num_keys; ++i) store->InsertOne(digests[i]);
    if (num_keys == 53'500) {
      CHECK(store->Figures().num_digest_shards > 0);
      CHECK(store->Figures().num_digest_shards < GrowingStore::kNumShards);
    }
    std::ranges::shuffle(digests, random);
    std::vector<uint64_t> answers((digests.size() + 63) / 64);
    CHECK(store->Query(digests, answers.data()) >= num_keys);
    for (size_t i = 0; i < digests.size(); ++i) {
      const bool is_shown = (answers[i / 64] >> (i % 64) & 1) != 0;
      if (is_shown != store->MayContain(digests[i])) FAIL("key " << i << " of " << num_keys);
    }
  }
}

}  // namespace trommel
