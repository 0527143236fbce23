// Small filters that between them have every kind of block a snapshot can hold. Their snapshots are
// recorded in tests/golden/snapshots.h.
#ifndef TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_
#define TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/digests.h"
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

inline std::vector<Sample> SampleFilters() {
  std::vector<Sample> samples;
  const auto add = [&](const char* name, const Geometry& geometry,
                       const DigestPolicy& policy = {}) -> CountingFilter& {
    samples.push_back({name, MakeFilter(geometry, policy)});
    return samples.back().filter;
  };
  add("empty", {.num_slices = 8, .num_blocks = 2});
  InsertIntegers(add("few keys", {.num_slices = 8, .num_blocks = 3}), 40);
  InsertIntegers(add("16 slices", {.num_slices = 16, .num_blocks = 2},
                     {.kind = DigestKind::kXxh3, .seed = 0x0123456789abcdef}),
                 30);
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
  return samples;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SAMPLE_FILTERS_H_
