// Batches cut into chunks (scalable_chunk.h), each with room to work.
#include "engine/src/scalable_update.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "engine/src/key_chunks.h"
#include "engine/src/scalable_chunk.h"

namespace trommel {
namespace {

// With threads to share it a chunk is what is worth sharing.
constexpr size_t kChunkAlone = BlockStore::kMaxBatch;
constexpr size_t kChunkShared = size_t{1} << 16;
// Below, arrays on the stack are enough.
constexpr size_t kFewKeys = 64;

// Calls work(desk) with room for num_keys.
template <class Work>
void WithDesk(size_t num_keys, const Work& work) {
  if (num_keys <= kFewKeys) {
    std::array<uint64_t, kFewKeys> digests;
    std::array<uint8_t, kFewKeys> homes;
    std::array<uint64_t, kFewKeys> batch;
    std::array<uint32_t, kFewKeys> places;
    std::array<uint64_t, 1> answers;
    return work(ScalableDesk{digests, homes, batch, places, answers});
  }
  std::vector<uint64_t> words(2 * num_keys + (num_keys + 63) / 64);
  std::vector<uint32_t> places(num_keys);
  std::vector<uint8_t> homes(num_keys);
  const std::span<uint64_t> all(words);
  work(ScalableDesk{all.first(num_keys), homes, all.subspan(num_keys, num_keys), places,
                    all.subspan(2 * num_keys)});
}

// Calls work(chunk) for each chunk of the batch.
template <class Work>
void ForEachScalableChunk(const ScalableTarget& target, Keys keys, std::span<uint64_t> answers,
                      const Work& work) {
  const bool is_shared = target.executor != nullptr && target.executor->num_threads() > 1;
  const size_t most = std::min(keys.size(), is_shared ? kChunkShared : kChunkAlone);
  WithDesk(most, [&](const ScalableDesk& desk) {
    for (size_t first = 0; first < keys.size(); first += most) {
      const size_t count = std::min(most, keys.size() - first);
      const std::span<const uint64_t> digests =
          DigestsOf(target.policy, keys, first, count, desk.digests);
      work(ScalableChunk(target, desk, digests, answers, first));
    }
  });
}

}  // namespace

InsertOutcome InsertIntoGenerations(const ScalableTarget& target, Keys keys, bool only_if_absent,
                                    std::span<uint64_t> answers) noexcept {
  InsertOutcome total;
  ForEachScalableChunk(target, keys, answers, [&](ScalableChunk chunk) {
    const InsertOutcome outcome = chunk.Insert(only_if_absent);
    total.num_inserted += outcome.num_inserted;
    total.num_refused += outcome.num_refused;
    if (outcome.num_refused != 0) total.refusal = outcome.refusal;
  });
  return total;
}

uint64_t EraseFromGenerations(const ScalableTarget& target, Keys keys,
                              std::span<uint64_t> answers) noexcept {
  uint64_t num_erased = 0;
  ForEachScalableChunk(target, keys, answers,
                           [&](ScalableChunk chunk) { num_erased += chunk.Erase(); });
  return num_erased;
}

}  // namespace trommel
