// AttributeFilter: how tuples are inserted into all sets or none, and erased from them.
//
// *Insert* works set after set. A tuple that one refuses is taken back from those before, each of
// which holds this very copy of it: a set counts values exactly (growing/growing_store.h), so
// taking it back cannot fail, and leaves each count as it was. A set refuses tuples only where it
// may not grow, and is full.
//
// *Erase* cannot work like that: attribute_filter_erase.cc.
//
// *Queries* take no lock: each set's engine promises that it shows the keys in it
// (growing/growing_shard.h). A tuple is in all sets when Insert returns, so every part of every
// query shows it.
#include "trommel/attribute_filter.h"

#include <algorithm>
#include <array>
#include <new>
#include <numeric>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/tuples/tuple_batch.h"

namespace trommel {
namespace {

// With threads to share it a chunk is what is worth sharing; both are multiples of 64.
constexpr size_t kInsertChunkAlone = kernels::kMaxChunkKeys;
constexpr size_t kInsertChunkShared = size_t{1} << 16;
// Below, arrays on the stack are enough.
constexpr size_t kFewTuples = 64;

}  // namespace

// Memory for so many tuples, or for kFewTuples where there is no memory for more.
struct AttributeFilter::Impl::InsertScratch {
  explicit InsertScratch(size_t num_tuples) {
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
  InsertScratch(const InsertScratch&) = delete;
  InsertScratch& operator=(const InsertScratch&) = delete;

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

InsertOutcome AttributeFilter::Impl::InsertPlaces(const Tuples& chunk, std::span<uint32_t> places,
                                                  const InsertScratch& scratch) {
  InsertOutcome outcome;
  for (size_t s = 0; s < engines.size() && !places.empty(); ++s) {
    const auto digests = DigestsOf(s, chunk, places, scratch.digests);
    const auto bits = scratch.bits.first(BitmapWords(digests.size()));
    std::ranges::fill(bits, 0);
    const InsertOutcome here = engines[s]->Insert(context(), Keys::Digests(digests), false, bits);
    if (here.num_refused == 0) continue;
    outcome.num_refused += here.num_refused;
    outcome.refusal = here.refusal;
    const auto refused = scratch.others.first(here.num_refused);
    size_t num_kept = 0;
    size_t num_refused = 0;
    for (size_t k = 0; k < places.size(); ++k) {
      const bool is_in = (bits[k / 64] >> (k % 64) & 1) != 0;
      (is_in ? places[num_kept++] : refused[num_refused++]) = places[k];
    }
    places = places.first(num_kept);
    TakeBack(chunk, refused, s, scratch);
  }
  outcome.num_inserted = places.size();
  return outcome;
}

InsertOutcome AttributeFilter::Impl::InsertChunk(const Tuples& chunk, const InsertScratch& scratch,
                                                 std::span<uint64_t> inserted) {
  const auto lock = erase_mutex.LockShared();
  const std::span<uint32_t> places = scratch.places.first(chunk.size);
  std::iota(places.begin(), places.end(), 0);
  const InsertOutcome outcome = InsertPlaces(chunk, places, scratch);
  num_tuples.fetch_add(outcome.num_inserted, std::memory_order_relaxed);
  num_refused_inserts.fetch_add(outcome.num_refused, std::memory_order_relaxed);
  if (!inserted.empty()) SetOnly(places.first(outcome.num_inserted), inserted);
  return outcome;
}

void AttributeFilter::Impl::TakeBack(const Tuples& chunk, std::span<const uint32_t> places,
                                     size_t num_sets, const InsertScratch& scratch) {
  for (size_t s = 0; s < num_sets; ++s) {
    const auto digests = DigestsOf(s, chunk, places, scratch.digests);
    engines[s]->Erase(context(), Keys::Digests(digests), {});
  }
}

InsertOutcome AttributeFilter::Impl::InsertBatch(const Tuples& tuples,
                                                 std::span<uint64_t> inserted) {
  [[maybe_unused]] const auto access = access_check.Enter();
  CheckColumns(tuples, frame.sets.full());
  const bool is_shared = frame.executor != nullptr && frame.executor->num_threads() > 1;
  const size_t most = is_shared ? kInsertChunkShared : kInsertChunkAlone;
  const InsertScratch scratch(std::min(tuples.size, most));
  InsertOutcome total;
  ForEachTupleChunk(tuples, scratch.digests.size(), [&](size_t first, const Tuples& chunk) {
    const auto words = inserted.empty() ? inserted : WordsOf(inserted, first, chunk.size);
    const InsertOutcome outcome = InsertChunk(chunk, scratch, words);
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
  CheckBitmap(tuples, sets().full(), inserted);
  return impl_->InsertBatch(tuples, inserted);
}

}  // namespace trommel
