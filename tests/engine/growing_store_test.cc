// GrowingStore against the multiset of bit strings that it must hold.
#include "engine/src/growing/growing_store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/growing_layout.h"
#include "kernels/growing_reference.h"
#include "support/catch.h"

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

// All strings of a shard with their copies, from its contents.
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
    if (counted.empty() || counted.back().string != string) counted.push_back({string, 0});
    counted.back().count += 1;
  }
  for (const StringCount& further : contents.further) {
    const auto at = std::ranges::lower_bound(counted, further.string, {}, &StringCount::string);
    REQUIRE(at != counted.end());
    REQUIRE(at->string == further.string);
    REQUIRE(at->count == 4);
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

TEST_CASE("a growing store holds what the multiset of strings does, through all of a shard's sizes",
          "[engine][growing][long]") {
  struct Plan {
    uint32_t first_bits;
    uint64_t num_keys;
  };
  for (const Plan plan : {Plan{7, 1000}, Plan{7, 2'500}, Plan{7, 40'000}, Plan{8, 12'000},
                          Plan{11, 95'000}, Plan{13, 175'000}}) {
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
    for (int round = 0; round < 2; ++round) {
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
      while (live.size() > (round == 0 ? plan.num_keys / 10 : 0)) {
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
