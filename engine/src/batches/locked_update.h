// Updates of a concurrent filter by the calling thread, in chunks: every run of keys that share a
// lock is applied under it. The locks are taken one at a time, so there is no order to obey.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_LOCKED_UPDATE_H_
#define TROMMEL_ENGINE_SRC_BATCHES_LOCKED_UPDATE_H_

#include <cstdint>
#include <span>

#include "engine/src/batches/update_batch.h"

namespace trommel {

// As UpdateBatch; target.locks must be there.
uint64_t UpdateLocked(const UpdateTarget& target, Update update, Keys keys,
                      std::span<uint64_t> answers) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_LOCKED_UPDATE_H_
