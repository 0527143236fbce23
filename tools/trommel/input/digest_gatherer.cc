// DigestGatherer: one copy of 8 bytes per key, and of its time.
#include "tools/trommel/input/digest_gatherer.h"

#include <algorithm>
#include <utility>

namespace trommel::tool {

DigestGatherer::DigestGatherer(size_t num_keys, Apply apply)
    : num_keys_(num_keys), apply_(std::move(apply)) {}

size_t DigestGatherer::NumKeysFor(uint64_t num_keys_worth_splitting) noexcept {
  constexpr uint64_t kLeast = 1 << 16;  // fewer do not occupy several threads
  constexpr uint64_t kMost = 1 << 22;   // 32 MB of digests
  return static_cast<size_t>(std::clamp(num_keys_worth_splitting, kLeast, kMost));
}

KeyStages DigestGatherer::Stages(const DigestPolicy& policy) {
  return {[policy](KeyBatch& batch) { batch.Hash(policy); },
          [this](const KeyBatch& batch) {
            Add(batch);
            return Ok();
          }};
}

void DigestGatherer::Add(const KeyBatch& batch) {
  digests_.insert(digests_.end(), batch.digests.begin(), batch.digests.end());
  times_.insert(times_.end(), batch.times().begin(), batch.times().end());
  if (digests_.size() >= num_keys_ || batch.piece.is_input_idle) Flush();
}

void DigestGatherer::Flush() {
  if (digests_.empty()) return;
  apply_(digests_, times_);
  digests_.clear();
  times_.clear();
}

}  // namespace trommel::tool
