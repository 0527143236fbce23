// The table of mixes.
#include "tools/stress/plans/mix.h"

#include <algorithm>

#include "tools/stress/plans/key_table.h"

namespace trommel::stress {
namespace {

// Weights in the order of Move: insert, insert-if-absent, erase, query, insert hot, erase hot,
// race, pulse.
constexpr std::array<Mix, 10> kMixes = {{
    {.name = "points",
     .what = "one key per call, all operations",
     .capacity = 4000,
     .kind = KeyKind::kInt64,
     .keys_per_writer = 1000,
     .num_hot = 4,
     .num_races = 64,
     .keys_per_thread = 40'000,
     .max_hot_batch = 16,
     .weights = {4, 3, 7, 3, 1, 1, 2},
     .audit_one_in = 5000},
    {.name = "small-batches",
     .what = "2 to 64 strings per call",
     .capacity = 10'000,
     .kind = KeyKind::kStrings,
     .keys_per_writer = 4000,
     .num_hot = 8,
     .num_races = 64,
     .keys_per_thread = 100'000,
     .min_batch = 2,
     .max_batch = 64,
     .max_hot_batch = 64,
     .weights = {4, 3, 7, 2, 1, 1, 2},
     .audit_one_in = 1000},
    {.name = "batches",
     .what = "about 2,048 keys per call",
     .capacity = 200'000,
     .keys_per_writer = 50'000,
     .num_hot = 8,
     .num_races = 256,
     .keys_per_thread = 300'000,
     .min_batch = 1024,
     .max_batch = 4096,
     .max_hot_batch = 2000,
     .weights = {4, 3, 7, 2, 1, 1, 1},
     .audit_one_in = 200},
    {.name = "split",
     .what = "up to 70,000 keys per call, with and without an executor",
     .capacity = 500'000,
     .keys_per_writer = 150'000,
     .num_hot = 4,
     .num_races = 256,
     .keys_per_thread = 600'000,
     .min_batch = 20'000,
     .max_batch = 70'000,
     .max_hot_batch = 70'000,
     .weights = {5, 3, 8, 2, 1, 1, 1},
     .audit_one_in = 30},
    {.name = "hot",
     .what = "thousands of copies of a few keys: blocks are promoted and returned",
     .capacity = 300,
     .keys_per_writer = 100,
     .num_hot = 3,
     .num_races = 8,
     .keys_per_thread = 200'000,
     .max_batch = 64,
     .max_hot_batch = 5000,
     .weights = {4, 2, 6, 2, 6, 7, 2},
     .audit_one_in = 500},
    {.name = "crowded",
     .what = "a filter with several times its keys: most blocks promoted",
     .capacity = 3000,
     .keys_per_writer = 6000,
     .num_hot = 4,
     .num_races = 8,
     .keys_per_thread = 200'000,
     .max_batch = 512,
     .max_hot_batch = 300,
     .weights = {6, 2, 7, 2, 1, 1, 1},
     .audit_one_in = 500},
    {.name = "churn",
     .what = "few keys, inserted and erased often; blocks are promoted and returned",
     .capacity = 100,
     .kind = KeyKind::kDigests,
     .keys_per_writer = 30,
     .num_hot = 2,
     .num_races = 8,
     .keys_per_thread = 60'000,
     .max_batch = 32,
     .max_hot_batch = 40,
     .weights = {3, 3, 7, 1, 6, 7, 1},
     .audit_one_in = 2000},
    {.name = "races",
     .what = "all writers insert the same absent keys: one of them is told \"new\"",
     .capacity = 20'000,
     .kind = KeyKind::kDigests,
     .keys_per_writer = 500,
     .num_hot = 2,
     .num_races = 128,
     .keys_per_thread = 150'000,
     .max_batch = 256,
     .max_hot_batch = 16,
     .weights = {1, 1, 2, 0, 0, 0, 12},
     .audit_one_in = 2000},
    {.name = "crowds",
     .what = "few blocks, always about full; keys that share block and fingerprint",
     .capacity = 3000,
     .kind = KeyKind::kDigests,
     .keys_per_writer = 48,
     .num_hot = 2,
     .num_races = 16,
     .keys_per_thread = 1'000'000,
     .max_batch = 32,
     .max_hot_batch = 12,
     .weights = {6, 3, 9, 1, 2, 2, 1, 12},
     .audit_one_in = 3000,
     .is_crowded = true,
     .keep_one_in = 3,
     .max_query_batch = 4096},
    {.name = "everything",
     .what = "all operations, keys of every kind, 1 to 70,000 per call",
     .capacity = 30'000,
     .keys_per_writer = 20'000,
     .num_hot = 8,
     .num_races = 64,
     .keys_per_thread = 400'000,
     .max_batch = 70'000,
     .max_hot_batch = 5000,
     .weights = {4, 3, 7, 2, 2, 2, 2},
     .audit_one_in = 100},
}};

// The filter of a crowded round of fingerprints: 64 to 512 blocks with one lock or several, and
// fingerprints of all bits or as few as growth leaves.
Geometry DrawSmallGeometry(Encoding encoding, Random& random) {
  struct Blocks {
    uint64_t num_blocks;
    uint32_t shard_bits;
  };
  constexpr std::array<Blocks, 6> kBlocks = {
      {{64, 0}, {100, 0}, {128, 1}, {256, 2}, {512, 0}, {512, 3}}};
  constexpr std::array<uint32_t, 10> kSlots = {51, 48, 43, 40, 38, 35, 32, 26, 22, 20};
  const auto [num_blocks, shard_bits] = kBlocks[random.Below(kBlocks.size())];
  const bool is_dense = encoding == Encoding::kDense;
  Geometry geometry{.num_slices = 0,
                    .encoding = encoding,
                    .shard_bits = shard_bits,
                    .num_blocks = num_blocks,
                    .slots = is_dense ? kSlots[random.Below(kSlots.size())] : 0};
  const uint32_t most_bits = is_dense ? geometry.max_dense_bits() : 16;
  geometry.fingerprint_bits = random.OneIn(3) ? most_bits / 2 : most_bits;
  // Shards of dense blocks cut groups of 64 blocks.
  if (is_dense && shard_bits > 0) geometry.num_blocks = num_blocks / 4 * 3;
  return geometry;
}

void DrawCrowd(Random& random, RoundPlan& plan) {
  // A key that is not kept has nearly two copies in, in the mean. Blocks hold 32 keys, dense ones
  // 35 to 51.
  const bool is_dense = plan.config.encoding == Encoding::kDense;
  plan.keys_per_crowded_block = (is_dense ? 18 : 12) + random.Below(12);
  // Executors take 50 us per call, in which nothing else would happen.
  plan.executor_threads = 0;
  if (HasFingerprints(plan.config.encoding)) {
    plan.geometry = DrawSmallGeometry(plan.config.encoding, random);
  }
}

void DrawPreemption(Random& random, RoundPlan& plan) {
  constexpr std::array<uint32_t, 4> kYieldOneIn = {0, 0, 64, 512};
  constexpr std::array<uint32_t, 4> kPreemptUs = {0, 200, 1000, 5000};
  plan.yield_one_in = kYieldOneIn[random.Below(kYieldOneIn.size())];
  plan.preempt_us = kPreemptUs[random.Below(kPreemptUs.size())];
}

}  // namespace

std::span<const Mix> AllMixes() { return kMixes; }

const Mix* FindMix(std::string_view name) {
  const auto* found =
      std::find_if(kMixes.begin(), kMixes.end(), [&](const Mix& mix) { return mix.name == name; });
  return found == kMixes.end() ? nullptr : found;
}

RoundPlan DrawPlan(const Mix& mix, uint64_t seed, uint64_t round, uint32_t num_writers,
                   uint32_t num_readers, Encoding encoding) {
  constexpr std::array<KeyKind, 5> kKinds = {KeyKind::kInt64, KeyKind::kInt32, KeyKind::kViews,
                                             KeyKind::kStrings, KeyKind::kDigests};
  constexpr std::array<uint32_t, 4> kRunSlices = {4, 5, 8, 10};
  Random random(seed, round, kPlanStream);
  RoundPlan plan;
  plan.mix = mix;
  // The capacity grows with the writers; many writers own fewer keys each, so that all fit in
  // memory.
  constexpr uint32_t kManyWriters = 16;
  if (num_writers > kManyWriters) {
    plan.mix.keys_per_writer = std::max(1u, mix.keys_per_writer * kManyWriters / num_writers);
  }
  plan.seed = seed;
  plan.round = round;
  plan.num_writers = num_writers;
  plan.num_readers = num_readers;
  plan.keys_per_thread = mix.keys_per_thread;
  plan.config.capacity = mix.capacity * std::clamp(num_writers, 2u, kManyWriters) / 2;
  plan.config.target_fpr = mix.target_fpr;
  plan.config.encoding = encoding;
  if (encoding == Encoding::kPlanes) plan.config.num_slices = 8;
  if (encoding == Encoding::kRuns) {
    plan.config.num_slices = kRunSlices[random.Below(kRunSlices.size())];
  }
  plan.executor_threads = random.OneIn(2) ? 2 : 0;
  const KeyKind drawn = kKinds[random.Below(kKinds.size())];
  plan.kind = mix.kind.value_or(drawn);
  plan.is_skewed = random.OneIn(2);
  if (encoding == Encoding::kDense && plan.kind == KeyKind::kDigests) {
    // So that races have blocks of their own, though dense blocks hold many keys.
    const uint64_t num_blocks = plan.mix.num_races * kBlocksPerRace + kBlocksPerRace;
    plan.config.capacity = std::max(plan.config.capacity, num_blocks * 51);
  }
  if (mix.is_crowded) DrawCrowd(random, plan);
  if (HasFingerprints(encoding) && random.OneIn(3)) plan.side_records = 1 + random.Below(8);
  DrawPreemption(random, plan);
  return plan;
}

std::string_view KindName(KeyKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"int64", "int32", "string views", "strings",
                                                      "digests"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace trommel::stress
