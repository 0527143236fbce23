// Expected speed: ns a key of the batch operations, as measured once on one machine. For `trommel
// size`, which answers at once and builds nothing; `trommel bench` measures.
#ifndef TROMMEL_TOOLS_EXPECTED_SPEED_H_
#define TROMMEL_TOOLS_EXPECTED_SPEED_H_

#include <cstdint>
#include <string_view>

#include "trommel/sizing.h"

namespace trommel::tool {

// ns a key, one thread, digests computed before.
struct ExpectedSpeed {
  double insert_ns = 0;
  double erase_ns = 0;
  double query_ns = 0;
};

// What the figures were measured on, for the footnote beside them.
inline constexpr std::string_view kSpeedMachine = "one core of a virtual Intel Xeon (AVX-512)";
// Filters up to this size, half of a usual third-level cache, are taken to stay in it.
inline constexpr uint64_t kMaxBytesInCache = uint64_t{16} << 20;

bool IsInCache(const Geometry& geometry) noexcept;

// The figures of a valid geometry's encoding, slices and size.
ExpectedSpeed ExpectedSpeedOf(const Geometry& geometry) noexcept;

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_EXPECTED_SPEED_H_
