// The undecided share: how often a query beside writers cannot tell that a key is absent, because
// the block keeps keys in the side table, which such a query does not read.
//
//   slots of 16 bits   the block is spilled: any key that it does not show may be in the side table
//   dense blocks       the key's bin is cut, and a key of the block found no place in lines
//
// Of dense blocks it is the share that was measured, nearly nothing at every load, because lines
// become more.
//
// With slots of 16 bits a spilled block is decided as soon as its line has space for the keys that
// it does not show (fingerprints/wide_store.h). The model lets it wait until 32 keys are left, so
// it is an upper bound.
#ifndef TROMMEL_ENGINE_SRC_SIZING_UNDECIDED_SHARE_H_
#define TROMMEL_ENGINE_SRC_SIZING_UNDECIDED_SHARE_H_

#include <cstdint>

#include "trommel/sizing.h"

namespace trommel {

// Requires a valid geometry of fingerprints.
double FingerprintUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_UNDECIDED_SHARE_H_
