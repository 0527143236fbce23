// The cache lines that a query or update of one key accesses in a filter of a geometry: the shape
// for which roofline.h measures ceilings.
#ifndef TROMMEL_BENCH_SIDES_ACCESS_SHAPE_H_
#define TROMMEL_BENCH_SIDES_ACCESS_SHAPE_H_

#include <cstdint>
#include <vector>

#include "bench/machine/roofline.h"
#include "trommel/sizing.h"

namespace trommel::bench {

// Planes: a line of the presence array, shared with the adjacent block where blocks have 8 slices.
// Runs: the block's presence words, which end in its second line where it has 10 slices.
// Fingerprints: the block.
std::vector<Touch> QueryShape(const Geometry& geometry);

// Planes: the same line, and those of the block's counts. Runs and fingerprints: the whole block.
std::vector<Touch> UpdateShape(const Geometry& geometry);

uint32_t NumLines(const std::vector<Touch>& shape);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_ACCESS_SHAPE_H_
