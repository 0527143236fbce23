#include "engine/src/column_map/map_geometry.h"

#include <algorithm>
#include <cmath>

#include "engine/src/base/out_of_range.h"
#include "engine/src/column_map/pair_store.h"
#include "kernels/map_layout.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

// Slots in use per block at the capacity. Measured: with fewer, blocks take the memory; with more,
// what does not fit a block does.
constexpr double kShortLoad = 24;
constexpr double kLongLoad = 15.5;
// With fewer, keys of one block share their columns too often.
constexpr uint32_t kLeastShortBits = 5;

uint64_t BlocksFor(uint64_t capacity, double load) {
  const double groups = std::ceil(static_cast<double>(capacity) / load / kernels::kGroupBlocks);
  return std::max<uint64_t>(1, static_cast<uint64_t>(groups)) * kernels::kGroupBlocks;
}

}  // namespace

uint32_t MapGeometry::slot_bits() const noexcept {
  const bool is_short = fingerprint_bits + ColumnBitsFor(num_columns) <= kernels::kShortSlotBits;
  return is_short ? kernels::kShortSlotBits : kernels::kLongSlotBits;
}

MapGeometry GeometryFor(const ColumnMapConfig& config) {
  const uint32_t column_bits = ColumnBitsFor(config.num_columns);
  // A non-member has each of the load's fingerprints by this chance.
  const double most_false = config.target_fpr * config.num_columns;
  const auto load_for = [most_false](double load, uint32_t bits) {
    return std::min(load, most_false * std::exp2(bits));
  };
  if (column_bits + kLeastShortBits <= kernels::kShortSlotBits) {
    const uint32_t bits = kernels::kShortSlotBits - column_bits;
    const double load = load_for(kShortLoad, bits);
    // Else slots of 24 bits take less memory.
    if (load * kernels::kLongSlotBits >= kShortLoad * kernels::kShortSlotBits) {
      return {BlocksFor(config.capacity, load), bits, config.num_columns};
    }
  }
  const uint32_t bits =
      std::min(kernels::kMaxMapFingerprintBits, kernels::kLongSlotBits - column_bits);
  const double load = load_for(kLongLoad, bits);
  return {BlocksFor(config.capacity, load), bits, config.num_columns};
}

Status CheckMapGeometry(const MapGeometry& geometry) {
  if (geometry.num_blocks == 0 || geometry.num_blocks > kMaxBlocks ||
      geometry.num_blocks % kernels::kGroupBlocks != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "num_blocks must be a multiple of 64 between 64 and " +
                     std::to_string(kMaxBlocks) + "; got " + std::to_string(geometry.num_blocks)};
  }
  const uint32_t most_bits = std::min(kernels::kMaxMapFingerprintBits,
                                      kernels::kLongSlotBits - ColumnBitsFor(geometry.num_columns));
  if (geometry.fingerprint_bits == 0 || geometry.fingerprint_bits > most_bits) {
    return OutOfRange("fingerprint_bits", geometry.fingerprint_bits, 1U, most_bits);
  }
  return Ok();
}

uint64_t BytesOf(const MapGeometry& geometry) {
  return geometry.num_blocks * kernels::kMapBlockWords * sizeof(uint32_t) +
         geometry.num_blocks / kernels::kGroupBlocks * 2 * sizeof(uint64_t);
}

}  // namespace trommel
