// What of a batch a growing shard could not erase.
//
// A key is erased from a string that begins its bits, the longest that is left. Strings that begin
// one key begin each other, so of two that a key could take the longer one serves fewer others: to
// take the longest that is left, for one key after another, covers as many keys as there can be,
// in whatever order. A step that comes while a batch is erased cuts strings off, and so only makes
// them begin more keys.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "engine/src/growing/growing_shard.h"
#include "engine/src/growing/growing_store.h"

namespace trommel {

void GrowingShard::FindMissing(const GrowingStore& store, std::span<const uint64_t> digests,
                               Shortfalls& shortfalls) const {
  if (keeps_digests()) {
    ForEachHome(store, digests, std::identity(), [&](std::span<const uint64_t> of_digest) {
      NoteOfOneCounter(of_digest, CountEstimate(of_digest.front()), shortfalls);
    });
    return;
  }
  const auto block_of = [this](uint64_t digest) {
    const Place place = PlaceOf(kernels::BitsInShard(digest));
    return std::pair(place.segment.word(), place.idx);
  };
  ForEachHome(store, digests, block_of, [&](std::span<const uint64_t> of_block) {
    const Place block = PlaceOf(kernels::BitsInShard(of_block.front()));
    BlockContents left = strings_.Read(block.segment, block.idx, block.prefix);
    ForEachDistinct(of_block, [&](uint64_t digest, uint64_t num_copies) {
      const uint32_t key = kernels::GrowingKey(kernels::BitsInShard(digest), block.segment.depth());
      uint64_t num_covered = 0;
      while (num_covered < num_copies) {
        const uint32_t code = BlockStrings::LongestMatch(left, key);
        if (code == 0) break;
        const uint64_t num_taken = std::min(CountIn(left, code), num_copies - num_covered);
        RemoveFrom(left, code, num_taken);
        num_covered += num_taken;
      }
      shortfalls.Note(digest, num_copies, num_covered);
    });
  });
}

void GrowingStore::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  if (!digests.empty()) ShardOf(digests.front()).FindMissing(*this, digests, shortfalls);
}

}  // namespace trommel
