// The geometries of a layered filter's two layers. Pure arithmetic, as sizing.h.
#ifndef TROMMEL_ENGINE_SRC_LAYERED_LAYERED_SIZING_H_
#define TROMMEL_ENGINE_SRC_LAYERED_LAYERED_SIZING_H_

#include <cstdint>
#include <string>

#include "trommel/layered_filter.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

struct LayerGeometries {
  Geometry first;
  Geometry large;
};

// Nested geometries for the request, of which the first layer's is changed rather than the large
// one's to make them nest. Fails as LayeredFilter::Create does.
Result<LayerGeometries> SizeLayers(const LayeredConfig& config);

// The bytes that queries of a filter of this geometry spread over.
uint64_t QueryBytes(const Geometry& geometry) noexcept;

// Empty if the geometries nest, or the reason why not. Nested means that what a key's block in the
// large layer shows of it, its block in the first layer shows too:
//
//   large   | block 0 | block 1 | .. | block m-1 | block m ..     num_blocks = m x the first's
//   first   |           block 0                  | block 1 ..     the keys of all m
//
// for floor(floor(x m) / m) = floor(x); and the first layer's k slices have the positions of the
// large layer's first k: both of 32 or both of 64 positions, and no more of them.
std::string NestingFault(const Geometry& first, const Geometry& large);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_LAYERED_LAYERED_SIZING_H_
