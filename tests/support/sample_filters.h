// Small filters with every kind of block that a snapshot can hold. Some are samples of FORMAT.md,
// so their digests are named, whatever is the default.
#ifndef TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_
#define TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "trommel/attribute_filter.h"
#include "trommel/counting_filter.h"

namespace trommel::tests {

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

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_
