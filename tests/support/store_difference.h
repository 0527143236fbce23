// Is a block store what the reference says, byte for byte and block for block?
#ifndef TROMMEL_TESTS_SUPPORT_STORE_DIFFERENCE_H_
#define TROMMEL_TESTS_SUPPORT_STORE_DIFFERENCE_H_

#include <string>

#include "engine/src/blocks/block_store.h"
#include "kernels/reference.h"

namespace trommel::tests {

// Empty if it is. Presence bits and all counters must be equal. Blocks in the side table must have
// the marker and every one that the reference promotes must be there; one more may only be there
// because it has not drained far enough to come back. All other blocks must have the reference's
// planes.
std::string StoreDifference(const BlockStore& store, const kernels::ReferenceFilter& reference);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_STORE_DIFFERENCE_H_
