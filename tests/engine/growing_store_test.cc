// GrowingStore against the bit strings and counts that it must hold.
#include "engine/src/growing/growing_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/growing_layout.h"
#include "kernels/growing_reference.h"
#include "support/catch.h"
#include "support/sanitized.h"

namespace trommel {
namespace {

using kernels::GrowingReference;

std::unique_ptr<GrowingStore> NewStore(const GrowingOptions& options = {}) {
  Result<std::unique_ptr<GrowingStore>> store = GrowingStore::Create(options);
  REQUIRE(store);
  return *std::move(store);
}

// The number whose bits are these, then a 1, then zeros.
uint64_t NumberOfBits(const GrowingReference::Bits& bits) {
  uint64_t number = 0;
  for (size_t i = 0; i < bits.size(); ++i) number |= uint64_t{bits[i] == '1'} << (63 - i);
  return number | uint64_t{1} << (63 - bits.size());
}

std::vector<StringCount> StringsOf(const GrowingReference& reference) {
  std::vector<StringCount> strings;
  for (const auto& [bits, count] : reference.strings())
    strings.push_back({NumberOfBits(bits), count});
  std::ranges::sort(strings, {}, &StringCount::string);
  return strings;
}

// Does one of two strings begin the other one? Of more strings, in order, two neighbours do if any
// do.
bool BeginAlike(uint64_t string, uint64_t other) {
  const int num_unknown = 1 + std::max(std::countr_zero(string), std::countr_zero(other));
  return string >> num_unknown == other >> num_unknown;
}

// All strings of a shard with their counts, from its contents. None begins another one.
std::vector<StringCount> StringsOf(const ShardContents& contents) {
  std::vector<uint64_t> strings = contents.digests;
  size_t code_idx = 0;
  uint64_t prefix = 0;
  for (size_t b = 0; b < contents.block_sizes.size(); ++b) {
    // Blocks of segments that have split, two for each that was, come first.
    const uint64_t num_doubled = contents.num_split << (std::min(contents.depth, 12U) + 1);
    const bool is_doubled = b < num_doubled;
    prefix = is_doubled ? b : b - num_doubled / 2;
    const uint32_t depth = contents.depth + uint32_t{is_doubled};
    for (uint32_t i = 0; i < contents.block_sizes[b]; ++i) {
      strings.push_back(prefix << (64 - depth) | uint64_t{contents.codes[code_idx++]}
                                                     << (48 - depth));
    }
  }
  std::ranges::sort(strings);
  std::vector<StringCount> counted;
  for (const uint64_t string : strings) {
    if (!counted.empty() && BeginAlike(counted.back().string, string)) FAIL("one begins another");
    counted.push_back({string, 1});
  }
  for (const StringCount& further : contents.further) {
    const auto at = std::ranges::lower_bound(counted, further.string, {}, &StringCount::string);
    REQUIRE(at != counted.end());
    REQUIRE(at->string == further.string);
    REQUIRE(at->count == 1);
    at->count += further.count;
  }
  return counted;
}

bool Equals(const GrowingStore& store, size_t shard_idx, const GrowingReference& reference) {
  const ShardContents contents = store.ReadShard(shard_idx);
  CHECK(contents.depth == reference.depth());
  CHECK(contents.num_split == reference.num_split());
  return StringsOf(contents) == StringsOf(reference);
}

// Digests of one shard, which is what grows.
struct OneShard {
  uint64_t operator()(std::mt19937_64& random) const { return random() >> 6 | shard << 58; }
  uint64_t shard = 11;
};

}  // namespace

TEST_CASE(
    "a growing store holds the strings and counts of the definition at all of a shard's sizes",
    "[engine][growing][long]") {
  struct Plan {
    uint32_t first_bits;
    uint64_t num_keys;
  };
  for (const Plan plan : {Plan{7, 1000}, Plan{7, 2'500}, Plan{7, 40'000}, Plan{8, 12'000},
                          Plan{11, 95'000}, Plan{13, 175'000}}) {
    if (TROMMEL_TESTS_SANITIZED && plan.num_keys > 20'000) continue;  // they take minutes
    INFO("first_bits " << plan.first_bits << ", keys " << plan.num_keys);
    const auto store = NewStore({.first_bits = plan.first_bits});
    GrowingReference reference(plan.first_bits, 14);
    std::mt19937_64 random(plan.num_keys);
    const OneShard next;
    std::vector<uint64_t> live;
    const auto erase_one = [&] {
      const size_t at = random() % live.size();
      std::swap(live[at], live.back());
      if (!store->EraseOne(live.back()) || !reference.Erase(live.back())) FAIL("refused");
      live.pop_back();
    };
    const auto insert_one = [&] {
      // A tenth are copies of keys that are in, some of these of a few keys.
      const uint64_t others = random() % 5 == 0 ? 20 : plan.num_keys;
      const uint64_t key = random() % 10 == 0 && !live.empty()
                               ? live[random() % std::min<uint64_t>(live.size(), others)]
                               : next(random);
      if (!store->InsertOne(key)) FAIL("refused");
      reference.Insert(key);
      live.push_back(key);
    };
    const int num_rounds = plan.num_keys < 50'000 ? 2 : 1;  // the last one to the last key
    for (int round = 0; round < num_rounds; ++round) {
      while (live.size() < plan.num_keys) {
        insert_one();
        if (random() % 4 == 0) erase_one();
      }
      CHECK(Equals(*store, next.shard, reference));
      for (const uint64_t key : live) {
        if (!store->MayContain(key)) FAIL("a key is missed");
        if (random() % 64 == 0) CHECK(store->CountEstimate(key) == reference.CountEstimate(key));
      }
      for (int i = 0; i < 1000; ++i) {
        const uint64_t key = next(random);
        if (store->CountEstimate(key) != reference.CountEstimate(key)) FAIL("another count");
        if (reference.MayContain(key) && !store->MayContain(key)) FAIL("a key is missed");
      }
      while (live.size() > (round + 1 < num_rounds ? plan.num_keys / 10 : 0)) {
        erase_one();
        if (live.size() % 16'411 == 0) CHECK(Equals(*store, next.shard, reference));
      }
      CHECK(Equals(*store, next.shard, reference));
    }
    CHECK(store->num_entries() == 0);
    CHECK(store->Figures().num_marked == 0);
    CHECK(store->Figures().side_table_bytes == 0);
    store->FreeReplaced();
    if (plan.first_bits == 7) CHECK(store->num_bytes() == NewStore()->num_bytes());
  }
}

TEST_CASE("merging growing stores of equal depths is commutative, and counts at the shorter string",
          "[engine][growing][long]") {
  std::mt19937_64 random(Catch::rngSeed());
  const OneShard next;
  // Both double and fold, so that their strings have several lengths; then both have 2^10 blocks,
  // and so has their sum. A third of the keys begin as those of the other one do.
  std::vector<uint64_t> common(6'000);
  for (uint64_t& key : common) key = next(random);
  std::array<std::unique_ptr<GrowingStore>, 2> stores;
  std::array<GrowingReference, 2> references = {GrowingReference(7, 14), GrowingReference(7, 14)};
  std::array<std::vector<uint64_t>, 2> keys;
  for (size_t s = 0; s < 2; ++s) {
    stores[s] = NewStore();
    const auto insert = [&](uint64_t key) {
      REQUIRE(stores[s]->InsertOne(key));
      references[s].Insert(key);
      keys[s].push_back(key);
    };
    const auto erase_to = [&](size_t size) {
      while (keys[s].size() > size) {
        std::swap(keys[s][random() % keys[s].size()], keys[s].back());
        REQUIRE(stores[s]->EraseOne(keys[s].back()));
        references[s].Erase(keys[s].back());
        keys[s].pop_back();
      }
    };
    const uint64_t tail = (uint64_t{1} << (58 - 22)) - 1;  // what is not known at first
    for (size_t i = 0; i < 2'000; ++i) insert((common[i] & ~tail) | (next(random) & tail));
    for (size_t i = 0; i < 40'000; ++i) insert(next(random));
    erase_to(9'500);
    for (size_t i = s * 1'000; i < 4'000; ++i) insert(common[i]);
    erase_to(11'000);
    REQUIRE(Equals(*stores[s], next.shard, references[s]));
  }
  REQUIRE(references[0].depth() == references[1].depth());
  REQUIRE(references[0].num_split() == references[1].num_split());
  const uint32_t depth = references[0].depth();
  const auto copy_of = [&](size_t s) {
    auto copy = NewStore();
    for (size_t i = 0; i < GrowingStore::kNumShards; ++i) {
      REQUIRE(copy->WriteShard(i, stores[s]->ReadShard(i)));
    }
    return copy;
  };
  const auto one = copy_of(0);
  const auto other = copy_of(1);
  REQUIRE(one->Merge(*stores[1]));
  REQUIRE(other->Merge(*stores[0]));
  const uint64_t num_apart = references[0].num_entries() + references[1].num_entries();
  references[0].Merge(references[1]);
  REQUIRE(references[0].depth() == depth);
  CHECK(references[0].num_entries() < num_apart - 1'000);
  CHECK(Equals(*one, next.shard, references[0]));
  CHECK(one->ReadShard(next.shard) == other->ReadShard(next.shard));
  for (const auto& of_one : keys) {
    for (const uint64_t key : of_one) {
      if (!one->EraseOne(key)) FAIL("a key is missed");
    }
  }
  CHECK(one->num_entries() == 0);
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
