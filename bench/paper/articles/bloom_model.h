// The memory that a Bloom filter needs, beyond the formulas of classic: at a rate for any number of
// hashes, the lower bound of all structures, and the rate of tiny arrays. And the rate of a filter
// of random keys beside its model.
#ifndef TROMMEL_BENCH_PAPER_ARTICLES_BLOOM_MODEL_H_
#define TROMMEL_BENCH_PAPER_ARTICLES_BLOOM_MODEL_H_

#include <cstdint>
#include <string>

#include "bench/paper/report/random.h"
#include "bench/paper/report/report.h"
#include "engine/src/classic/geometry.h"

namespace trommel::paper {

// -ln p / (ln 2)^2: with the best number of hashes, if that could be fractional.
double BestBitsPerKey(double fpr);

// The bits per key that k hashes need for this rate: -k / ln(1 - p^(1/k)).
double BitsPerKey(uint32_t num_hashes, double fpr);

// The least of these over all k, and the k that has it.
double LeastBitsPerKey(double fpr);
uint32_t BestHashes(double fpr);

// log2(1/p): the lower bound for any structure with this rate and a fixed set of keys (Carter,
// Floyd, Gill, Markowsky and Wegman, 1978).
double FewestBitsPerKey(double fpr);

// (1 - e^(-k n / m))^k for real n / m.
double FprAt(double bits_per_key, uint32_t num_hashes);

// E[(X / m)^k], X the number of positions set by k n independent throws: exact for any m, in m * k
// n steps. The textbook's (1 - e^(-kn/m))^k is lower.
double ExactFpr(uint32_t num_positions, uint32_t num_hashes, uint32_t num_keys);

struct BloomTrial {
  classic::Hashing hashing = classic::Hashing::kMixed;
  uint32_t num_hashes = 0;
  uint64_t num_positions = 0;
  uint64_t num_keys = 0;
  uint64_t num_non_members = 0;
};
// The rate of a filter of random members, measured, beside that of independent hashes. Of kDouble,
// which is not modelled, any rate is allowed.
Row BloomRate(const std::string& what, const BloomTrial& trial, const RandomStream& members,
              const RandomStream& non_members);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_ARTICLES_BLOOM_MODEL_H_
