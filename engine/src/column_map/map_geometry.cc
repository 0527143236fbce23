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
constexpr double LoadOf(uint32_t slot_bits) {
  return slot_bits == 16 ? 24 : slot_bits == 20 ? 19 : 15.5;
}
constexpr uint32_t kSlotBits[] = {16, 20, kernels::kLongestMapSlot};
// With fewer bits of a fingerprint, keys of one block share their columns too often.
constexpr uint32_t kLeastBits = 5;

uint64_t BlocksFor(uint64_t capacity, double load) {
  const double groups = std::ceil(static_cast<double>(capacity) / load / kernels::kGroupBlocks);
  return std::max<uint64_t>(1, static_cast<uint64_t>(groups)) * kernels::kGroupBlocks;
}

}  // namespace

uint32_t MapGeometry::slot_bits() const noexcept {
  const uint32_t num_bits = fingerprint_bits + ColumnBitsFor(num_columns);
  return num_bits <= 16 ? 16 : num_bits <= 20 ? 20 : kernels::kLongestMapSlot;
}

uint32_t MapGeometry::slots_per_block() const noexcept { return kernels::MapSlotsOf(slot_bits()); }

// Fingerprint 1 stands for two values of the digest, so a key has it twice as often, and so has a
// pair: of the 2^b values, all but these two count once, and these four times together.
double MapGeometry::FalsePairs(uint64_t num_pairs) const noexcept {
  const double values = std::exp2(fingerprint_bits);
  return static_cast<double>(num_pairs) / static_cast<double>(num_blocks) * (values + 2) /
         (values * values);
}

MapGeometry MapGeometryFor(const ColumnMapConfig& config) noexcept {
  const uint32_t column_bits = ColumnBitsFor(config.num_columns);
  const double most_false = config.target_fpr * config.num_columns;
  uint32_t best_bits = 0;
  double best_load = 0;
  for (const uint32_t slot_bits : kSlotBits) {
    if (slot_bits < column_bits + kLeastBits) continue;
    const uint32_t bits = std::min(kernels::kMaxMapFingerprintBits, slot_bits - column_bits);
    const double false_per_pair = MapGeometry{1, bits, config.num_columns}.FalsePairs(1);
    const double load = std::min(LoadOf(slot_bits), most_false / false_per_pair);
    if (load <= best_load) continue;
    best_bits = bits;
    best_load = load;
  }
  return {BlocksFor(config.capacity, best_load), best_bits, config.num_columns};
}

Status CheckMapGeometry(const MapGeometry& geometry) {
  if (geometry.num_blocks == 0 || geometry.num_blocks > kMaxBlocks ||
      geometry.num_blocks % kernels::kGroupBlocks != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "num_blocks must be a multiple of 64 between 64 and " +
                     std::to_string(kMaxBlocks) + "; got " + std::to_string(geometry.num_blocks)};
  }
  const uint32_t most_bits =
      std::min(kernels::kMaxMapFingerprintBits,
               kernels::kLongestMapSlot - ColumnBitsFor(geometry.num_columns));
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
