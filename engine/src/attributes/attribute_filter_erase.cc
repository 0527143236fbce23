// How tuples are erased: from all sets, or from none.
//
// To take a projection from one set and find then that another set lacks the tuple would be too
// late: meanwhile queries would miss another tuple, which shares the projection and is in the
// filter; and putting it back may be refused. So a tuple is first looked up in all sets, in its
// turn, and only what all of them show is taken. No other update may come between: another thread's
// erasures could take what was seen, and so could insertions that are taken back. Erase therefore
// holds the erase_mutex exclusively for the time of a chunk, in which only queries run beside it. A
// filter that shows a key can always erase it; so what all sets show is erased from all sets, and a
// tuple that is given twice but was inserted once is refused the second time.
//
// *Set after set.* The chunk as a whole is looked up first. What a set lacks then it lacks in its
// turn, for erasures make no set show more: it is refused. Most of the others are free: in no set
// can another tuple of the chunk take what shows them, nor can they take what shows another one
// (erase_conflicts.h). These are erased as one batch from set after set; only queries for these
// very tuples can miss them on the way. Tuples that conflict in some set are erased one by one, in
// input order. Whether the free ones go before or after changes no answer: a conflict is between
// two tuples that are both marked, and where a free one shares a block with a marked one there are
// counts enough for all.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/scalable/erase_conflicts.h"
#include "engine/src/scalable/scalable_parts.h"
#include "engine/src/tuples/projection.h"
#include "engine/src/tuples/tuple_batch.h"

namespace trommel {
namespace {

// Small enough that inserters do not wait long, and that what was looked up is still in the cache.
constexpr size_t kEraseChunk = kMaxConflictKeys;
static_assert(kEraseChunk % 64 == 0, "a chunk's answers are whole words");

// The smaller a filter, the more tuples of a chunk share blocks: at most one in four, if all values
// are different.
size_t EraseChunkFor(std::span<const ScalableFilter> filters) {
  uint64_t num_blocks = kEraseChunk * kEraseChunk;
  for (const ScalableFilter& filter : filters) {
    num_blocks = std::min(num_blocks, ScalableParts::LeastBlocks(filter));
  }
  size_t chunk_size = kEraseChunk;
  while (chunk_size > 64 && chunk_size > num_blocks / 8) chunk_size /= 2;
  return chunk_size;
}

}  // namespace

size_t AttributeFilter::Impl::PlacesInAllSets(const Tuples& chunk,
                                              std::span<uint32_t> places) const {
  std::array<uint64_t, kEraseChunk> buffer;
  std::array<uint64_t, kEraseChunk / 64> bits;
  std::iota(places.begin(), places.end(), 0U);
  for (size_t s = 0; s < filters.size() && !places.empty(); ++s) {
    const auto digests = ChosenDigests(frame.sets.allowed()[s], chunk, places, buffer);
    const auto words = std::span(bits).first(BitmapWords(digests.size()));
    const size_t num_shown = filters[s].Query(Keys::Digests(digests), words);
    if (num_shown != places.size()) places = places.first(KeepPlaces(words, places));
  }
  return places.size();
}

size_t AttributeFilter::Impl::MoveConflictsBack(const Tuples& chunk,
                                                std::span<uint32_t> places) const {
  std::array<uint64_t, kEraseChunk> buffer;
  std::array<bool, kEraseChunk> conflicts{};
  const auto marks = std::span(conflicts).first(places.size());
  for (size_t s = 0; s < filters.size(); ++s) {
    const auto digests = ChosenDigests(frame.sets.allowed()[s], chunk, places, buffer);
    MarkEraseConflicts(filters[s], digests, marks);
  }
  std::array<uint32_t, kEraseChunk> marked;
  size_t num_marked = 0;
  size_t num_free = 0;
  for (size_t k = 0; k < places.size(); ++k) {
    (marks[k] ? marked[num_marked++] : places[num_free++]) = places[k];
  }
  std::copy_n(marked.begin(), num_marked, places.subspan(num_free).begin());
  return num_free;
}

bool AttributeFilter::Impl::EraseOne(const Tuples& tuple) {
  const auto digest_for = [&](size_t s) {
    uint64_t digest = 0;
    trommel::ProjectionDigests(frame.sets.allowed()[s], tuple, std::span(&digest, 1));
    return Key::Digest(digest);
  };
  for (size_t s = 0; s < filters.size(); ++s) {
    if (!filters[s].MayContain(digest_for(s))) return false;
  }
  for (size_t s = 0; s < filters.size(); ++s) filters[s].Erase(digest_for(s));
  return true;
}

uint64_t AttributeFilter::Impl::EraseChunk(const Tuples& chunk, std::span<uint64_t> erased) {
  const StripedSharedMutex::ExclusiveLock lock(erase_mutex);
  std::array<uint32_t, kEraseChunk> room;
  const size_t num_shown = PlacesInAllSets(chunk, std::span(room).first(chunk.size));
  const auto shown = std::span(room).first(num_shown);
  const size_t num_free = MoveConflictsBack(chunk, shown);

  std::array<uint64_t, kEraseChunk> buffer;
  for (size_t s = 0; s < filters.size() && num_free != 0; ++s) {
    const auto free = shown.first(num_free);
    filters[s].Erase(Keys::Digests(ChosenDigests(frame.sets.allowed()[s], chunk, free, buffer)));
  }
  size_t num_erased = num_free;
  for (const uint32_t place : shown.subspan(num_free)) {
    if (EraseOne(chunk.From(place, 1))) shown[num_erased++] = place;
  }
  num_tuples.fetch_sub(num_erased, std::memory_order_relaxed);
  num_refused_erases.fetch_add(chunk.size - num_erased, std::memory_order_relaxed);
  if (!erased.empty()) SetOnly(shown.first(num_erased), erased);
  return num_erased;
}

EraseOutcome AttributeFilter::Impl::EraseBatch(const Tuples& tuples, std::span<uint64_t> erased) {
  [[maybe_unused]] const auto access = access_check.Enter();
  CheckColumns(tuples, frame.sets.full());
  uint64_t num_erased = 0;
  ForEachTupleChunk(tuples, EraseChunkFor(filters), [&](size_t first, const Tuples& chunk) {
    num_erased += EraseChunk(chunk, erased.empty() ? erased : WordsOf(erased, first, chunk.size));
  });
  return {num_erased, tuples.size - num_erased};
}

EraseOutcome AttributeFilter::Erase(const Tuples& tuples) noexcept {
  return impl_->EraseBatch(tuples, {});
}

EraseOutcome AttributeFilter::Erase(const Tuples& tuples, std::span<uint64_t> erased) noexcept {
  CheckBitmap(tuples, sets().full(), erased);
  return impl_->EraseBatch(tuples, erased);
}

}  // namespace trommel
