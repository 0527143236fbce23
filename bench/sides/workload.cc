#include "bench/sides/workload.h"

#include <cmath>

#include "trommel/digest.h"

namespace trommel::bench {

uint64_t ZipfRank(double uniform, uint64_t num_ranks) {
  return static_cast<uint64_t>(std::exp(uniform * std::log(static_cast<double>(num_ranks)))) - 1;
}

Population::Population(uint64_t first_index, size_t num_keys)
    : keys_(num_keys), digests_(num_keys) {
  for (size_t i = 0; i < num_keys; ++i) keys_[i] = KeyAt(first_index + i);
  DigestPolicy{}.Digests(keys_, digests_);
}

}  // namespace trommel::bench
