#include "engine/src/batches/apply_range.h"

#include "engine/src/keys/key_chunks.h"

namespace trommel {

uint64_t ApplyRange(const UpdateTarget& target, Update update, const uint64_t* digests,
                    const kernels::DigestRange& range, size_t range_idx, uint32_t range_bits,
                    std::span<uint64_t> bits) noexcept {
  const auto apply = [&]() -> uint64_t {
    if (update == Update::kInsert) {
      target.store.Apply(update, digests, range, nullptr);
      return range.end - range.begin;
    }
    // Its first and last word may hold bits of other runs.
    const auto words = bits.subspan(range.begin / 64, (range.end + 63) / 64 - range.begin / 64);
    const uint64_t before = CountBits(words);
    target.store.Apply(update, digests, range, bits.data());
    return CountBits(words) - before;
  };
  if (target.locks == nullptr) return apply();
  RangeLocks::Held held = target.locks->Hold(range_idx, range_bits);
  const uint64_t num_applied = apply();
  held.AddKeys(update == Update::kErase ? 0 - num_applied : num_applied);
  return num_applied;
}

}  // namespace trommel
