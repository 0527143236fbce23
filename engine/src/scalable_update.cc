// A batch goes chunk by chunk. Every chunk is first asked, without a lock, which generation each
// key is for; then each generation gets its keys as one batch of its own, under the locks:
//
//   keys            a   b   c   d   e   f
//   oldest shown    -   0   -   2   -   0          "-": shown by none, for the newest
//   batches         generation 0: b f     generation 2: d     newest: a c e
//
// Between asking and applying others may have erased the keys that made a generation show ours. It
// then refuses the key, which is asked about again, from the next generation on. The other way
// round nothing can happen: closed generations never show more than they did.
#include "engine/src/scalable_update.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/src/key_chunks.h"
#include "engine/src/store_list.h"
#include "engine/src/update_batch.h"

namespace trommel {
namespace {

// With threads to share it a chunk is what is worth sharing.
constexpr size_t kChunkAlone = BlockStore::kMaxBatch;
constexpr size_t kChunkShared = size_t{1} << 16;
// Below, arrays on the stack are enough.
constexpr size_t kFewKeys = 64;
constexpr uint8_t kNowhere = UINT8_MAX;  // as a home: the key is done, or refused
static_assert(ScalableFilter::kMaxGenerations < kNowhere);

// Room for the work on a chunk: of its keys, and of those of one generation.
struct Desk {
  std::span<uint64_t> digests;
  std::span<uint8_t> homes;     // index of the generation that each key is for
  std::span<uint64_t> batch;    // the digests for one generation, in input order,
  std::span<uint32_t> places;   // and which keys of the chunk they are
  std::span<uint64_t> answers;  // theirs
};

// Calls work(desk) with room for num_keys.
template <class Work>
void WithDesk(size_t num_keys, const Work& work) {
  if (num_keys <= kFewKeys) {
    std::array<uint64_t, kFewKeys> digests;
    std::array<uint8_t, kFewKeys> homes;
    std::array<uint64_t, kFewKeys> batch;
    std::array<uint32_t, kFewKeys> places;
    std::array<uint64_t, 1> answers;
    return work(Desk{digests, homes, batch, places, answers});
  }
  std::vector<uint64_t> words(2 * num_keys + (num_keys + 63) / 64);
  std::vector<uint32_t> places(num_keys);
  std::vector<uint8_t> homes(num_keys);
  const std::span<uint64_t> all(words);
  work(Desk{all.first(num_keys), homes, all.subspan(num_keys, num_keys), places,
            all.subspan(2 * num_keys)});
}

// The work on one chunk.
class Chunk {
 public:
  // `answers` are the whole batch's, of which the chunk's begin at key `first`.
  Chunk(const ScalableTarget& target, const Desk& desk, std::span<const uint64_t> digests,
        std::span<uint64_t> answers, size_t first)
      : target_(target), desk_(desk), digests_(digests), answers_(answers), first_(first) {}

  // Growing where that must be.
  InsertOutcome Insert(bool only_if_absent);
  uint64_t Erase();

 private:
  // Keys [begin, end) of the chunk.
  struct Part {
    size_t begin;
    size_t end;
  };

  std::span<uint8_t> Homes(Part part) const {
    return desk_.homes.subspan(part.begin, part.end - part.begin);
  }
  bool IsHomeOfAny(uint8_t home, Part part) const {
    return std::ranges::find(Homes(part), home) != Homes(part).end();
  }

  // Makes the home of each key the oldest of these stores that shows it; stores.size() if none.
  void FindHomes(std::span<const BlockStore* const> stores, Part part);
  // The same for keys whose home has refused them: the oldest of the stores after it.
  void FindNextHomes(std::span<const BlockStore* const> stores, size_t home_idx, Part part);

  // Applies the update to the keys whose home the generation is, by that name. A key for which it
  // is done has its answer set and its home taken; the others keep both. Returns how many it is
  // done for.
  uint64_t Apply(Generation& generation, Update update, uint8_t home, Part part);

  // One pass over the keys from `begin` on, as far as there is room. Returns where it stopped; sets
  // full_ if there was none.
  size_t InsertSome(size_t begin, bool only_if_absent);
  // Finds the homes, reserves room, and returns how far it reaches.
  size_t Reserve(const GenerationList& list, size_t begin, bool only_if_absent,
                 uint64_t& num_reserved);
  // Each inserts what is left of the part, and returns how many of its keys the newest generation
  // did not show.
  uint64_t InsertAbsent(const GenerationList& list, Part part);
  uint64_t InsertAll(const GenerationList& list, Part part);

  // Either may find that the generation has become empty: who counts last does.
  void CountInserted(Generation& generation, uint64_t num_keys) {
    if (num_keys != 0 && generation.AddKeys(num_keys) == 0) is_one_empty_ = true;
  }
  void CountErased(Generation& generation, uint64_t num_keys) {
    if (num_keys != 0 && generation.TakeKeys(num_keys) == 0) is_one_empty_ = true;
  }
  void DropEmpty() {
    if (std::exchange(is_one_empty_, false)) target_.generations.DropEmpty();
  }

  const ScalableTarget& target_;
  const Desk& desk_;
  const std::span<const uint64_t> digests_;
  const std::span<uint64_t> answers_;
  const size_t first_;
  InsertOutcome outcome_;
  const Generation* full_ = nullptr;  // the newest, if the last pass found no room in it
  bool is_one_empty_ = false;
};

void Chunk::FindHomes(std::span<const BlockStore* const> stores, Part part) {
  constexpr size_t kTaskKeys = size_t{1} << 13;
  const auto find = [&](size_t first, size_t count) {
    FindOldest(stores, digests_.subspan(first, count), desk_.homes.data() + first);
  };
  const size_t num_keys = part.end - part.begin;
  if (target_.executor == nullptr || num_keys <= kTaskKeys) return find(part.begin, num_keys);
  target_.executor->ForEach((num_keys + kTaskKeys - 1) / kTaskKeys, [&](size_t t) {
    find(part.begin + t * kTaskKeys, std::min(kTaskKeys, num_keys - t * kTaskKeys));
  });
}

void Chunk::FindNextHomes(std::span<const BlockStore* const> stores, size_t home_idx, Part part) {
  const size_t next_idx = home_idx + 1;
  for (size_t i = part.begin; i < part.end; ++i) {
    if (desk_.homes[i] != home_idx) continue;
    uint8_t found = 0;
    FindOldest(stores.subspan(next_idx), digests_.subspan(i, 1), &found);
    desk_.homes[i] = static_cast<uint8_t>(next_idx + found);
  }
}

uint64_t Chunk::Apply(Generation& generation, Update update, uint8_t home, Part part) {
  if (!IsHomeOfAny(home, part)) return 0;
  size_t num_keys = 0;
  for (size_t i = part.begin; i < part.end; ++i) {
    desk_.batch[num_keys] = digests_[i];
    desk_.places[num_keys] = static_cast<uint32_t>(i);
    num_keys += static_cast<size_t>(desk_.homes[i] == home);
  }
  const UpdateTarget target{.store = generation.store,
                            .policy = target_.policy,
                            .executor = target_.executor,
                            .locks = &target_.locks};
  const std::span<uint64_t> bits = desk_.answers.first((num_keys + 63) / 64);
  const uint64_t num_applied =
      UpdateBatch(target, update, Keys::Digests(desk_.batch.first(num_keys)), bits);
  for (size_t k = 0; k < num_keys; ++k) {
    if ((bits[k / 64] >> (k % 64) & 1) == 0) continue;
    desk_.homes[desk_.places[k]] = kNowhere;
    if (answers_.empty()) continue;
    const size_t key_idx = first_ + desk_.places[k];
    answers_[key_idx / 64] |= uint64_t{1} << (key_idx % 64);
  }
  return num_applied;
}

InsertOutcome Chunk::Insert(bool only_if_absent) {
  for (size_t begin = 0; begin < digests_.size();) {
    begin = InsertSome(begin, only_if_absent);
    DropEmpty();
    if (full_ == nullptr) continue;
    const GrowthRefusal refusal = target_.generations.Grow(full_);
    if (refusal != GrowthRefusal::kNone) outcome_.refusal = refusal;
  }
  return outcome_;
}

size_t Chunk::InsertSome(size_t begin, bool only_if_absent) {
  const auto list = target_.generations.Pass();
  Generation& newest = list->newest();
  uint64_t num_reserved = 0;
  const Part part{begin, Reserve(*list, begin, only_if_absent, num_reserved)};
  const uint64_t num_arrived = only_if_absent ? InsertAbsent(*list, part) : InsertAll(*list, part);
  newest.Settle(num_reserved, num_arrived);
  // Room for some is room: among them were duplicates, perhaps.
  full_ = part.end != digests_.size() && num_reserved == 0 ? &newest : nullptr;
  return part.end;
}

size_t Chunk::Reserve(const GenerationList& list, size_t begin, bool only_if_absent,
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
    if (desk_.homes[i] != absent) continue;
    if (room > 0) {
      --room;
    } else if (is_refused) {
      desk_.homes[i] = kNowhere;
      ++outcome_.num_refused;
    } else {
      return i;  // in input order: the first one without room, and all after it, wait
    }
  }
  return part.end;
}

uint64_t Chunk::InsertAbsent(const GenerationList& list, Part part) {
  const auto absent = static_cast<uint8_t>(list.size());
  const uint64_t num_new = Apply(list.newest(), Update::kInsertIfAbsent, absent, part);
  CountInserted(list.newest(), num_new);
  outcome_.num_inserted += num_new;
  return num_new;
}

uint64_t Chunk::InsertAll(const GenerationList& list, Part part) {
  const size_t newest_idx = list.size() - 1;
  for (size_t g = 0; g < newest_idx; ++g) {
    const auto home = static_cast<uint8_t>(g);
    const uint64_t num_here = Apply(list.at(g), Update::kInsertIfPresent, home, part);
    CountInserted(list.at(g), num_here);
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
    CountInserted(list.newest(), num_new_now + num_shown);
    outcome_.num_inserted += num_new_now + num_shown;
    num_new += num_new_now;
  }
  return num_new;
}

uint64_t Chunk::Erase() {
  uint64_t num_erased = 0;
  {
    const auto list = target_.generations.Pass();
    const Part part{0, digests_.size()};
    FindHomes(list->stores(), part);
    for (size_t g = 0; g < list->size(); ++g) {
      const uint64_t num_here = Apply(list->at(g), Update::kErase, static_cast<uint8_t>(g), part);
      CountErased(list->at(g), num_here);
      num_erased += num_here;
      // Earlier keys of the batch, or others, took what showed some of them.
      if (g + 1 < list->size()) FindNextHomes(list->stores(), g, part);
    }
  }
  DropEmpty();
  return num_erased;
}

// Calls work(chunk) for each chunk of the batch.
template <class Work>
void ForEachWorkChunk(const ScalableTarget& target, Keys keys, std::span<uint64_t> answers,
                      const Work& work) {
  const bool is_shared = target.executor != nullptr && target.executor->num_threads() > 1;
  const size_t most = std::min(keys.size(), is_shared ? kChunkShared : kChunkAlone);
  WithDesk(most, [&](const Desk& desk) {
    for (size_t first = 0; first < keys.size(); first += most) {
      const size_t count = std::min(most, keys.size() - first);
      const std::span<const uint64_t> digests =
          DigestsOf(target.policy, keys, first, count, desk.digests);
      work(Chunk(target, desk, digests, answers, first));
    }
  });
}

}  // namespace

InsertOutcome InsertIntoGenerations(const ScalableTarget& target, Keys keys, bool only_if_absent,
                                    std::span<uint64_t> answers) noexcept {
  InsertOutcome total;
  ForEachWorkChunk(target, keys, answers, [&](Chunk chunk) {
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
  ForEachWorkChunk(target, keys, answers, [&](Chunk chunk) { num_erased += chunk.Erase(); });
  return num_erased;
}

}  // namespace trommel
