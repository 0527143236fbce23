// Sizing of dense blocks (kernels/dense_layout.h): what follows from their load.
//
// Blocks have Poisson(load) distinct keys, and their bins Poisson(load / bins) each, independently.
// A block keeps its lowest bins as far as they fit: bin k is cut iff bins 0 .. k have more than
// `slots` keys. With P the tail of a Poisson variable,
//
//   cut blocks          P(N(load) > slots)
//   cut bins, share     mean over k = 1 .. bins of P(N(load k / bins) > slots)
//   entries per block   load / bins x sum over k of P(N(load k / bins) >= slots)
//
// The last is E[X; X + Y > slots] = E[X] P(X + Y + 1 > slots) for a Poisson variable X beside Y.
// These are the figures of a filter that was filled. Where keys have been replaced, bins return
// late, and blocks are cut as if they had 0 .. kDensePullSlots - 1 slots less, the mean of these.
// Bins that are only late have fewer keys than those that do not fit: of entries the last term is
// left out.
#ifndef TROMMEL_ENGINE_SRC_SIZING_DENSE_LOAD_H_
#define TROMMEL_ENGINE_SRC_SIZING_DENSE_LOAD_H_

#include "kernels/dense_layout.h"
#include "trommel/sizing.h"

namespace trommel {

// Of non-members beside writers, on top of the rate, past the capacity. Measured on average over
// filters of 1,000 to 10^6 keys that are replaced: at capacity 2e-6 at most, at 1.25 times it about
// this, from 1.5 to 1.9 times at most 2e-4, because lines grow. Single filters have up to 5e-3 past
// the capacity, until they have grown.
inline constexpr double kDenseUndecidedShare = 2e-5;

struct DenseLoad {
  double fpr = 0;                   // of queries that look at hidden keys
  double cut_blocks = 0;            // share
  double cut_bins = 0;              // share: of non-members' queries that read lines
  double entries_per_block = 0;     // in overflow lines
  double lines_per_block = 0;       // that are to be there from the beginning
  double side_bytes_per_block = 0;  // records of equal keys, and what finds them
};

// Of so many distinct keys per block, that have been replaced several times or not at all. Requires
// at most 4 times as many as slots.
DenseLoad DenseLoadOf(const kernels::DenseLayout& layout, double keys_per_block, bool are_replaced);

// Of a filter with so many distinct keys, which have been replaced several times.
DenseLoad DenseLoadOf(const Geometry& geometry, uint64_t num_keys);

// The bits per key of blocks, lines and side memory.
double DenseBitsPerKey(const kernels::DenseLayout& layout, double keys_per_block,
                       bool are_replaced);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_DENSE_LOAD_H_
