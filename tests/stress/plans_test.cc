// The table of mixes, the plans drawn from it, and the keys of a plan.
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/layout.h"
#include "support/catch.h"
#include "tools/stress/plans/key_table.h"
#include "tools/stress/plans/mix.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {
namespace {

TEST_CASE("every mix has a distinct name, by which it is found", "[stress][mix]") {
  std::set<std::string_view> names;
  for (const Mix& mix : AllMixes()) {
    INFO(mix.name);
    CHECK(names.insert(mix.name).second);
    CHECK(FindMix(mix.name) == &mix);
    CHECK_FALSE(mix.what.empty());
    CHECK(mix.keys_per_writer > 0);
    CHECK(mix.min_batch >= 1);
    CHECK(mix.max_batch >= mix.min_batch);
    CHECK(std::accumulate(mix.weights.begin(), mix.weights.end(), 0) > 0);
    // A claim counts its copies in 24 bits.
    CHECK(mix.keys_per_thread + mix.max_batch < (1u << 24));
    CHECK(SizeFor({.capacity = mix.capacity, .target_fpr = mix.target_fpr}).ok());
  }
  CHECK(FindMix("no such mix") == nullptr);
}

TEST_CASE("a plan is drawn from seed and round alone", "[stress][mix]") {
  const Mix& mix = *FindMix("everything");
  const RoundPlan plan = DrawPlan(mix, 7, 3, 2, 2);
  const RoundPlan again = DrawPlan(mix, 7, 3, 2, 2);
  CHECK(again.config.num_slices == plan.config.num_slices);
  CHECK(again.kind == plan.kind);
  CHECK(again.executor_threads == plan.executor_threads);
  CHECK(again.RandomOf(1).Next() == plan.RandomOf(1).Next());
  CHECK(plan.RandomOf(0).Next() != plan.RandomOf(1).Next());
  CHECK(DrawPlan(mix, 7, 4, 2, 2).RandomOf(0).Next() != plan.RandomOf(0).Next());
  CHECK(DrawPlan(mix, 8, 3, 2, 2).RandomOf(0).Next() != plan.RandomOf(0).Next());
}

RoundPlan PlanFor(KeyKind kind) {
  Mix mix;
  mix.capacity = 1000;
  mix.kind = kind;
  mix.keys_per_writer = 200;
  mix.num_hot = 3;
  mix.num_races = 16;
  return DrawPlan(mix, 11, 0, 2, 1);
}

TEST_CASE("rounds of fingerprints have small filters, limits and preemption in turn",
          "[stress][mix]") {
  const auto encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  std::set<uint64_t> num_blocks;
  std::set<uint32_t> shard_bits;
  std::set<bool> is_limited;
  std::set<uint32_t> preempt_us;
  for (uint64_t round = 0; round < 60; ++round) {
    const RoundPlan plan = DrawPlan(*FindMix("crowds"), 1, round, 2, 2, encoding);
    CHECK(plan.config.num_slices == 0);
    REQUIRE(plan.geometry);
    CHECK(CountingFilter::CreateWithGeometry(*plan.geometry, {}).ok());
    num_blocks.insert(plan.geometry->num_blocks);
    shard_bits.insert(plan.geometry->shard_bits);
    is_limited.insert(plan.side_records > 0);
    preempt_us.insert(plan.preempt_us);
  }
  CHECK(*num_blocks.begin() == 64);
  CHECK(*num_blocks.rbegin() == 512);
  CHECK(shard_bits == std::set<uint32_t>{0, 1, 2, 3});
  CHECK(is_limited.size() == 2);
  CHECK(preempt_us.size() == 4);
  CHECK_FALSE(DrawPlan(*FindMix("points"), 1, 0, 2, 2, encoding).geometry);
}

TEST_CASE("a digest of a key is in its block, and begins with the key", "[stress][keys]") {
  const uint64_t num_blocks = GENERATE(1u, 2u, 7u, 64u, 1000u, 99'991u);
  Random random(3);
  for (uint64_t block = 0; block < num_blocks; block += 1 + num_blocks / 50) {
    const uint32_t key = GENERATE(0u, 1u, 0x00ffu, 0x1234u, 0xffffu);
    const uint64_t digest = DigestOfKey(block, key, num_blocks, random);
    const kernels::FingerprintPlace place = kernels::FingerprintPlaceOf(digest, num_blocks);
    CHECK(place.block_idx == block);
    CHECK(place.rest >> 48 == key);
    CHECK(DigestOfKey(block, key, num_blocks, random) != digest);
  }
}

TEST_CASE("a crowd is on few blocks, none of a race, and many of its keys have equal fingerprints",
          "[stress][keys]") {
  const RoundPlan plan =
      DrawPlan(*FindMix("crowds"), GENERATE(1u, 2u, 3u), 0, 2, 2, Encoding::kFingerprints16);
  const uint64_t num_blocks = plan.geometry->num_blocks;
  const KeyTable table(plan, num_blocks);
  REQUIRE(table.has_lone_races());
  std::map<uint64_t, uint32_t> num_keys_of;
  std::set<uint64_t> digests;
  std::set<std::pair<uint64_t, uint64_t>> fingerprints;
  for (uint32_t id = 0; id < plan.num_ids(); ++id) {
    const uint64_t digest = table.One(id).integer();
    const kernels::FingerprintPlace place = kernels::FingerprintPlaceOf(digest, num_blocks);
    const bool is_race = id >= plan.first_race();
    CHECK((place.block_idx % kBlocksPerRace == kBlocksPerRace - 1) == is_race);
    ++num_keys_of[place.block_idx];
    digests.insert(digest);
    if (!is_race) fingerprints.emplace(place.block_idx, place.rest >> 48);
  }
  CHECK(digests.size() == plan.num_ids());
  CHECK(fingerprints.size() < plan.first_race() * 3 / 4);
  uint32_t num_in_crowd = 0;
  for (const auto& [block, num_keys] : num_keys_of) num_in_crowd += num_keys > 6 ? num_keys : 0;
  CHECK(num_in_crowd > plan.first_race() / 2);
}

TEST_CASE("a batch holds the same keys as single keys", "[stress][keys]") {
  const auto kind = GENERATE(KeyKind::kInt64, KeyKind::kInt32, KeyKind::kViews, KeyKind::kStrings,
                             KeyKind::kDigests);
  const RoundPlan plan = PlanFor(kind);
  const KeyTable table(plan, 40);
  CHECK(table.kind() == kind);
  CountingConfig config;
  config.capacity = 100'000;
  Result<CountingFilter> filter = CountingFilter::Create(config);
  REQUIRE(filter.ok());
  std::vector<uint32_t> ids(plan.num_ids());
  std::iota(ids.begin(), ids.end(), 0u);
  KeyBatch batch(table);
  const Keys keys = batch.Gather(ids);
  CHECK(keys.kind() == kind);
  CHECK(keys.size() == ids.size());
  filter->Insert(keys);
  std::set<std::string> texts;
  for (const uint32_t id : ids) {
    CHECK(filter->Erase(table.One(id)));
    texts.insert(table.Text(id));
  }
  CHECK(filter->num_keys() == 0);
  CHECK(texts.size() == ids.size());
}

}  // namespace
}  // namespace trommel::stress
