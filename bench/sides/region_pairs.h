// The pairs of a table's regions, as digests of values: in one region each, or in several.
#ifndef TROMMEL_BENCH_SIDES_REGION_PAIRS_H_
#define TROMMEL_BENCH_SIDES_REGION_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trommel::bench {

enum class Values : size_t {
  kDistinct,  // each in one region
  kUniform,   // each in four regions on average
  kZipf,      // drawn for each region by 1 / rank, of as many values as there are pairs
};

struct RegionPairs {
  uint64_t num_regions;
  uint64_t per_region;
  Values values;

  // The digests of a region's values, each once; the same for each call.
  std::vector<uint64_t> Of(uint64_t region) const;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_REGION_PAIRS_H_
