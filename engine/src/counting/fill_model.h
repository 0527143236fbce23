// The distribution of the number of set presence bits, and its inversion: the arithmetic under
// estimates.h.
//
// n keys are thrown at B blocks of k slices of m positions; N = B m, a = n / N. Let E_S be how many
// of the k N positions no key of a set S marks, |S| = s N, and likewise T; |S and T| = i N. Were
// the numbers of keys Poisson, a position would be empty with chance e^-s, independently of the
// others of its slice. Two facts give all covariances, of the same position and of two positions in
// two slices of one block, whose keys are the same (q = 1 - 1/m is a key's chance to miss one of
// them):
//
//   P(empty in S and in T) - e^-s e^-t   = e^(-s-t) (e^i - 1)
//   Cov(q^keys of S, q^keys of T)        = e^(-s-t) (e^(i/m) - 1)
//
// The numbers are not Poisson but given; conditioning on them takes k^2 N i e^(-s-t) away:
//
//   Cov(E_S, E_T) = e^(-s-t) [k N (e^i - 1 - i) + k (k-1) N m (e^(i/m) - 1 - i/m)]
//
// The estimate n_S = -N ln(E_S / (k N)) moves by -e^s / k for each empty position, so
//
//   Cov(n_S, n_T) = V(|S and T|)     V as in estimates.h
//
// and all errors of estimates.h are sums of V: of the intersection n_A + n_B - n_AB, where A and B
// are subsets of their union, it is V(AB) - V(A) - V(B) + 2 V(A and B).
#ifndef TROMMEL_ENGINE_SRC_COUNTING_FILL_MODEL_H_
#define TROMMEL_ENGINE_SRC_COUNTING_FILL_MODEL_H_

#include <cstdint>

#include "trommel/estimates.h"
#include "trommel/sizing.h"

namespace trommel {

// V(num_keys): of an estimate from the fill of a filter of this geometry.
double FillVariance(const Geometry& geometry, double num_keys) noexcept;

// The number of keys that leave so many positions empty in the mean: num_empty > 0. The uneven
// blocks of giant filters (block_load.h) are accounted for.
double KeysLeavingEmpty(const Geometry& geometry, double num_empty) noexcept;

// The estimate from num_present set bits of num_positions().
Estimate KeysFromFill(const Geometry& geometry, uint64_t num_present) noexcept;

// From the set bits of a, of b, and of a | b.
Overlap OverlapFromFills(const Geometry& geometry, uint64_t num_a, uint64_t num_b,
                         uint64_t num_either) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COUNTING_FILL_MODEL_H_
