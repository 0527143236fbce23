// The keys of a round.
#include "tools/stress/key_table.h"

#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "kernels/layout.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {
namespace {

RoundPlan PlanFor(KeyKind kind) {
  Mix mix;
  mix.capacity = 1000;
  mix.kind = kind;
  mix.keys_per_writer = 200;
  mix.num_hot = 3;
  mix.num_races = 16;
  return DrawPlan(mix, 11, 0, 2, 1);
}

TEST_CASE("a digest falls into the block it was made for", "[stress][keys]") {
  const uint64_t num_blocks = GENERATE(1u, 2u, 7u, 64u, 1000u, 99'991u);
  Random random(3);
  for (uint64_t block = 0; block < num_blocks; block += 1 + num_blocks / 50) {
    CHECK(kernels::BlockIndex(DigestInBlock(block, num_blocks, random), num_blocks) == block);
  }
}

TEST_CASE("keys raced for have blocks of their own", "[stress][keys]") {
  constexpr uint64_t kNumBlocks = 77;
  const RoundPlan plan = PlanFor(KeyKind::kDigests);
  const KeyTable table(plan, kNumBlocks);
  REQUIRE(table.has_lone_races());
  std::map<uint64_t, uint32_t> num_keys_of;
  for (uint32_t id = 0; id < plan.num_ids(); ++id) {
    ++num_keys_of[kernels::BlockIndex(table.One(id).integer(), kNumBlocks)];
  }
  for (uint32_t id = plan.first_race(); id < plan.num_ids(); ++id) {
    CHECK(num_keys_of[kernels::BlockIndex(table.One(id).integer(), kNumBlocks)] == 1);
  }
  CHECK_FALSE(KeyTable(plan, 63).has_lone_races());  // too few blocks
  CHECK_FALSE(KeyTable(PlanFor(KeyKind::kInt64), kNumBlocks).has_lone_races());
}

TEST_CASE("a batch and its single keys are the same keys", "[stress][keys]") {
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
