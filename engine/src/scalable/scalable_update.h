// Updates of generations: which key goes where. The rule and its proof stand in scalable_filter.cc.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_UPDATE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_UPDATE_H_

#include <cstdint>
#include <span>

#include "engine/src/scalable/generations.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/scalable_filter.h"

namespace trommel {

// What an update works on.
struct ScalableTarget {
  Generations& generations;
  RangeLocks& locks;
  const DigestPolicy& policy;
  Executor* executor = nullptr;  // null: the calling thread only
};

// Each sets the bits of the keys that were inserted or erased in `answers`: a word for every 64
// keys, zero before; empty if no answers are wanted.
InsertOutcome InsertIntoGenerations(const ScalableTarget& target, Keys keys, bool only_if_absent,
                                    std::span<uint64_t> answers) noexcept;
uint64_t EraseFromGenerations(const ScalableTarget& target, Keys keys,
                              std::span<uint64_t> answers) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_UPDATE_H_
