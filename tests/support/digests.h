// Batches of digests that kernels find hard: duplicates, crowds, sizes around every edge.
#ifndef TROMMEL_TESTS_SUPPORT_DIGESTS_H_
#define TROMMEL_TESTS_SUPPORT_DIGESTS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace trommel::tests {

// Batch sizes around the edges a kernel has: nothing, one vector (1 to 16 lanes), the prefetch
// distances 16 and 32, and a bitmap word; and a thousand, many times over.
inline std::vector<size_t> EdgeSizes() {
  return {0,  1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17,  31,
          32, 33, 47, 48, 49, 63, 64, 65, 127, 128, 129, 1000};
}

// Block counts: one block, small primes, a power of two, and one that no vector divides.
inline std::vector<uint64_t> EdgeBlocks() { return {1, 3, 7, 64, 100}; }

// Digests drawn with repetition from `num_distinct` random ones: few distinct ones overflow
// counters.
inline std::vector<uint64_t> DrawnDigests(size_t size, size_t num_distinct, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> pool(num_distinct);
  for (uint64_t& digest : pool) digest = random();
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = pool[random() % num_distinct];
  return digests;
}

// 32 digests of block 0 that together mark every position of every slice exactly once: a multiple
// of 2^27 times an odd salt is a permutation of the 32 multiples of 2^27. Eight times these are the
// one block whose counters all fit and which is promoted by definition.
inline std::vector<uint64_t> EveryPositionOnce() {
  std::vector<uint64_t> digests(32);
  for (uint64_t i = 0; i < digests.size(); ++i) digests[i] = i << 27;
  return digests;
}

// `times` copies of the list, one after the other.
inline std::vector<uint64_t> Repeated(const std::vector<uint64_t>& list, size_t times) {
  std::vector<uint64_t> digests;
  for (size_t i = 0; i < times; ++i) digests.insert(digests.end(), list.begin(), list.end());
  return digests;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DIGESTS_H_
