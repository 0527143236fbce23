// Batches cut into chunks (scalable_chunk.h), each with room to work.
#include "engine/src/scalable/scalable_update.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <vector>

#include "engine/src/keys/key_chunks.h"
#include "engine/src/scalable/scalable_chunk.h"

namespace trommel {
namespace {

// With threads to share it a chunk is what is worth sharing.
constexpr size_t kChunkAlone = kernels::kMaxChunkKeys;
constexpr size_t kChunkShared = size_t{1} << 16;
// Below, arrays on the stack are enough.
constexpr size_t kFewKeys = 64;

// A scratch for this many keys, or for kFewKeys where these are enough or there is no memory for
// more.
struct ScratchMemory {
  explicit ScratchMemory(size_t num_keys) {
    if (num_keys <= kFewKeys) return;
    try {
      words.resize(2 * num_keys + (num_keys + 63) / 64);
      places.resize(num_keys);
      homes.resize(num_keys);
    } catch (const std::bad_alloc&) {
      return;
    }
    const std::span<uint64_t> all(words);
    scratch = {all.first(num_keys), homes, all.subspan(num_keys, num_keys), places,
               all.subspan(2 * num_keys)};
  }
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  std::array<uint64_t, 2 * kFewKeys + 1> few_words;
  std::array<uint32_t, kFewKeys> few_places;
  std::array<uint8_t, kFewKeys> few_homes;
  std::vector<uint64_t> words;
  std::vector<uint32_t> places;
  std::vector<uint8_t> homes;
  ScalableScratch scratch = {std::span(few_words).first(kFewKeys), few_homes,
                             std::span(few_words).subspan(kFewKeys, kFewKeys), few_places,
                             std::span(few_words).last(1)};
};

// Calls work(chunk) for each chunk of the batch.
template <class Work>
void ForEachScalableChunk(const ScalableTarget& target, Keys keys, std::span<uint64_t> answers,
                          const Work& work) {
  const bool is_shared = target.executor != nullptr && target.executor->num_threads() > 1;
  const ScratchMemory memory(std::min(keys.size(), is_shared ? kChunkShared : kChunkAlone));
  const ScalableScratch& scratch = memory.scratch;
  for (size_t first = 0; first < keys.size(); first += scratch.digests.size()) {
    const size_t count = std::min(scratch.digests.size(), keys.size() - first);
    const std::span<const uint64_t> digests =
        DigestsOf(target.policy, keys, first, count, scratch.digests);
    work(ScalableChunk(target, scratch, digests, answers, first));
  }
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
