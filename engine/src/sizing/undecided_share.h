// The undecided share: how often a query beside writers cannot tell that a key is absent, because
// the block keeps keys in the side table, which such a query does not read.
//
//   slots of 16 bits   the block is spilled: any key that it does not show may be in the side table
//   slots of 8 bits    the key's bin is cut off
//
// Both shares depend on what happened to the filter. A spilled block stays spilled until 32 keys
// are left, though its line may have space again; bins that are cut off stay so until the block
// returns. The models are those of a filter whose keys are replaced again and again. One that was
// only filled has less: about a tenth (slots of 16 bits) or six tenths (8 bits) of it at capacity.
#ifndef TROMMEL_ENGINE_SRC_SIZING_UNDECIDED_SHARE_H_
#define TROMMEL_ENGINE_SRC_SIZING_UNDECIDED_SHARE_H_

#include <cstdint>

#include "trommel/sizing.h"

namespace trommel {

// Requires a valid geometry of fingerprints.
double FingerprintUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_UNDECIDED_SHARE_H_
