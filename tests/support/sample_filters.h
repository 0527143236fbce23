// Small filters that between them have every kind of block a snapshot can hold. Their snapshots are
// recorded in tests/golden/files.h, so their digests are named, whatever is the default.
#ifndef TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_
#define TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/digest_keys.h"
#include "support/digests.h"
#include "trommel/attribute_filter.h"
#include "trommel/counting_filter.h"

namespace trommel::tests {

struct Sample {
  std::string name;
  CountingFilter filter;
};

// Inserts 0, 1, 2 ... as 64-bit integer keys.
inline void InsertIntegers(CountingFilter& filter, uint64_t num_keys) {
  std::vector<uint64_t> keys(num_keys);
  for (uint64_t i = 0; i < num_keys; ++i) keys[i] = i;
  filter.Insert(keys);
}

inline CountingFilter MakeFilter(const Geometry& geometry, const DigestPolicy& policy = {}) {
  return std::move(CountingFilter::CreateWithGeometry(geometry, policy)).value();
}

// Doubles every count `times` times: the way to counts that no test could insert.
inline void Double(CountingFilter& filter, int times) {
  for (int i = 0; i < times; ++i) {
    const CountingFilter copy = std::move(CountingFilter::Deserialize(filter.Serialize())).value();
    (void)filter.Merge(copy).ok();
  }
}

// Digest number `number` of that block: distinct, and spread over all positions.
inline uint64_t DigestInBlock(uint64_t block_idx, uint64_t num_blocks, uint32_t number) {
  const uint64_t first = ((block_idx << 32) + num_blocks - 1) / num_blocks;
  return first << 32 | uint32_t{number * 0x9e3779b1U};
}

// Runs, with a block of every kind: what its keys are, where its counts live.
inline CountingFilter RunSample(uint32_t num_slices, uint32_t block_keys) {
  constexpr uint64_t kBlocks = 10;
  CountingFilter filter = MakeFilter({.num_slices = num_slices,
                                      .encoding = Encoding::kRuns,
                                      .shard_bits = 1,
                                      .num_blocks = kBlocks},
                                     {.kind = DigestKind::kCaller});
  const auto insert = [&filter](uint64_t block_idx, uint32_t num_distinct, size_t copies) {
    std::vector<uint64_t> digests;
    for (uint32_t i = 0; i < num_distinct; ++i) {
      digests.insert(digests.end(), copies, DigestInBlock(block_idx, kBlocks, i));
    }
    filter.Insert(Keys::Digests(digests));
  };
  insert(9, 1, 1);
  Double(filter, 33);     // block 9: one key over 2^32 times
  insert(8, 1, 100'000);  // exact counters of 4, 2 and 1 bytes
  insert(7, 1, 1000);
  insert(6, 200, 1);
  insert(5, block_keys + 1, 1);  // promoted with as few keys as can be: long runs, if under 64
  insert(4, block_keys, 1);      // full, with different keys and with one
  insert(3, 1, block_keys);
  insert(2, 5, 2);
  insert(1, 1, block_keys + 1);  // drained to the edge: promoted here, but not in the snapshot
  (void)filter.Erase(Key::Digest(DigestInBlock(1, kBlocks, 0)));
  return filter;  // block 0: empty
}

inline const DigestPolicy kAttributeSampleDigest{.kind = DigestKind::kXxh64};

// Two attributes that no query asks for together: one set that keeps values, and one that keeps
// digests, of which one has further copies.
inline AttributeFilter AttributeSample() {
  const std::vector<AttributeMask> cuts = {0b11};
  AttributeFilter filter =
      std::move(AttributeFilter::Create({.sets = std::move(AttributeSets::Create(2, cuts)).value(),
                                         .names = {"source", "port"},
                                         .capacity = 2000,
                                         .num_values = {2000, 20},
                                         .target_fpr = 1e-3,
                                         .digest = kAttributeSampleDigest}))
          .value();
  std::vector<uint64_t> sources(50);
  for (uint64_t i = 0; i < sources.size(); ++i) sources[i] = i;
  TupleDigests tuples(2);
  tuples.Set(0, sources, kAttributeSampleDigest);
  tuples.Set(1, std::vector<uint64_t>(sources.size(), 53), kAttributeSampleDigest);
  filter.Insert(tuples.view());
  return filter;
}

// Under the digest key of the published vectors.
inline CountingFilter KeyedSample() {
  CountingFilter filter = MakeFilter({.num_slices = 8, .num_blocks = 3}, KeyedPolicy());
  InsertIntegers(filter, 40);
  filter.Insert("alice@example.org");
  return filter;
}

// The last one has a side table.
inline std::vector<Sample> SampleFilters() {
  std::vector<Sample> samples;
  const auto add =
      [&](const char* name, const Geometry& geometry,
          const DigestPolicy& policy = {.kind = DigestKind::kXxh64}) -> CountingFilter& {
    samples.push_back({name, MakeFilter(geometry, policy)});
    return samples.back().filter;
  };
  add("empty", {.num_slices = 8, .num_blocks = 2});
  InsertIntegers(add("few keys", {.num_slices = 8, .num_blocks = 3}), 40);
  InsertIntegers(add("crowded", {.num_slices = 8, .num_blocks = 1}), 300);
  add("full to the brim", {.num_slices = 8, .num_blocks = 1}, {.kind = DigestKind::kCaller})
      .Insert(Keys::Digests(Repeated(EveryPositionOnce(), 8)));

  // Hot keys in blocks of their own: counters of 1, 2, 4 and 8 bytes.
  CountingFilter& hot = add("hot keys", {.num_slices = 8, .shard_bits = 1, .num_blocks = 8});
  const auto insert_often = [&hot](uint64_t block_idx, size_t times) {
    hot.Insert(Keys::Digests(std::vector<uint64_t>(times, block_idx << 61 | block_idx)));
  };
  insert_often(1, 1);
  Double(hot, 33);  // block 1: over 2^32
  insert_often(3, 100);
  insert_often(4, 1000);
  insert_often(6, 100000);
  InsertIntegers(hot, 20);

  InsertIntegers(add("a run", {.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 1},
                     {.kind = DigestKind::kXxh3, .seed = 7}),
                 20);
  samples.push_back({"runs of 4", RunSample(4, 63)});
  samples.push_back({"runs of 5", RunSample(5, 37)});
  samples.push_back({"runs of 8", RunSample(8, 31)});
  samples.push_back({"runs of 10", RunSample(10, 37)});
  return samples;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_
