#include "engine/src/batches/apply_run.h"

#include "engine/src/keys/key_chunks.h"

namespace trommel {

uint64_t ApplyRun(const UpdateTarget& target, Update update, const uint64_t* digests,
                  const kernels::Run& run, size_t owner_idx, uint32_t owner_bits,
                  std::span<uint64_t> bits) noexcept {
  const auto apply = [&]() -> uint64_t {
    if (update == Update::kInsert) {
      target.store.Apply(update, digests, run, nullptr);
      return run.end - run.begin;
    }
    // Its first and last word may hold bits of other runs.
    const auto words = bits.subspan(run.begin / 64, (run.end + 63) / 64 - run.begin / 64);
    const uint64_t before = CountBits(words);
    target.store.Apply(update, digests, run, bits.data());
    return CountBits(words) - before;
  };
  if (target.locks == nullptr) return apply();
  OwnerLocks::Held held = target.locks->Hold(owner_idx, owner_bits);
  const uint64_t num_applied = apply();
  held.AddKeys(update == Update::kErase ? 0 - num_applied : num_applied);
  return num_applied;
}

}  // namespace trommel
