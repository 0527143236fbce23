// Draws rates against bits a key as an SVG file's text: straight axes for bits, powers of ten for
// rates.
#ifndef TROMMEL_BENCH_MEMORY_SVG_H_
#define TROMMEL_BENCH_MEMORY_SVG_H_

#include <string>
#include <vector>

#include "bench/memory_model.h"

namespace trommel::bench {

struct RateRange {
  double most = 1e-1;
  double least = 1e-5;
};

// Ours are drawn thick, what cannot count in dashes.
std::string MemorySvg(const std::vector<MemoryCurve>& curves, const RateRange& range);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_MEMORY_SVG_H_
