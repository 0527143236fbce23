/// @file
/// The published formulas of classic filters as pure functions, right ones and wrong ones, each
/// under a name that says which.
///
/// Nothing is clamped: outside of a function's stated domain it returns NaN.
///
/// Sources: Huang, Fang and Zhang, "Split Counting Bloom Filter and its Application in Hbase
/// Secondary Index" (split filters, overflow); a course text on HBase's Bloom filters (plain ones).
/// k hashes, m positions of a slice, M of an array, n distinct keys, P the false-positive rate.
#ifndef TROMMEL_CLASSIC_FORMULAS_H_
#define TROMMEL_CLASSIC_FORMULAS_H_

#include <cstdint>

#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel::classic {

/// @name Numbers of hashes and positions
/// @{

/// Returns the least k with 2^-k <= P: ceil(log2(1 / P)). Fails with kInvalidArgument unless
/// 0 < P < 1 and k <= kMaxHashes.
TROMMEL_API Result<uint32_t> NumHashesFor(double target_fpr);

/// Table 1 of the split counting filter: what M positions in all hold at rate P, every slice half
/// full. k = ceil(log2(1/P)), m = floor(M / k), n = floor(M (ln 2)^2 / |ln P|), as printed: n
/// follows the formula before k is rounded.
struct PublishedSplit {
  uint32_t num_hashes = 0;       ///< k.
  uint64_t slice_positions = 0;  ///< m.
  uint64_t capacity = 0;         ///< n.

  /// Memberwise equality.
  friend bool operator==(const PublishedSplit&, const PublishedSplit&) = default;
};
/// Returns a row of table 1. Fails as NumHashesFor, and if M is zero, below k or above 2^48.
TROMMEL_API Result<PublishedSplit> PublishedSplitFor(uint64_t total_positions, double target_fpr);

/// The course text's plain filter: M = ceil(-n ln P / (ln 2)^2) positions and k = ceil(M / n ln 2)
/// hashes.
struct PublishedBloom {
  uint64_t num_positions = 0;  ///< M.
  uint32_t num_hashes = 0;     ///< k.

  /// Memberwise equality.
  friend bool operator==(const PublishedBloom&, const PublishedBloom&) = default;
};
/// Returns the course text's filter. Fails with kInvalidArgument unless 1 <= n <= 2^40 and 0 < P <
/// 1, and if k > kMaxHashes.
TROMMEL_API Result<PublishedBloom> PublishedBloomFor(uint64_t capacity, double target_fpr);

/// @}

/// @name Fill and false-positive rate
/// @{

/// Returns the mean fraction of present positions among m after n independent hashes: 1 - (1 -
/// 1/m)^n. m >= 1.
TROMMEL_API double Fill(uint64_t num_positions, uint64_t num_hashed) noexcept;

/// Returns the rate of k slices of m with n keys: Fill(m, n)^k. Exact for independent hashes,
/// because slices are independent.
TROMMEL_API double SplitFpr(uint32_t num_hashes, uint64_t slice_positions,
                            uint64_t num_keys) noexcept;

/// Returns the rate of one array of M with n keys by the textbook: (1 - e^(-kn/M))^k. Too low, by
/// little when M is large.
TROMMEL_API double BloomFpr(uint32_t num_hashes, uint64_t num_positions,
                            uint64_t num_keys) noexcept;

/// Returns the same with the exact mean and variance of the fill: E[F^k] ~ f^k + k (k-1) / 2
/// f^(k-2) Var F. What is left out is of order (k^2 / M)^2. M >= 1.
TROMMEL_API double BloomFprSecondOrder(uint32_t num_hashes, uint64_t num_positions,
                                       uint64_t num_keys) noexcept;

/// @}

/// @name Heights of counters
/// `load` is the mean count of a counter: n / m of a slice, k n / M of an array; ln 2 where filters
/// are half full.
/// @{

/// Returns P(count >= j) exactly, for a count with a Poisson distribution of mean `load`. load >=
/// 0.
TROMMEL_API double PoissonTail(double load, uint64_t count) noexcept;

/// Returns the same for a binomial distribution: each of n hashes falls on this one of m positions
/// with probability 1/m. m >= 1.
TROMMEL_API double BinomialTail(uint64_t num_hashed, uint64_t num_positions,
                                uint64_t count) noexcept;

/// Returns the split filter's bound of that tail as its text derives it: (e load / j)^j /
/// sqrt(2 pi j). j >= 1, load >= 0.
TROMMEL_API double OverflowBound(double load, uint64_t count) noexcept;

/// Returns what the paper's tables 2 and 3 print: (load / j)^j / sqrt(2 pi j). The factor e was
/// dropped: this is no bound, and lies below the exact tail.
TROMMEL_API double OverflowAsPrinted(double load, uint64_t count) noexcept;

/// @}

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_FORMULAS_H_
