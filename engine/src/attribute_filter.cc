// AttributeFilter: how tuples come into all sets or none, and go.
//
// *Insert* works set after set. A tuple that a set refuses is taken back from the sets before it,
// each of which shows it and holds this very copy of it, so that taking it back cannot fail and
// takes nobody else's. What remains is what erasing leaves: a generation begun for it may stay.
//
// *Erase* may not work like that. To take a projection from one set and find then that another set
// lacks the tuple would be too late: meanwhile queries would miss another tuple, which shares the
// projection and is in; and putting it back may be refused. So every tuple is first asked for in
// all sets, in its turn, and only what all of them show is taken. Nobody may come between: others'
// erasures could take what was seen, and so could insertions that are taken back. Erase therefore
// shuts the gate for the time of a chunk, in which it is alone with the queries. A filter that
// shows a key can give it, always; so what all sets show goes from all sets, and a tuple that is
// given twice but was inserted once is refused the second time.
//
// The chunk as a whole is asked first, set after set. What a set lacks then it lacks in its turn,
// for erasures make no set show more; and the blocks of all others are in the cache after it.
//
// *Queries* take no lock: each set's filter promises that what is in is shown (scalable_filter.cc).
// A tuple is in all sets when Insert returns, so every part of every question shows it.
#include "trommel/attribute_filter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <new>
#include <numeric>

#include "engine/src/attribute_filter_impl.h"
#include "engine/src/block_store.h"
#include "engine/src/check.h"
#include "engine/src/key_chunks.h"
#include "engine/src/projection.h"
#include "engine/src/tuple_choice.h"

namespace trommel {
namespace {

// With threads to share it a chunk is what is worth sharing; both are multiples of 64.
constexpr size_t kInsertChunkAlone = BlockStore::kMaxBatch;
constexpr size_t kInsertChunkShared = size_t{1} << 16;
// Small enough that inserters do not wait long, and that what was asked is still in the cache.
constexpr size_t kEraseChunk = 256;
constexpr size_t kCountChunk = 256;
constexpr size_t kQueryTask = size_t{1} << 14;
// Below, arrays on the stack are enough.
constexpr size_t kFewTuples = 64;

void CheckColumns(const Tuples& tuples, AttributeMask needed) {
  if (tuples.size == 0) return;
  for (AttributeMask rest = needed; rest != 0; rest &= rest - 1) {
    TROMMEL_CHECK(tuples.columns[static_cast<size_t>(std::countr_zero(rest))] != nullptr,
                  "a column that is needed is not given");
  }
}

// Calls visit(first, chunk) for the batch's chunks, in order.
template <class Visit>
void ForEachTupleChunk(const Tuples& tuples, size_t chunk_size, const Visit& visit) {
  for (size_t first = 0; first < tuples.size; first += chunk_size) {
    visit(first, tuples.From(first, std::min(chunk_size, tuples.size - first)));
  }
}

std::span<uint64_t> WordsOf(std::span<uint64_t> bitmap, size_t first, size_t num_tuples) {
  return bitmap.subspan(first / 64, TupleIndex::BitmapWords(num_tuples));
}

void SetAll(size_t num_tuples, std::span<uint64_t> bitmap) {
  std::ranges::fill(bitmap, ~uint64_t{0});
  if (num_tuples % 64 != 0) bitmap.back() >>= 64 - num_tuples % 64;
}

}  // namespace

// Room for so many tuples, or for kFewTuples where there is no memory for more.
struct AttributeFilter::Impl::Desk {
  explicit Desk(size_t num_tuples) {
    if (num_tuples <= kFewTuples) return;
    try {
      words.resize(num_tuples + TupleIndex::BitmapWords(num_tuples));
      numbers.resize(2 * num_tuples);
    } catch (const std::bad_alloc&) {
      return;
    }
    digests = std::span(words).first(num_tuples);
    bits = std::span(words).subspan(num_tuples);
    places = std::span(numbers).first(num_tuples);
    others = std::span(numbers).subspan(num_tuples);
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  std::array<uint64_t, kFewTuples + 1> few_words;
  std::array<uint32_t, 2 * kFewTuples> few_numbers;
  std::vector<uint64_t> words;
  std::vector<uint32_t> numbers;
  std::span<uint64_t> digests = std::span(few_words).first(kFewTuples);
  std::span<uint64_t> bits = std::span(few_words).last(1);
  std::span<uint32_t> places = std::span(few_numbers).first(kFewTuples);
  std::span<uint32_t> others = std::span(few_numbers).last(kFewTuples);
};

// --- Insert.

InsertOutcome AttributeFilter::Impl::InsertChunk(const Tuples& chunk, const Desk& desk,
                                                 std::span<uint64_t> inserted) {
  const auto passage = gate.Pass();
  std::span<uint32_t> places = desk.places.first(chunk.size);
  std::iota(places.begin(), places.end(), 0);
  InsertOutcome outcome;
  for (size_t s = 0; s < filters.size() && !places.empty(); ++s) {
    const std::span<const uint64_t> digests =
        ChosenDigests(frame.sets.allowed()[s], chunk, places, desk.digests);
    const auto bits = desk.bits.first(BitmapWords(digests.size()));
    const InsertOutcome here = filters[s].Insert(Keys::Digests(digests), bits);
    if (here.num_refused == 0) continue;
    outcome.num_refused += here.num_refused;
    outcome.refusal = here.refusal;
    const auto refused = desk.others.first(here.num_refused);
    size_t num_kept = 0;
    size_t num_refused = 0;
    for (size_t k = 0; k < places.size(); ++k) {
      const bool is_in = (bits[k / 64] >> (k % 64) & 1) != 0;
      (is_in ? places[num_kept++] : refused[num_refused++]) = places[k];
    }
    places = places.first(num_kept);
    TakeBack(chunk, refused, s, desk);
  }
  outcome.num_inserted = places.size();
  num_tuples.fetch_add(outcome.num_inserted, std::memory_order_relaxed);
  num_refused_inserts.fetch_add(outcome.num_refused, std::memory_order_relaxed);
  if (!inserted.empty()) SetOnly(places, inserted);
  return outcome;
}

void AttributeFilter::Impl::TakeBack(const Tuples& chunk, std::span<const uint32_t> places,
                                     size_t num_sets, const Desk& desk) {
  for (size_t s = 0; s < num_sets; ++s) {
    filters[s].Erase(
        Keys::Digests(ChosenDigests(frame.sets.allowed()[s], chunk, places, desk.digests)));
  }
}

InsertOutcome AttributeFilter::Impl::InsertBatch(const Tuples& tuples,
                                                 std::span<uint64_t> inserted) {
  [[maybe_unused]] const auto use = users.Enter();
  CheckColumns(tuples, frame.sets.full());
  const bool is_shared = frame.executor != nullptr && frame.executor->num_threads() > 1;
  const Desk desk(std::min(tuples.size, is_shared ? kInsertChunkShared : kInsertChunkAlone));
  InsertOutcome total;
  ForEachTupleChunk(tuples, desk.digests.size(), [&](size_t first, const Tuples& chunk) {
    const auto words = inserted.empty() ? inserted : WordsOf(inserted, first, chunk.size);
    const InsertOutcome outcome = InsertChunk(chunk, desk, words);
    total.num_inserted += outcome.num_inserted;
    total.num_refused += outcome.num_refused;
    if (outcome.num_refused != 0) total.refusal = outcome.refusal;
  });
  return total;
}

InsertOutcome AttributeFilter::Insert(const Tuples& tuples) noexcept {
  return impl_->InsertBatch(tuples, {});
}

InsertOutcome AttributeFilter::Insert(const Tuples& tuples, std::span<uint64_t> inserted) noexcept {
  TROMMEL_CHECK(inserted.size() == BitmapWords(tuples.size), "bitmap of another size");
  return impl_->InsertBatch(tuples, inserted);
}

// --- Erase.

size_t AttributeFilter::Impl::PlacesInAllSets(const Tuples& chunk,
                                              std::span<uint32_t> places) const {
  std::array<uint64_t, kEraseChunk> buffer;
  std::array<uint64_t, kEraseChunk / 64> bits;
  std::iota(places.begin(), places.end(), 0);
  for (size_t s = 0; s < filters.size() && !places.empty(); ++s) {
    const auto digests = ChosenDigests(frame.sets.allowed()[s], chunk, places, buffer);
    const auto words = std::span(bits).first(BitmapWords(digests.size()));
    const size_t num_shown = filters[s].Query(Keys::Digests(digests), words);
    if (num_shown != places.size()) places = places.first(KeepPlaces(words, places));
  }
  return places.size();
}

bool AttributeFilter::Impl::EraseOne(const Tuples& tuple) {
  const auto digest_for = [&](size_t s) {
    uint64_t digest = 0;
    ProjectionDigests(frame.sets.allowed()[s], tuple, std::span(&digest, 1));
    return Key::Digest(digest);
  };
  for (size_t s = 0; s < filters.size(); ++s) {
    if (!filters[s].MayContain(digest_for(s))) return false;
  }
  for (size_t s = 0; s < filters.size(); ++s) filters[s].Erase(digest_for(s));
  return true;
}

uint64_t AttributeFilter::Impl::EraseChunk(const Tuples& chunk, std::span<uint64_t> erased) {
  const Gate::Shut alone(gate);
  std::array<uint32_t, kEraseChunk> places;
  const size_t num_shown = PlacesInAllSets(chunk, std::span(places).first(chunk.size));
  size_t num_erased = 0;
  for (size_t k = 0; k < num_shown; ++k) {
    if (!EraseOne(chunk.From(places[k], 1))) continue;
    places[num_erased++] = places[k];
  }
  num_tuples.fetch_sub(num_erased, std::memory_order_relaxed);
  num_refused_erases.fetch_add(chunk.size - num_erased, std::memory_order_relaxed);
  if (!erased.empty()) SetOnly(std::span(places).first(num_erased), erased);
  return num_erased;
}

EraseOutcome AttributeFilter::Impl::EraseBatch(const Tuples& tuples, std::span<uint64_t> erased) {
  [[maybe_unused]] const auto use = users.Enter();
  CheckColumns(tuples, frame.sets.full());
  uint64_t num_erased = 0;
  ForEachTupleChunk(tuples, kEraseChunk, [&](size_t first, const Tuples& chunk) {
    num_erased += EraseChunk(chunk, erased.empty() ? erased : WordsOf(erased, first, chunk.size));
  });
  return {num_erased, tuples.size - num_erased};
}

EraseOutcome AttributeFilter::Erase(const Tuples& tuples) noexcept {
  return impl_->EraseBatch(tuples, {});
}

EraseOutcome AttributeFilter::Erase(const Tuples& tuples, std::span<uint64_t> erased) noexcept {
  TROMMEL_CHECK(erased.size() == BitmapWords(tuples.size), "bitmap of another size");
  return impl_->EraseBatch(tuples, erased);
}

// --- Queries.

size_t AttributeFilter::Impl::QueryChunk(std::span<const uint32_t> parts, const Tuples& chunk,
                                         std::span<uint64_t> maybe_present) const {
  std::array<uint64_t, BlockStore::kMaxBatch> buffer;
  const auto ask = [&](uint32_t set_idx, std::span<const uint32_t> places,
                       std::span<uint64_t> answers) {
    const AttributeMask set = frame.sets.allowed()[set_idx];
    const auto digests = ChosenDigests(set, chunk, places, buffer);
    return filters[set_idx].Query(Keys::Digests(digests), answers);
  };
  std::array<uint32_t, BlockStore::kMaxBatch> place_room;
  const std::span<uint32_t> all = std::span(place_room).first(chunk.size);
  size_t num_shown = ask(parts.front(), all, maybe_present);
  if (parts.size() == 1 || num_shown == 0) return num_shown;

  std::array<uint64_t, BlockStore::kBitmapWords> bits;
  PlacesOf(maybe_present, chunk.size, all.data());
  auto places = all.first(num_shown);
  for (const uint32_t set_idx : parts.subspan(1)) {
    const auto answers = std::span(bits).first(BitmapWords(places.size()));
    num_shown = ask(set_idx, places, answers);
    if (num_shown != places.size()) places = places.first(KeepPlaces(answers, places));
    if (places.empty()) break;
  }
  SetOnly(places, maybe_present);
  return places.size();
}

size_t AttributeFilter::Query(AttributeMask asked, const Tuples& tuples,
                              std::span<uint64_t> maybe_present) const noexcept {
  TROMMEL_CHECK(maybe_present.size() == BitmapWords(tuples.size), "bitmap of another size");
  TROMMEL_CHECK(CanAnswer(asked), "a question beyond the attributes");
  CheckColumns(tuples, asked);
  [[maybe_unused]] const auto use = impl_->users.Enter();
  const std::span<const uint32_t> parts = impl_->plans.Of(asked);
  if (parts.empty()) {
    SetAll(tuples.size, maybe_present);
    return tuples.size;
  }
  std::atomic<size_t> num_present{0};
  const auto work = [&](size_t begin, size_t num_tuples) {
    size_t num_here = 0;
    ForEachTupleChunk(tuples.From(begin, num_tuples), BlockStore::kMaxBatch,
                      [&](size_t first, const Tuples& chunk) {
                        num_here += impl_->QueryChunk(
                            parts, chunk, WordsOf(maybe_present, begin + first, chunk.size));
                      });
    num_present.fetch_add(num_here, std::memory_order_relaxed);
  };
  Executor* executor = impl_->frame.executor.get();
  if (executor == nullptr || tuples.size <= kQueryTask) {
    work(0, tuples.size);
  } else {
    executor->ForEach((tuples.size + kQueryTask - 1) / kQueryTask, [&](size_t t) {
      work(t * kQueryTask, std::min(kQueryTask, tuples.size - t * kQueryTask));
    });
  }
  return num_present.load(std::memory_order_relaxed);
}

void AttributeFilter::CountEstimates(AttributeMask asked, const Tuples& tuples,
                                     std::span<uint64_t> counts) const noexcept {
  TROMMEL_CHECK(counts.size() == tuples.size, "counts of another size");
  TROMMEL_CHECK(CanAnswer(asked), "a question beyond the attributes");
  CheckColumns(tuples, asked);
  [[maybe_unused]] const auto use = impl_->users.Enter();
  std::ranges::fill(counts, num_tuples());
  std::array<uint64_t, kCountChunk> digests;
  std::array<uint64_t, kCountChunk> counts_here;
  for (const uint32_t set_idx : impl_->plans.Of(asked)) {
    const AttributeMask set = sets().allowed()[set_idx];
    ForEachTupleChunk(tuples, kCountChunk, [&](size_t first, const Tuples& chunk) {
      const auto keys = std::span(digests).first(chunk.size);
      ProjectionDigests(set, chunk, keys);
      impl_->filters[set_idx].CountEstimates(Keys::Digests(keys),
                                             std::span(counts_here).first(chunk.size));
      for (size_t i = 0; i < chunk.size; ++i) {
        counts[first + i] = std::min(counts[first + i], counts_here[i]);
      }
    });
  }
}

}  // namespace trommel
