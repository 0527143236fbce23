// Estimates from presence bits: how many distinct keys a filter holds, and how many two filters
// share. No key is looked up; each is one pass over the presence bits.
//
// The plain form is Swamidass and Baldi's ("Mathematical Correction for Fingerprint Similarity
// Measures to Improve Chemical Retrieval", 2007): a Bloom filter of M bits and k hashes with X bits
// set holds about -(M/k) ln(1 - X/M) keys. Blocks differ from it in two ways. A key marks one
// position in each slice of its block, so slice s of all blocks together is a table of N =
// num_blocks x positions places, one of which a key marks, all alike: the mean fill is 1 - e^(-n/N)
// without any mixture over block loads. But the k slices of a block share its keys: a crowded block
// is full in all of them, their fills vary together, and k slices tell less than k tables would.
// The variance of the estimate from n keys (engine/src/counting/fill_model.h has the derivation) is
//
//   V(n) = N/k (e^a - 1 - a) + (k-1)/k N m (e^(a/m) - 1 - a/m)      a = n/N, m positions a slice
//
// whose first term is linear counting's (Whang, Vander-Zanden and Taylor, 1990) with k tables, and
// whose second is what sharing costs: about (k-1)/m of the first while a is small.
#ifndef TROMMEL_ESTIMATES_H_
#define TROMMEL_ESTIMATES_H_

#include "trommel/counting_filter.h"
#include "trommel/result.h"

namespace trommel {

// A number known with an error. The true one is between low and high with a chance of about 95 %:
// two standard errors, taken where the bits vary, so the two sides need not be equally long.
struct Estimate {
  double value = 0;
  double standard_error = 0;
  double low = 0;
  double high =
      0;  // infinite where so many positions are present that any more keys would fit them
};

// The distinct keys in the filter: copies of a key mark what it marks. 0 exactly for an empty one.
// Of a filter with every position present (fill 1) only a lower bound is known: high and
// standard_error are infinite, and value is the number of keys that would leave one position empty.
// Any thread beside other const members.
Estimate EstimateDistinctKeys(const CountingFilter& filter) noexcept;

// What two filters have in common, distinct keys counted once.
struct Overlap {
  Estimate keys_of_a;
  Estimate keys_of_b;
  Estimate union_keys;         // in one of them or in both
  Estimate intersection_keys;  // in both
  Estimate jaccard;            // intersection / union, 0 .. 1; 0 if both are empty
  Estimate a_in_b;             // intersection / keys of a, 0 .. 1; 0 if a is empty
  Estimate b_in_a;
};

// From the fills of a, of b and of a | b, which is what a filter of all their keys would show. The
// errors of the three are not independent: what both filters hold shifts all of them alike, and the
// standard errors account for it. A small intersection of large filters is known badly. Fails with
// kMismatch, naming the field, where geometry or digest policy differ. Any thread beside other
// const members.
Result<Overlap> EstimateOverlap(const CountingFilter& a, const CountingFilter& b);

}  // namespace trommel

#endif  // TROMMEL_ESTIMATES_H_
