/// @file
/// Estimates from presence bits or fingerprints: how many distinct keys a filter holds, and how
/// many two share.
///
/// No key is looked up; each estimate is one pass over the blocks. A block of fingerprints counts
/// as one slice, k = 1, with a position for each value of a fingerprint, m = 2^fingerprint_bits.
///
/// The plain form is that of Swamidass and Baldi ("Mathematical Correction for Fingerprint
/// Similarity Measures to Improve Chemical Retrieval", 2007): a Bloom filter of M bits and k hashes
/// with X bits set holds about -(M/k) ln(1 - X/M) keys. Blocks differ from it in two ways. First, a
/// key sets one position in each slice of its block, so slice s of all blocks together is a table
/// of N = num_blocks x positions places, one of which a key sets, all with equal probability: the
/// mean fill is 1 - e^(-n/N), without a mixture over block loads. Second, the k slices of a block
/// share its keys: a crowded block is full in all of them, so their fills vary together, and k
/// slices carry less information than k independent tables. The variance of the estimate from n
/// keys (derived in ARCHITECTURE.md, Estimates) is
/// @code{.unparsed}
///   V(n) = N/k (e^a - 1 - a) + (k-1)/k N m (e^(a/m) - 1 - a/m)   a = n/N, m positions per slice
/// @endcode
/// The first term is that of linear counting (Whang, Vander-Zanden and Taylor, 1990) with k tables;
/// the second is the cost of sharing, about (k-1)/m of the first while a is small.
#ifndef TROMMEL_ESTIMATES_H_
#define TROMMEL_ESTIMATES_H_

#include "trommel/counting_filter.h"
#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel {

/// A number known with an error. The true number lies between low and high with a probability of
/// about 95 %: two standard errors, computed where the bits vary, so the two sides may differ in
/// length.
struct Estimate {
  double value = 0;           ///< The estimate.
  double standard_error = 0;  ///< Its standard error.
  double low = 0;             ///< Lower end of the interval.
  /// Upper end of the interval. Infinite where so many positions are present that any larger number
  /// of keys fits them as well.
  double high = 0;
};

/// Estimates the number of distinct keys in the filter. Copies of a key count once. Exactly 0 for
/// an empty filter. If every position is present (fill 1) only a lower bound is known: `high` and
/// `standard_error` are infinite, and `value` is the number of keys that would leave one position
/// empty. Thread safety: any thread, beside const members.
TROMMEL_API Estimate EstimateDistinctKeys(const CountingFilter& filter) noexcept;

/// What two filters have in common. Distinct keys count once.
struct Overlap {
  Estimate keys_of_a;          ///< Distinct keys of a.
  Estimate keys_of_b;          ///< Distinct keys of b.
  Estimate union_keys;         ///< Keys in a, in b or in both.
  Estimate intersection_keys;  ///< Keys in both.
  Estimate jaccard;            ///< Intersection / union, 0 to 1; 0 if both are empty.
  Estimate a_in_b;             ///< Intersection / keys of a, 0 to 1; 0 if a is empty.
  Estimate b_in_a;             ///< Intersection / keys of b, 0 to 1; 0 if b is empty.
};

/// Estimates what two filters have in common from the fills of a, of b and of a | b, which are the
/// presence bits of a filter of all their keys.
///
/// The errors of the three fills are not independent: the keys that both filters hold shift all of
/// them alike, and the standard errors account for it. The error of a small intersection of large
/// filters is large. Fails with kMismatch, naming the field, if geometry or digest policy differ.
/// Thread safety: any thread, beside const members.
TROMMEL_API Result<Overlap> EstimateOverlap(const CountingFilter& a, const CountingFilter& b);

}  // namespace trommel

#endif  // TROMMEL_ESTIMATES_H_
