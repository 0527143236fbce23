// What of a batch a growing shard could not erase.
//
// At most one string begins the bits of a key (growing_store.h), and its count is what the keys
// that it begins share. These stand together among ascending digests: so their copies are compared
// with one count after the other. A step that comes while a batch is erased cuts strings off, and
// what becomes equal adds up: all that was found is still there.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/src/growing/growing_shard.h"
#include "engine/src/growing/growing_store.h"

namespace trommel {

void GrowingShard::FindMissing(const GrowingStore& store, std::span<const uint64_t> digests,
                               Shortfalls& shortfalls) const {
  // The string that counts a digest, and whether there is one: else the digest is by itself.
  const auto counter_of = [this](uint64_t digest) -> std::pair<uint64_t, bool> {
    const uint64_t y = kernels::BitsInShard(digest);
    if (keeps_digests()) return {y, false};
    const Place place = PlaceOf(y);
    const uint32_t code = strings_.MatchOf(place.segment, place.idx, place.prefix, place.key);
    if (code == 0) return {y, false};
    return {StringOf(place.prefix, place.segment.depth(), code), true};
  };
  ForEachHome(store, digests, counter_of, [&](std::span<const uint64_t> of_counter) {
    NoteOfOneCounter(of_counter, CountEstimate(of_counter.front()), shortfalls);
  });
}

void GrowingStore::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  if (!digests.empty()) ShardOf(digests.front()).FindMissing(*this, digests, shortfalls);
}

}  // namespace trommel
