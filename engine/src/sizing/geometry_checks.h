// The shapes of the encodings, and the errors of geometries and sizing requests.
#ifndef TROMMEL_ENGINE_SRC_SIZING_GEOMETRY_CHECKS_H_
#define TROMMEL_ENGINE_SRC_SIZING_GEOMETRY_CHECKS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/dense_layout.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// Slices that blocks of an encoding can have; of fingerprints 0 alone.
std::span<const uint32_t> SlicesOf(Encoding encoding) noexcept;

// Slots that dense blocks can have; of other encodings 0 alone.
std::span<const uint32_t> SlotsOf(Encoding encoding) noexcept;

// fingerprint_bits: of a new filter, and the least that doublings leave; 0 without fingerprints.
// `slots` counts for dense blocks.
uint32_t MaxFingerprintBits(Encoding encoding, uint32_t slots) noexcept;
uint32_t LeastFingerprintBits(Encoding encoding) noexcept;

// Requires a valid geometry of dense blocks.
kernels::DenseLayout DenseLayoutOf(const Geometry& geometry) noexcept;
// Which key within its block a digest is. Requires a valid geometry of fingerprints.
uint32_t KeyInBlock(const Geometry& geometry, uint64_t digest) noexcept;

// num_blocks is a multiple of this.
uint64_t BlockUnit(Encoding encoding, uint32_t shard_bits) noexcept;

// Returns the shard_bits of a filter of so many blocks, whether it is created, folded or grown: as
// many as ShardBitsFor says, or fewer, where the blocks are no whole shards. Where shards are whole
// groups of 64 blocks they have four times as many blocks, so that rounding to them costs less than
// 1.6 %.
uint32_t ShardBitsOf(Encoding encoding, uint64_t num_blocks) noexcept;

// Returns the number of blocks, at least so many, that sizing divides into whole shards.
uint64_t RoundUpToShards(Encoding encoding, uint64_t num_blocks) noexcept;

std::optional<Error> CheckTargetFpr(double target_fpr);
std::optional<Error> CheckRequest(const SizingRequest& request);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_GEOMETRY_CHECKS_H_
