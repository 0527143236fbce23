#include "bench/sides/region_pairs.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_set>

#include "bench/sides/workload.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::bench {

std::vector<uint64_t> RegionPairs::Of(uint64_t region) const {
  if (values == Values::kDistinct) {
    const Population owner(kFirstMember + region * per_region, per_region);
    return {owner.batch().digests.begin(), owner.batch().digests.end()};
  }
  std::mt19937_64 random(region);
  const uint64_t num_pairs = num_regions * per_region;
  const bool is_zipf = values == Values::kZipf;
  const uint64_t num_values = is_zipf ? num_pairs : std::max(2 * per_region, num_pairs / 4);
  const double log_values = std::log(static_cast<double>(num_values));
  std::unordered_set<uint64_t> drawn;
  while (drawn.size() < per_region) {
    if (!is_zipf) {
      drawn.insert(random() % num_values);
      continue;
    }
    // Below num_values, with the chance of [rank, rank + 1) under 1 / x.
    const double chance = static_cast<double>(random() >> 11) * 0x1p-53;
    drawn.insert(static_cast<uint64_t>(std::exp(chance * log_values)) - 1);
  }
  std::vector<uint64_t> digests;
  digests.reserve(drawn.size());
  for (const uint64_t value : drawn) {
    digests.push_back(DigestPolicy{}(Key(KeyAt(kFirstMember + value))));
  }
  return digests;
}

}  // namespace trommel::bench
