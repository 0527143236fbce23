#include "engine/src/batches/locked_update.h"

#include <algorithm>
#include <array>

#include "engine/src/batches/apply_range.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/radix_split.h"
#include "kernels/pipeline.h"

namespace trommel {
namespace {

constexpr size_t kChunk = kernels::kMaxChunkKeys;
// Up to so many keys a lock for each costs less than sorting them.
constexpr size_t kFewKeys = 64;
// Runs of a chunk, at most.
constexpr size_t kMaxRanges = size_t{1} << RangeLocks::kMaxLockBits;

uint64_t UpdateFew(const UpdateTarget& target, Update update, std::span<const uint64_t> digests,
                   uint64_t* answers) {
  const uint32_t lock_bits = target.locks->lock_bits();
  target.store.FetchAhead(digests);
  uint64_t num_applied = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    uint64_t bit = 0;
    num_applied += ApplyRange(target, update, &digests[i], {0, 1, 1},
                              RangeOf(digests[i], lock_bits), lock_bits, std::span(&bit, 1));
    if (answers != nullptr) *answers |= bit << i;  // few keys: one word
  }
  return num_applied;
}

uint64_t UpdateChunk(const UpdateTarget& target, Update update, std::span<const uint64_t> digests,
                     uint64_t* answers) {
  const uint32_t lock_bits = target.locks->lock_bits();
  std::array<uint64_t, kChunk> split;
  std::array<uint16_t, kChunk> ranges_buffer;
  std::array<uint32_t, kMaxRanges + 1> starts;
  const std::span<uint16_t> ranges = std::span(ranges_buffer).first(digests.size());
  SplitByRange(digests, lock_bits, ranges, split, starts);

  std::array<uint64_t, BlockStore::kBitmapWords> split_answers{};
  uint64_t num_applied = 0;
  for (size_t o = 0; o < target.locks->num_locks(); ++o) {
    if (starts[o] == starts[o + 1]) continue;
    // The runs lie side by side and are fetched as one.
    const size_t fetched = starts[o] == 0 ? 0 : starts[o] + kernels::kUpdateDistance;
    const kernels::DigestRange range{starts[o], starts[o + 1], fetched, digests.size()};
    num_applied += ApplyRange(target, update, split.data(), range, o, lock_bits, split_answers);
  }
  if (answers != nullptr) {
    std::array<uint32_t, kMaxRanges> cursors;
    UnsplitAnswers(ranges, starts, split_answers,
                   std::span(cursors).first(target.locks->num_locks()), answers);
  }
  return num_applied;
}

}  // namespace

uint64_t UpdateLocked(const UpdateTarget& target, Update update, Keys keys,
                      std::span<uint64_t> answers) noexcept {
  uint64_t num_applied = 0;
  ForEachChunk(target.policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    uint64_t* chunk_answers = answers.empty() ? nullptr : answers.data() + first / 64;
    if (digests.size() <= kFewKeys) {
      if (chunk_answers != nullptr) *chunk_answers = 0;
      num_applied += UpdateFew(target, update, digests, chunk_answers);
    } else {
      num_applied += UpdateChunk(target, update, digests, chunk_answers);
    }
  });
  return num_applied;
}

}  // namespace trommel
