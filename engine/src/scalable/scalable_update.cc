// Updates of generations, chunk by chunk (scalable_chunk.h).
#include "engine/src/scalable/scalable_update.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/scalable/arrival_store.h"
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
    const std::span<uint64_t> digests = scratch.digests.first(count);
    target.policy.Digests(keys.Subspan(first, count), digests);
    work(ScalableChunk(target, scratch, digests, answers, first));
  }
}

bool IsLimited(const Generation& generation) {
  return generation.store().side_memory_limit_bytes() != 0;
}

}  // namespace

void ScalableChunk::FindHomes(std::span<const Store* const> stores, Part part, Shown trust) {
  constexpr size_t kFindKeys = size_t{1} << 13;  // of a task: a key may be looked up in many stores
  const auto find = [&](size_t first, size_t count) {
    FindExactHomes(stores, digests_.subspan(first, count), &target_.locks, trust,
                   scratch_.homes.data() + first);
  };
  ForEachTask(target_.executor, part.end - part.begin, kFindKeys,
              [&](size_t first, size_t count) { find(part.begin + first, count); });
}

void ScalableChunk::FindNextHomes(std::span<const Store* const> stores, size_t home_idx,
                                  Part part) {
  const size_t next_idx = home_idx + 1;
  for (size_t i = part.begin; i < part.end; ++i) {
    if (scratch_.homes[i] != home_idx) continue;
    uint8_t found = 0;
    FindExactHomes(stores.subspan(next_idx), digests_.subspan(i, 1), &target_.locks,
                   Shown::kIsTrusted, &found);
    scratch_.homes[i] = static_cast<uint8_t>(next_idx + found);
  }
}

UpdateOutcome ScalableChunk::Apply(Generation& generation, KeyStore& store, Update update,
                                   uint8_t home, Part part) {
  if (!IsHomeOfAny(home, part)) return {};
  size_t num_keys = 0;
  for (size_t i = part.begin; i < part.end; ++i) {
    scratch_.batch[num_keys] = digests_[i];
    scratch_.places[num_keys] = static_cast<uint32_t>(i);
    num_keys += static_cast<size_t>(scratch_.homes[i] == home);
  }
  const BatchTarget target{.store = store,
                           .policy = target_.policy,
                           .executor = target_.executor,
                           .locks = &target_.locks};
  const bool is_erasing = update == Update::kErase;
  if (!is_erasing) generation.AddKeys(num_keys);
  const std::span<uint64_t> bits = scratch_.answers.first((num_keys + 63) / 64);
  const UpdateOutcome outcome =
      UpdateBatch(target, update, Keys::Digests(scratch_.batch.first(num_keys)), bits);
  const uint64_t num_applied = outcome.num_applied;
  // Those that went, or those that did not come in.
  const uint64_t num_gone = is_erasing ? num_applied : num_keys - num_applied;
  if (num_gone != 0 && generation.TakeKeys(num_gone) == 0) is_one_empty_ = true;
  for (size_t k = 0; k < num_keys; ++k) {
    if ((bits[k / 64] >> (k % 64) & 1) == 0) continue;
    scratch_.homes[scratch_.places[k]] = kNowhere;
    if (answers_.empty()) continue;
    const size_t key_idx = first_ + scratch_.places[k];
    answers_[key_idx / 64] |= uint64_t{1} << (key_idx % 64);
  }
  return outcome;
}

InsertOutcome ScalableChunk::Insert(bool only_if_absent) {
  for (size_t begin = 0; begin < digests_.size();) {
    begin = InsertSome(begin, only_if_absent);
    DropEmpty();
    if (full_ == nullptr) continue;
    const GrowthRefusal refusal = target_.generations.Grow(full_);
    if (refusal != GrowthRefusal::kNone) {
      growth_refusal_ = refusal;
    } else {
      std::this_thread::yield();  // others may hold all room, until they have settled
    }
  }
  return outcome_;
}

size_t ScalableChunk::InsertSome(size_t begin, bool only_if_absent) {
  const auto list = target_.generations.LockShared();
  Generation& newest = list->newest();
  uint64_t num_reserved = 0;
  const Part part{begin, Reserve(*list, begin, only_if_absent, num_reserved)};
  const uint64_t num_arrived = only_if_absent ? InsertAbsent(*list, part) : InsertAll(*list, part);
  newest.Settle(num_reserved, num_arrived);
  // Room for some is room: among them were duplicates, perhaps.
  full_ = part.end != digests_.size() && num_reserved == 0 ? &newest : nullptr;
  return part.end;
}

size_t ScalableChunk::Reserve(const GenerationList& list, size_t begin, bool only_if_absent,
                              uint64_t& num_reserved) {
  const auto newest_home = static_cast<uint8_t>(list.size() - 1);
  const auto absent = static_cast<uint8_t>(list.size());
  const Part part{begin, digests_.size()};
  // An insertion need not know what the newest shows, while there is room for all.
  // One that is shown is left alone where only absent keys are wanted: nothing looks at it again.
  const Shown trust = only_if_absent ? Shown::kIsConfirmed : Shown::kIsTrusted;
  FindHomes(only_if_absent ? list.stores() : list.closed_stores(), part, trust);
  const auto num_wanted =
      static_cast<uint64_t>(std::ranges::count(Homes(part), only_if_absent ? absent : newest_home));
  num_reserved = list.newest().Reserve(num_wanted);
  if (num_reserved == num_wanted) return part.end;

  if (!only_if_absent) FindHomes(list.stores(), part, trust);
  const bool is_refused = num_reserved == 0 && growth_refusal_ != GrowthRefusal::kNone;
  uint64_t room = num_reserved;
  for (size_t i = part.begin; i < part.end; ++i) {
    if (scratch_.homes[i] != absent) continue;
    if (room > 0) {
      --room;
    } else if (is_refused) {
      Refuse(i, growth_refusal_);
    } else {
      return i;  // in input order: the first one without room, and all after it, wait
    }
  }
  return part.end;
}

uint64_t ScalableChunk::InsertAbsent(const GenerationList& list, Part part) {
  const auto absent = static_cast<uint8_t>(list.size());
  Generation& newest = list.newest();
  const UpdateOutcome outcome = Apply(newest, Update::kInsertIfAbsent, absent, part);
  outcome_.num_inserted += outcome.num_applied;
  outcome_.num_refused += outcome.num_refused;
  if (outcome.num_refused != 0) outcome_.refusal = GrowthRefusal::kSideMemoryLimit;
  return outcome.num_applied;
}

void ScalableChunk::RefuseHeld(const Generation& generation, uint8_t home, Part part) {
  const Store* const store = &generation.store();
  for (size_t i = part.begin; i < part.end; ++i) {
    if (scratch_.homes[i] != home) continue;
    uint8_t found = 0;
    FindExactHomes(std::span(&store, 1), digests_.subspan(i, 1), &target_.locks,
                   Shown::kIsConfirmed, &found);
    if (found == 0) Refuse(i, GrowthRefusal::kSideMemoryLimit);
  }
}

uint64_t ScalableChunk::InsertIntoLimited(Generation& newest, uint8_t home, Part part) {
  ArrivalStore arrivals(newest.store());
  outcome_.num_inserted +=
      Apply(newest, arrivals, Update::kInsertIfPresent, home, part).num_applied;
  for (size_t i = part.begin; i < part.end; ++i) {
    if (scratch_.homes[i] == home) Refuse(i, GrowthRefusal::kSideMemoryLimit);
  }
  return arrivals.num_new();
}

uint64_t ScalableChunk::InsertAll(const GenerationList& list, Part part) {
  const size_t newest_idx = list.size() - 1;
  for (size_t g = 0; g < newest_idx; ++g) {
    const auto home = static_cast<uint8_t>(g);
    const uint64_t num_here = Apply(list.at(g), Update::kInsertIfPresent, home, part).num_applied;
    outcome_.num_inserted += num_here;
    if (IsLimited(list.at(g))) RefuseHeld(list.at(g), home, part);
    FindNextHomes(list.closed_stores(), g, part);
  }
  // New keys first, then those that it shows already. A third round is needed only if others
  // erase meanwhile what made it show them.
  const auto newest_home = static_cast<uint8_t>(newest_idx);
  std::ranges::replace(Homes(part), static_cast<uint8_t>(list.size()), newest_home);
  if (IsLimited(list.newest())) return InsertIntoLimited(list.newest(), newest_home, part);
  uint64_t num_new = 0;
  while (IsHomeOfAny(newest_home, part)) {
    const uint64_t num_new_now =
        Apply(list.newest(), Update::kInsertIfAbsent, newest_home, part).num_applied;
    const uint64_t num_shown =
        Apply(list.newest(), Update::kInsertIfPresent, newest_home, part).num_applied;
    outcome_.num_inserted += num_new_now + num_shown;
    num_new += num_new_now;
  }
  return num_new;
}

uint64_t ScalableChunk::Erase() {
  uint64_t num_erased = 0;
  {
    const auto list = target_.generations.LockShared();
    const Part part{0, digests_.size()};
    FindHomes(list->stores(), part, Shown::kIsTrusted);
    for (size_t g = 0; g < list->size(); ++g) {
      const uint64_t num_here =
          Apply(list->at(g), Update::kErase, static_cast<uint8_t>(g), part).num_applied;
      num_erased += num_here;
      // Earlier keys of the batch, or others, took what showed some of them.
      if (g + 1 < list->size()) FindNextHomes(list->stores(), g, part);
    }
  }
  DropEmpty();
  return num_erased;
}

// --- Batches, cut into chunks.

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
