// The published formulas of classic filters as pure functions, right ones and wrong ones, each
// under a name that says which.
//
// Nothing is clamped: outside of a function's stated domain it returns NaN. k hashes, m positions
// of a slice, M of an array, n distinct keys, P the false-positive rate.
//
// Sources: Huang, Fang and Zhang, "Split Counting Bloom Filter and its Application in Hbase
// Secondary Index" (split filters, overflow); a course text on HBase's Bloom filters (plain ones).
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_FORMULAS_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_FORMULAS_H_

#include <cstdint>

namespace trommel::classic {

// Returns the least k with 2^-k <= P: ceil(log2(1 / P)). Requires 2^-kMaxHashes <= P < 1.
uint32_t NumHashesFor(double target_fpr);

// Table 1 of the split counting filter: what M positions in all hold at rate P, every slice half
// full. k = ceil(log2(1/P)), m = floor(M / k), n = floor(M (ln 2)^2 / |ln P|), as printed: n
// follows the formula before k is rounded.
struct PublishedSplit {
  uint32_t num_hashes = 0;       // k
  uint64_t slice_positions = 0;  // m
  uint64_t capacity = 0;         // n

  friend bool operator==(const PublishedSplit&, const PublishedSplit&) = default;
};
// Requires P as NumHashesFor and k <= M <= 2^48.
PublishedSplit PublishedSplitFor(uint64_t total_positions, double target_fpr);

// Returns the least m with which k slices hold n keys at P or less, the paper's formula the other
// way round. Requires 0 < P < 1, and that kMaxPositions are enough.
uint64_t SlicePositionsFor(uint32_t num_hashes, uint64_t num_keys, double target_fpr);

// Returns the mean fraction of present positions among m after n independent hashes: 1 - (1 -
// 1/m)^n. m >= 1.
double Fill(uint64_t num_positions, uint64_t num_hashed);

// Returns the rate of k slices of m with n keys: Fill(m, n)^k. Exact for independent hashes,
// because slices are independent; with fewer probes than slices, k is the number of probes.
double SplitFpr(uint32_t num_hashes, uint64_t slice_positions, uint64_t num_keys);

// Returns the rate of one array of M with n keys, with the exact mean and variance of the fill:
// E[F^k] ~ f^k + k (k-1) / 2 f^(k-2) Var F. What is left out is of order (k^2 / M)^2; the textbook,
// (1 - e^(-kn/M))^k, is too low, by little when M is large. M >= 1.
double BloomFprSecondOrder(uint32_t num_hashes, uint64_t num_positions, uint64_t num_keys);

// Heights of counters. `load` is the mean count of a counter: n / m of a slice, k n / M of an
// array; ln 2 where filters are half full.

// Returns P(count >= j) exactly, for a count with a Poisson distribution of mean `load`. load >= 0.
double PoissonTail(double load, uint64_t count);

// Returns the same for a binomial distribution: each of n hashes falls on this one of m positions
// with probability 1/m. m >= 1.
double BinomialTail(uint64_t num_hashed, uint64_t num_positions, uint64_t count);

// Returns the split filter's bound of that tail as its text derives it: (e load / j)^j /
// sqrt(2 pi j). j >= 1, load >= 0.
double OverflowBound(double load, uint64_t count);

// Returns what the paper's tables 2 and 3 print: (load / j)^j / sqrt(2 pi j). The factor e was
// dropped: this is no bound, and lies below the exact tail.
double OverflowAsPrinted(double load, uint64_t count);

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_FORMULAS_H_
