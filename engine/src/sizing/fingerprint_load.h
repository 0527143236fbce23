// Sizing of fingerprint blocks: what follows from their load. The layout and its keys are in
// kernels/fingerprint_layout.h.
//
// Blocks take even shares of the digests, so a block holds Binomial(num_keys, 1 / num_blocks) keys:
// MeanOverLoad, not the two classes of block_load.h. The functions below require a valid geometry
// of fingerprints.
#ifndef TROMMEL_ENGINE_SRC_SIZING_FINGERPRINT_LOAD_H_
#define TROMMEL_ENGINE_SRC_SIZING_FINGERPRINT_LOAD_H_

#include <cstdint>

#include "trommel/sizing.h"

namespace trommel {

// The probability that a random key equals one of a block's `load` distinct random keys.
double FingerprintBlockFpr(const Geometry& geometry, uint64_t load) noexcept;

// The probability that a block of `load` keys is promoted.
double FingerprintPromotedChance(const Geometry& geometry, uint64_t load) noexcept;

double FingerprintFpr(const Geometry& geometry, uint64_t num_keys) noexcept;
double FingerprintPromotedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

// Dense blocks: lines beyond the least number, and records. Slots of 16 bits: only blocks of which
// a key is beyond their group's overflow line have one, as many as the keys beyond it fill at the
// mean overflow of a promoted block, and one that the line cuts in two.
double FingerprintSideTableBytes(const Geometry& geometry, uint64_t num_keys) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_FINGERPRINT_LOAD_H_
