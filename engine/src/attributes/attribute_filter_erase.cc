// How tuples are erased: from all sets, or from none.
//
// To take a projection from one set and find then that another set lacks the tuple would be too
// late: meanwhile queries would miss another tuple, which shares the projection and is in the
// filter; and putting it back may be refused. So a tuple is first looked up in all sets, in its
// turn, and only what all of them show is taken. No other update may come between: another thread's
// erasures could take what was seen, and so could insertions that are taken back. Erase therefore
// holds the erase_mutex exclusively for the time of a chunk, in which only queries run beside it. A
// set that holds a key can always erase it; so what all sets hold is erased from all sets, and a
// tuple that is given twice but was inserted once is refused the second time. ("Holds" is more than
// a query's "maybe present", which may mean that only hidden keys could tell.)
//
// *Set after set.* The chunk as a whole is looked up first. What a set lacks then it lacks in its
// turn, for erasures make no set hold more: it is refused. Most of the others are free: no set
// holds their value less often than tuples of the chunk have it (GrowingEngine::MarkScarce);
// tuples that are all in are always free. These are erased as one batch from set after set; only
// queries for these very tuples can miss them on the way. Tuples that are scarce in some set are
// erased one by one, in input order. Whether the free ones go before or after changes no answer:
// where a set counts a value that a free tuple and others have, it counts enough for all of them.
//
// No set depends on another in either step, so each step's sets are shared by the executor's
// threads. A tuple that one set lacks may be looked up in others, and marked in them, or not,
// depending on which thread comes first: marks decide how a tuple is erased, never whether it is.
//
// *EraseAll* holds the erase_mutex for the whole batch. Each set looks up the projections of all
// tuples together (blocks/shortfalls.h), and if none lacks any, each erases all of them.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/shortfalls.h"
#include "engine/src/tuples/tuple_batch.h"

namespace trommel {
namespace {

// Small enough that inserters do not wait long, and large enough that locks, and what a batch costs
// at each set, weigh little.
constexpr size_t kEraseChunk = GrowingEngine::kMaxScarceKeys;
static_assert(kEraseChunk % 64 == 0, "a chunk's answers are whole words");
// Tuples times sets: worth being shared, and a task's.
constexpr size_t kWorthSharing = size_t{1} << 14;
constexpr size_t kEraseTask = size_t{1} << 12;

}  // namespace

// A bit for each tuple of a chunk.
struct AttributeFilter::Impl::EraseMarks {
  using Bits = std::array<std::atomic<uint64_t>, kEraseChunk / 64>;

  // The tuples that no set was seen to lack, of a chunk of chunk_size: word `w`.
  uint64_t ShownWord(size_t chunk_size, size_t w) const {
    const size_t num_bits = std::min<size_t>(64, chunk_size - w * 64);
    return ~lacked[w].load(std::memory_order_relaxed) & (~uint64_t{0} >> (64 - num_bits));
  }
  static void Mark(uint32_t place, Bits& bits) {
    bits[place / 64].fetch_or(uint64_t{1} << (place % 64), std::memory_order_relaxed);
  }

  Bits lacked{};  // by some set
  Bits scarce{};  // in some set
};

template <class Work>
void AttributeFilter::Impl::ForEachSet(size_t num_chosen, const Work& work) const {
  Executor* const executor = frame.executor.get();
  if (executor == nullptr || executor->num_threads() == 1 ||
      num_chosen * engines.size() < kWorthSharing) {
    for (size_t s = 0; s < engines.size(); ++s) work(s);
    return;
  }
  const size_t sets_per_task = (kEraseTask + num_chosen - 1) / num_chosen;
  const auto task = [&](size_t t) {
    const size_t end = std::min(engines.size(), (t + 1) * sets_per_task);
    for (size_t s = t * sets_per_task; s < end; ++s) work(s);
  };
  executor->ForEach((engines.size() + sets_per_task - 1) / sets_per_task, std::cref(task));
}

void AttributeFilter::Impl::MarkForErase(size_t set_idx, const Tuples& chunk,
                                         EraseMarks& marks) const {
  std::array<uint64_t, kEraseChunk / 64> bits;
  const auto words = std::span(bits).first(BitmapWords(chunk.size));
  for (size_t w = 0; w < words.size(); ++w) words[w] = marks.ShownWord(chunk.size, w);
  std::array<uint32_t, kEraseChunk> place_room;
  auto places = std::span(place_room).first(PlacesOf(words, chunk.size, place_room.data()));
  if (places.empty()) return;

  std::array<uint64_t, kEraseChunk> buffer;
  const GrowingEngine& engine = *engines[set_idx];
  auto digests = DigestsOf(set_idx, chunk, places, buffer);
  const auto answers = words.first(BitmapWords(places.size()));
  const size_t num_held = engine.QueryExactly(digests, answers);
  if (num_held != places.size()) {
    size_t num_kept = 0;
    for (size_t k = 0; k < places.size(); ++k) {
      if ((answers[k / 64] >> (k % 64) & 1) == 0) {
        EraseMarks::Mark(places[k], marks.lacked);
        continue;
      }
      places[num_kept] = places[k];
      buffer[num_kept++] = digests[k];
    }
    places = places.first(num_kept);
    digests = std::span(buffer).first(num_kept);
  }
  if (places.empty()) return;
  std::array<bool, kEraseChunk> scarce_room;
  const auto scarce = std::span(scarce_room).first(places.size());
  std::ranges::fill(scarce, false);
  engine.MarkScarce(digests, scarce);
  for (size_t k = 0; k < places.size(); ++k) {
    if (scarce[k]) EraseMarks::Mark(places[k], marks.scarce);
  }
}

bool AttributeFilter::Impl::EraseOne(const Tuples& chunk, size_t place) {
  std::array<uint64_t, kMaxAttributes> row;
  const auto tuple = std::span(row).first(frame.sets.num_attributes());
  for (size_t a = 0; a < tuple.size(); ++a) tuple[a] = chunk.columns[a][place];
  // As a query whose parts are all sets: what it fetches is then updated.
  std::array<uint32_t, 64> set_room;
  std::optional<GracePeriods::Reader> inside(memory->Enter());
  for (size_t first = 0; first < engines.size(); first += set_room.size()) {
    const auto set_idxs =
        std::span(set_room).first(std::min(set_room.size(), engines.size() - first));
    std::iota(set_idxs.begin(), set_idxs.end(), static_cast<uint32_t>(first));
    if (!MayContain(set_idxs, tuple, *inside)) return false;
  }
  inside.reset();
  // What queries cannot decide is decided, because no other update runs.
  for (size_t s = 0; s < engines.size(); ++s) {
    if (!engines[s]->Holds(DigestOf(s, tuple))) return false;
  }
  for (size_t s = 0; s < engines.size(); ++s) {
    const uint64_t digest = DigestOf(s, tuple);
    engines[s]->Erase(context(), Keys::Digests({&digest, 1}), {});
  }
  return true;
}

uint64_t AttributeFilter::Impl::EraseChunk(const Tuples& chunk, std::span<uint64_t> erased) {
  const StripedSharedMutex::ExclusiveLock lock(erase_mutex);
  EraseMarks marks;
  if (chunk.size == 1) {
    EraseMarks::Mark(0, marks.scarce);  // cheaper than a batch of one from each set
  } else {
    ForEachSet(chunk.size, [&](size_t s) { MarkForErase(s, chunk, marks); });
  }

  std::array<uint64_t, kEraseChunk / 64> gone;  // at first those that are free
  std::array<uint64_t, kEraseChunk / 64> scarce;
  const size_t num_words = BitmapWords(chunk.size);
  for (size_t w = 0; w < num_words; ++w) {
    const uint64_t shown = marks.ShownWord(chunk.size, w);
    scarce[w] = shown & marks.scarce[w].load(std::memory_order_relaxed);
    gone[w] = shown & ~scarce[w];
  }
  std::array<uint32_t, kEraseChunk> room;
  const size_t num_free = PlacesOf(gone, chunk.size, room.data());
  const auto free = std::span(room).first(num_free);
  if (num_free != 0) {
    ForEachSet(num_free, [&](size_t s) {
      std::array<uint64_t, kEraseChunk> buffer;
      engines[s]->Erase(context(), Keys::Digests(DigestsOf(s, chunk, free, buffer)), {});
    });
  }
  size_t num_erased = num_free;
  const size_t num_scarce = PlacesOf(scarce, chunk.size, room.data());
  for (const uint32_t place : std::span(room).first(num_scarce)) {
    if (!EraseOne(chunk, place)) continue;
    gone[place / 64] |= uint64_t{1} << (place % 64);
    ++num_erased;
  }
  num_tuples.fetch_sub(num_erased, std::memory_order_relaxed);
  num_refused_erases.fetch_add(chunk.size - num_erased, std::memory_order_relaxed);
  if (!erased.empty()) std::copy_n(gone.begin(), num_words, erased.begin());
  return num_erased;
}

EraseOutcome AttributeFilter::Impl::EraseBatch(const Tuples& tuples, std::span<uint64_t> erased) {
  [[maybe_unused]] const auto access = access_check.Enter();
  CheckColumns(tuples, frame.sets.full());
  uint64_t num_erased = 0;
  ForEachTupleChunk(tuples, kEraseChunk, [&](size_t first, const Tuples& chunk) {
    num_erased += EraseChunk(chunk, erased.empty() ? erased : WordsOf(erased, first, chunk.size));
  });
  return {num_erased, tuples.size - num_erased};
}

// --- The whole batch or nothing.

EraseOutcome AttributeFilter::Impl::EraseWhole(const Tuples& tuples, std::span<uint64_t> missing) {
  std::vector<uint64_t> digests(tuples.size);    // one set's, in input order
  std::vector<uint64_t> ascending(tuples.size);  // of those that no earlier set lacks
  std::vector<uint64_t> scratch(missing.empty() ? BitmapWords(tuples.size) : 0);
  const std::span<uint64_t> lacked = missing.empty() ? std::span(scratch) : missing;
  uint64_t num_lacked = 0;
  const auto is_lacked = [&](size_t i) { return (lacked[i / 64] >> (i % 64) & 1) != 0; };

  const StripedSharedMutex::ExclusiveLock lock(erase_mutex);
  for (size_t s = 0; s < engines.size(); ++s) {
    WriteDigests(s, tuples, digests);
    size_t num_left = 0;
    for (size_t i = 0; i < digests.size(); ++i) {
      ascending[num_left] = digests[i];
      num_left += size_t{!is_lacked(i)};
    }
    const std::span<uint64_t> left = std::span(ascending).first(num_left);
    std::ranges::sort(left);
    Shortfalls shortfalls(Shortfalls::Kept::kDigests);
    engines[s]->FindMissing(left, shortfalls);
    if (shortfalls.num_missing() == 0) continue;
    num_lacked += shortfalls.num_missing();
    shortfalls.BeginTelling();
    for (size_t i = 0; i < digests.size(); ++i) {
      if (is_lacked(i) || !shortfalls.IsNextMissing(digests[i])) continue;
      lacked[i / 64] |= uint64_t{1} << (i % 64);
    }
  }
  num_refused_erases.fetch_add(num_lacked, std::memory_order_relaxed);
  if (num_lacked != 0) return {0, num_lacked};

  // No set lacks a copy of any projection, and no other update runs: every erasure finds its own.
  ForEachTupleChunk(tuples, kEraseChunk, [&](size_t, const Tuples& chunk) {
    ForEachSet(chunk.size, [&](size_t s) {
      std::array<uint64_t, kEraseChunk> buffer;
      const auto projections = std::span(buffer).first(chunk.size);
      WriteDigests(s, chunk, projections);
      engines[s]->Erase(context(), Keys::Digests(projections), {});
    });
  });
  num_tuples.fetch_sub(tuples.size, std::memory_order_relaxed);
  return {tuples.size, 0};
}

EraseOutcome AttributeFilter::Erase(const Tuples& tuples) noexcept {
  return impl_->EraseBatch(tuples, {});
}

EraseOutcome AttributeFilter::Erase(const Tuples& tuples, std::span<uint64_t> erased) noexcept {
  CheckBitmap(tuples, sets().full(), erased);
  return impl_->EraseBatch(tuples, erased);
}

Result<EraseOutcome> AttributeFilter::EraseAll(const Tuples& tuples,
                                               std::span<uint64_t> missing) try {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  CheckColumns(tuples, sets().full());
  if (!missing.empty()) CheckBitmap(tuples, sets().full(), missing);
  std::ranges::fill(missing, 0);
  return impl_->EraseWhole(tuples, missing);
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for tuples that are erased as a whole");
}

}  // namespace trommel
