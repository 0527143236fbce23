// MapGeometry: the shape of a ColumnMap, as computed from what Create is asked for.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_MAP_GEOMETRY_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_MAP_GEOMETRY_H_

#include <bit>
#include <cstdint>

#include "trommel/column_map.h"
#include "trommel/result.h"

namespace trommel {

// Bits of a slot that name one of so many columns, or are a mark.
constexpr uint32_t ColumnBitsFor(uint32_t num_columns) {
  return static_cast<uint32_t>(std::bit_width(num_columns));
}

// Fails with kInvalidArgument, naming the number that is out of range.
Status CheckMapGeometry(const MapGeometry& geometry);

// Bytes of a map without pairs.
uint64_t BytesOf(const MapGeometry& geometry);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_MAP_GEOMETRY_H_
