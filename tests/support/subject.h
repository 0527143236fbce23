// Block stores beside the reference, step by step.
#ifndef TROMMEL_TESTS_SUPPORT_SUBJECT_H_
#define TROMMEL_TESTS_SUPPORT_SUBJECT_H_

#include <string>

#include "engine/src/blocks/block_store.h"
#include "kernels/reference.h"
#include "support/program.h"

namespace trommel::tests {

// Empty if the store holds what the reference says. Presence bits and all counters must be equal.
// Blocks in the side table must have the marker and every one that the reference promotes must be
// there; one more may only be there because it has not drained far enough to come back. All other
// blocks must have the reference's planes.
std::string StoreDifference(const BlockStore& store, const kernels::ReferenceFilter& reference);

// Runs a program on block stores and on the reference. Empty if they give the same answers at each
// step, the same answers and counts for the whole pool after each, and no StoreDifference at the
// end; otherwise what differed first.
std::string FirstDisagreement(const Program& program);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SUBJECT_H_
