#include "engine/src/batches/update_batch.h"

#include <algorithm>
#include <array>

#include "engine/src/batches/locked_update.h"
#include "engine/src/batches/split_update.h"
#include "engine/src/keys/key_chunks.h"

namespace trommel {
namespace {

uint64_t UpdateDirect(const UpdateTarget& target, Update update, Keys keys,
                      std::span<uint64_t> answers) {
  uint64_t num_applied = 0;
  ForEachChunk(target.policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    std::array<uint64_t, BlockStore::kBitmapWords> bits;
    const size_t num_words = (digests.size() + 63) / 64;
    std::fill_n(bits.begin(), num_words, 0);
    target.store.Apply(update, digests.data(), {0, digests.size()}, bits.data());
    num_applied += CountBits(std::span(bits).first(num_words));
    if (!answers.empty()) std::copy_n(bits.begin(), num_words, answers.begin() + first / 64);
  });
  return update == Update::kInsert ? keys.size() : num_applied;
}

}  // namespace

bool IsWorthSplitting(const Geometry& geometry, uint64_t num_keys, uint32_t num_threads) noexcept {
  if (geometry.shard_bits == 0) return false;
  constexpr uint64_t kWorthThreads = 1 << 14;  // below, starting tasks takes longer than the keys
  if (num_threads > 1) return num_keys >= kWorthThreads;
  // A key of runs touches one line, which costs less than a split, up to the largest filters tried
  // (bench/README.md).
  if (geometry.encoding == Encoding::kRuns) return false;
  // One thread gains by locality only: where blocks are not near anyway, and shared by enough keys.
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  const uint64_t bytes = geometry.num_bytes();
  if (bytes >= 32 * kMiB) return num_keys >= geometry.num_blocks / 2;
  if (bytes >= 24 * kMiB) return num_keys >= geometry.num_blocks;
  return bytes >= 12 * kMiB && num_keys >= 2 * geometry.num_blocks;
}

uint64_t UpdateBatch(const UpdateTarget& target, Update update, Keys keys,
                     std::span<uint64_t> answers) noexcept {
  const bool is_split =
      target.route == Route::kSplit ||
      (target.route == Route::kAutomatic &&
       IsWorthSplitting(target.store.geometry(), keys.size(), target.num_threads()));
  if (is_split) {
    // Where there is no memory for it, the other ways need none.
    if (const auto num_applied = UpdateSplit(target, update, keys, answers)) return *num_applied;
  }
  return target.locks != nullptr ? UpdateLocked(target, update, keys, answers)
                                 : UpdateDirect(target, update, keys, answers);
}

}  // namespace trommel
