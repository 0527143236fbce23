// The cache lines that one key's query or update touches in a filter of a geometry, as roofline.h
// wants them to be told what memory allows for it.
#ifndef TROMMEL_BENCH_SIDES_ACCESS_SHAPE_H_
#define TROMMEL_BENCH_SIDES_ACCESS_SHAPE_H_

#include <cstdint>
#include <vector>

#include "bench/machine/roofline.h"
#include "trommel/sizing.h"

namespace trommel::bench {

// Planes: a line of the presence array, whose other half is a neighbour's where blocks have 8
// slices. Runs: the block's presence words, which end in its second line where it has 10 slices.
std::vector<Touch> QueryShape(const Geometry& geometry);

// Planes: the same line, and those of the block's counts. Runs: the whole block.
std::vector<Touch> UpdateShape(const Geometry& geometry);

uint32_t NumLines(const std::vector<Touch>& shape);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_ACCESS_SHAPE_H_
