#include "engine/src/scalable/scalable_chunk.h"

#include <thread>

#include "engine/src/batches/update_batch.h"
#include "engine/src/blocks/store_list.h"
#include "engine/src/keys/parallel_batch.h"

namespace trommel {
namespace {

constexpr uint8_t kNowhere = UINT8_MAX;  // as a home: the key is done, or refused
static_assert(ScalableFilter::kMaxGenerations < kNowhere);

}  // namespace

void ScalableChunk::FindHomes(std::span<const BlockStore* const> stores, Part part) {
  constexpr size_t kFindKeys = size_t{1} << 13;  // of a task: a key may be looked up in many stores
  const auto find = [&](size_t first, size_t count) {
    FindOldest(stores, digests_.subspan(first, count), scratch_.homes.data() + first);
  };
  ForEachTask(target_.executor, part.end - part.begin, kFindKeys,
              [&](size_t first, size_t count) { find(part.begin + first, count); });
}

void ScalableChunk::FindNextHomes(std::span<const BlockStore* const> stores, size_t home_idx,
                                  Part part) {
  const size_t next_idx = home_idx + 1;
  for (size_t i = part.begin; i < part.end; ++i) {
    if (scratch_.homes[i] != home_idx) continue;
    uint8_t found = 0;
    FindOldest(stores.subspan(next_idx), digests_.subspan(i, 1), &found);
    scratch_.homes[i] = static_cast<uint8_t>(next_idx + found);
  }
}

uint64_t ScalableChunk::Apply(Generation& generation, Update update, uint8_t home, Part part) {
  if (!IsHomeOfAny(home, part)) return 0;
  size_t num_keys = 0;
  for (size_t i = part.begin; i < part.end; ++i) {
    scratch_.batch[num_keys] = digests_[i];
    scratch_.places[num_keys] = static_cast<uint32_t>(i);
    num_keys += static_cast<size_t>(scratch_.homes[i] == home);
  }
  const UpdateTarget target{.store = generation.store,
                            .policy = target_.policy,
                            .executor = target_.executor,
                            .locks = &target_.locks};
  const bool is_erasing = update == Update::kErase;
  if (!is_erasing) generation.AddKeys(num_keys);
  const std::span<uint64_t> bits = scratch_.answers.first((num_keys + 63) / 64);
  const uint64_t num_applied =
      UpdateBatch(target, update, Keys::Digests(scratch_.batch.first(num_keys)), bits);
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
  return num_applied;
}

InsertOutcome ScalableChunk::Insert(bool only_if_absent) {
  for (size_t begin = 0; begin < digests_.size();) {
    begin = InsertSome(begin, only_if_absent);
    DropEmpty();
    if (full_ == nullptr) continue;
    const GrowthRefusal refusal = target_.generations.Grow(full_);
    if (refusal != GrowthRefusal::kNone) {
      outcome_.refusal = refusal;
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
  FindHomes(only_if_absent ? list.stores() : list.closed_stores(), part);
  const auto num_wanted =
      static_cast<uint64_t>(std::ranges::count(Homes(part), only_if_absent ? absent : newest_home));
  num_reserved = list.newest().Reserve(num_wanted);
  if (num_reserved == num_wanted) return part.end;

  if (!only_if_absent) FindHomes(list.stores(), part);
  const bool is_refused = num_reserved == 0 && outcome_.refusal != GrowthRefusal::kNone;
  uint64_t room = num_reserved;
  for (size_t i = part.begin; i < part.end; ++i) {
    if (scratch_.homes[i] != absent) continue;
    if (room > 0) {
      --room;
    } else if (is_refused) {
      scratch_.homes[i] = kNowhere;
      ++outcome_.num_refused;
    } else {
      return i;  // in input order: the first one without room, and all after it, wait
    }
  }
  return part.end;
}

uint64_t ScalableChunk::InsertAbsent(const GenerationList& list, Part part) {
  const auto absent = static_cast<uint8_t>(list.size());
  const uint64_t num_new = Apply(list.newest(), Update::kInsertIfAbsent, absent, part);
  outcome_.num_inserted += num_new;
  return num_new;
}

uint64_t ScalableChunk::InsertAll(const GenerationList& list, Part part) {
  const size_t newest_idx = list.size() - 1;
  for (size_t g = 0; g < newest_idx; ++g) {
    const auto home = static_cast<uint8_t>(g);
    const uint64_t num_here = Apply(list.at(g), Update::kInsertIfPresent, home, part);
    outcome_.num_inserted += num_here;
    FindNextHomes(list.closed_stores(), g, part);
  }
  // New keys first, then those that it shows already. A third round is needed only if others
  // erase meanwhile what made it show them.
  const auto newest_home = static_cast<uint8_t>(newest_idx);
  std::ranges::replace(Homes(part), static_cast<uint8_t>(list.size()), newest_home);
  uint64_t num_new = 0;
  while (IsHomeOfAny(newest_home, part)) {
    const uint64_t num_new_now = Apply(list.newest(), Update::kInsertIfAbsent, newest_home, part);
    const uint64_t num_shown = Apply(list.newest(), Update::kInsertIfPresent, newest_home, part);
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
    FindHomes(list->stores(), part);
    for (size_t g = 0; g < list->size(); ++g) {
      const uint64_t num_here = Apply(list->at(g), Update::kErase, static_cast<uint8_t>(g), part);
      num_erased += num_here;
      // Earlier keys of the batch, or others, took what showed some of them.
      if (g + 1 < list->size()) FindNextHomes(list->stores(), g, part);
    }
  }
  DropEmpty();
  return num_erased;
}

}  // namespace trommel
