// GrowingStore: copies, whole stores, limits, memory. (What it holds key by key:
// growing_store_test.cc; queries beside updates: growing_store_threads_test.cc.)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/blocks/shortfalls.h"
#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/growing_store.h"
#include "engine/src/growing/segment.h"
#include "kernels/growing_layout.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/shrink.h"
#include "support/value_model.h"
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

TEST_CASE("contents that no shard has are refused, and the shard is as new", "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const GrowingOptions options{.max_capacity = 64 * 4'000};
  const StorePtr store = MakeGrowing(options);
  for (uint64_t i = 0; i < 2; ++i) {
    for (size_t k = 0; k < (i == 0 ? 500 : 3'000); ++k) {
      const uint64_t digest = i << 58 | random() >> 6;
      for (int c = 0; c < (k % 100 == 0 ? 6 : 1); ++c) REQUIRE(store->InsertOne(digest));
    }
  }
  const ShardContents digests = store->ReadShard(0);
  const ShardContents values = store->ReadShard(1);
  REQUIRE(digests.keeps_digests);
  REQUIRE_FALSE(values.keeps_digests);
  const StorePtr to = MakeGrowing(options);
  const auto refuses = [&](ShardContents contents, const char* rule, const auto& damage) {
    damage(contents);
    INFO(rule);
    const Status status = to->WriteShard(5, contents);
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::kCorrupt);
    CHECK_THAT(status.error().message, Catch::Matchers::ContainsSubstring(rule));
    CHECK(to->ReadShard(5) == ShardContents());
    CHECK(to->num_entries() == 0);
  };
  using Contents = ShardContents;
  for (const ShardContents& contents : {digests, values}) {
    refuses(contents, "ascend", [](Contents& c) { std::swap(c.keys[0], c.keys[1]); });
    refuses(contents, "ascend", [](Contents& c) { c.keys[1] = c.keys[0]; });
    refuses(contents, "is not there", [](Contents& c) { c.further[0].value -= 64; });
    refuses(contents, "0 further", [](Contents& c) { c.further[0].count = 0; });
    refuses(contents, "ascend", [](Contents& c) { std::swap(c.further[0], c.further[1]); });
    refuses(contents, "ascend", [](Contents& c) { c.further[1] = c.further[0]; });
    refuses(contents, "more keys than", [](Contents& c) {
      for (uint64_t i = 0; i < 10'000; ++i) c.keys.push_back(c.keys.back() + 64);
    });
  }
  refuses(digests, "not whole", [](Contents& c) { c.keys[0] ^= 1; });
  refuses(digests, "not whole", [](Contents& c) { c.keys.back() ^= 32; });
  refuses(values, "too many bits", [](Contents& c) { c.keys.back() |= uint64_t{1} << 31; });
  // A store whose first size has blocks takes digests from files, too.
  const StorePtr blocks =
      GrowingStore::Create({.first_capacity = 64 * 2'000}, /*has_first_size=*/false).value();
  REQUIRE(blocks->WriteShard(5, digests).ok());
  CHECK(blocks->ReadShard(5) == digests);
  REQUIRE(blocks->WriteShard(6, values).ok());
  CHECK(blocks->ReadShard(6) == values);
  REQUIRE(to->WriteShard(5, values));
  CHECK(to->ReadShard(5) == values);
}

TEST_CASE("a growing store whose growth is refused works on, and refuses keys when it is full",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const GrowthLadder ladder = GrowingStore::LadderOf({});
  for (const bool has_limit : {false, true}) {
    // Up to level 2.
    const StorePtr store =
        has_limit ? MakeGrowing({.limit_bytes = 64 * Segment::AllBytesFor(ladder[2].num_blocks)})
                  : MakeGrowing({.max_capacity = 60 * ladder[2].capacity});
    const auto digests = DigestsOfShards(8'000, 1, random);
    std::vector<uint64_t> taken;
    std::vector<uint64_t> refused_bits((digests.size() + 63) / 64);
    const uint64_t num_refused = store->Apply(Update::kInsert, digests.data(), {0, digests.size()},
                                              nullptr, refused_bits.data());
    const uint64_t most_entries = ladder[2].capacity * 13 / 10;
    uint64_t refused_one = 0;
    for (size_t i = 0; i < digests.size(); ++i) {
      const bool is_refused = (refused_bits[i / 64] >> (i % 64) & 1) != 0;
      if (is_refused) refused_one = digests[i];
      if (!is_refused) taken.push_back(digests[i]);
    }
    CHECK(taken.size() == digests.size() - num_refused);
    CHECK(store->num_entries() == most_entries);
    CHECK(taken.size() == most_entries);
    const GrowingFigures figures = store->Figures();
    CHECK(figures.most_level == 2);
    CHECK(figures.num_refused_inserts == num_refused);
    CHECK(figures.num_refused_by_side == 0);
    CHECK((figures.num_refused_growths > 0) == has_limit);
    CHECK(figures.num_marked > 0);
    CHECK(NumMissed(*store, taken) == 0);
    // A further copy of a key needs no space, or what it needs is there.
    for (int copy = 0; copy < 6; ++copy) REQUIRE(store->InsertOne(taken[0]));
    CHECK(store->CountEstimate(taken[0]) == 7);
    CHECK_FALSE(store->InsertOne(refused_one));
    CHECK(store->UpdateOne(Update::kInsertIfAbsent, refused_one) == Fate::kRefused);
    CHECK(store->UpdateOne(Update::kInsertIfAbsent, taken[0]) == Fate::kUnchanged);
    for (int copy = 0; copy < 6; ++copy) REQUIRE(store->EraseOne(taken[0]));
    size_t num_erased = 1;
    while (store->num_entries() >= most_entries) REQUIRE(store->EraseOne(taken[num_erased++]));
    REQUIRE(store->InsertOne(refused_one));
    CHECK(NumMissed(*store, std::span(taken).subspan(num_erased)) == 0);
    CHECK(store->MayContain(taken[0]));
    CHECK_FALSE(store->InsertOne(refused_one ^ uint64_t{1} << 50));
    // One that took so many by a file, too.
    const StorePtr copy = MakeGrowing(store->options());
    REQUIRE(copy->WriteShard(0, store->ReadShard(0)));
    CHECK(copy->ReadShard(0) == store->ReadShard(0));
  }
}

TEST_CASE("a growing store grows when there is memory again", "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const auto memory = std::make_shared<GrowingMemory>(uint64_t{8} << 20);
  const StorePtr store = GrowingStore::Create({}, true, memory).value();
  const StorePtr other = MakeGrowing();
  const auto digests = DigestsOfShards(10'000, 1, random);
  const std::span<const uint64_t> all(digests);
  const uint64_t others_bytes = (uint64_t{8} << 20) - memory->num_bytes() - 30'000;
  uint64_t* const others = memory->Allocate(others_bytes / 64 * 64);
  size_t num_in = 0;
  while (store->InsertOne(digests[num_in])) ++num_in;
  CHECK(store->Figures().num_refused_growths > 0);
  memory->Free(others, others_bytes / 64 * 64);
  // It tries again some refused keys later.
  int num_more = 0;
  while (num_more < 1'000 && !store->InsertOne(digests[num_in])) ++num_more;
  CHECK(num_more < 1'000);
  EraseAll(*store, all.subspan(num_in, 1));
  InsertAll(*store, all.subspan(num_in));
  InsertAll(*other, digests);
  CHECK(ContentsOf(*store) == ContentsOf(*other));
  CHECK(store->Figures().num_blocks == other->Figures().num_blocks);
}

TEST_CASE("shards merge to digests or blocks as if the keys had been inserted",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const uint64_t most = MakeGrowing()->ladder().max_digests();
  for (const uint64_t num_keys : {most - 1, most, most + 1}) {
    const auto digests = DigestsOfShards(num_keys, 1, random);
    const std::span<const uint64_t> all(digests);
    const StorePtr merged = MakeGrowing();
    const StorePtr other = MakeGrowing();
    const StorePtr inserted = MakeGrowing();
    InsertAll(*merged, all.first(num_keys / 2));
    InsertAll(*other, all.subspan(num_keys / 2));
    InsertAll(*inserted, all);
    REQUIRE(merged->Merge(*other));
    CHECK(ContentsOf(*merged) == ContentsOf(*inserted));
    CHECK(merged->ReadShard(0).keeps_digests == (num_keys <= most));
  }
}

TEST_CASE("growing stores take no more than their memory's limit, and give back what they free",
          "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  constexpr uint64_t kLimit = uint64_t{4} << 20;
  const auto memory = std::make_shared<GrowingMemory>(kLimit);
  const auto digests = RandomDigests(2'000'000, random);
  {
    const StorePtr store = GrowingStore::Create({}, true, memory).value();
    std::vector<uint64_t> taken;
    for (const uint64_t digest : digests) {
      if (store->InsertOne(digest)) taken.push_back(digest);
    }
    CHECK(taken.size() < digests.size());
    CHECK(taken.size() > 1'000'000);
    CHECK(NumMissed(*store, taken) == 0);
    CHECK(memory->num_bytes() <= kLimit);
    EraseAll(*store, taken);
    store->FreeReplaced();
    CHECK(store->num_entries() == 0);
    // Freed segments that are kept.
    CHECK(memory->num_bytes() <= MakeGrowing()->num_bytes() + (uint64_t{5} << 18));
  }
  memory->Drain();
  CHECK(memory->num_bytes() <= uint64_t{5} << 18);
}

TEST_CASE("freed segments, kept or given back to the system, are handed out once",
          "[engine][growing]") {
  GrowingMemory memory;
  const uint64_t num_bytes = Segment::BytesFor(2'048);  // 20 of them are more than is kept
  std::vector<std::byte*> segments(20);
  for (int round = 0; round < 2; ++round) {
    for (std::byte*& segment : segments) segment = memory.AllocateSegment(num_bytes);
    std::ranges::sort(segments);
    CHECK(std::ranges::adjacent_find(segments) == segments.end());
    for (std::byte* segment : segments) memory.FreeSegment(segment, num_bytes);
    CHECK(memory.num_bytes() > 0);
    CHECK(memory.num_bytes() < segments.size() * num_bytes / 2);
  }
}

TEST_CASE("fifty thousand live keys replaced forty times take the memory of fifty thousand",
          "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const auto& [num_live, num_times] : {std::pair{50'000U, 40U}, std::pair{150'000U, 6U}}) {
    const StorePtr store = MakeGrowing();
    std::vector<uint64_t> live = RandomDigests(num_live, random);
    InsertAll(*store, live);
    store->FreeReplaced();
    const uint64_t num_bytes = store->num_bytes();
    if (num_live == 50'000) CHECK(num_bytes <= 12 * num_live);
    for (size_t i = 0; i < tests::Scaled(num_times) * num_live; ++i) {
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
    CHECK(store->num_bytes() <= MakeGrowing()->num_bytes() + (uint64_t{1} << 20));
  }
}

}  // namespace trommel
