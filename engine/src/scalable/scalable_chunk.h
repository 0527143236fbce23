// A batch goes chunk by chunk. For every chunk it is first found, without a lock, which generation
// each key is for; then each generation gets its keys as one batch of its own, under the locks:
//
//   keys            a   b   c   d   e   f
//   oldest shown    -   0   -   2   -   0          "-": shown by none, for the newest
//   batches         generation 0: b f     generation 2: d     newest: a c e
//
// Between the two, other threads may have erased keys whose bits made a generation show one of the
// chunk. It then refuses the key, which is looked up again, from the next generation on. The
// reverse cannot happen: closed generations never show more than they did.
//
// What a store of fingerprints does not show, and queries cannot decide, is decided under the key's
// lock before the batches are made (exact_homes.h). So how many keys are new, and with it where the
// filter grows, follows from the keys alone, however batches are split.
//
// *With a limit of side memory* a generation may refuse a key that it shows, or the newest one that
// is new. A key that a closed generation has not counted, and still holds, was refused: had it been
// gone at that moment, it would be so now. The newest takes new keys and copies in one pass, in
// input order, for which of them finds space depends on those before. A refused key goes nowhere
// else: its copies are all in one generation, and only the newest may come to show it.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_CHUNK_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_CHUNK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/src/batches/update_batch.h"
#include "engine/src/scalable/exact_homes.h"
#include "engine/src/scalable/scalable_update.h"

namespace trommel {

// Room for the work on a chunk: of its keys, and of those of one generation.
struct ScalableScratch {
  std::span<uint64_t> digests;
  std::span<uint8_t> homes;     // index of the generation that each key is for
  std::span<uint64_t> batch;    // the digests for one generation, in input order,
  std::span<uint32_t> places;   // and which keys of the chunk they are
  std::span<uint64_t> answers;  // theirs
};

// The work on one chunk.
class ScalableChunk {
  static constexpr uint8_t kNowhere = UINT8_MAX;  // as a home: the key is done, or refused
  static_assert(ScalableFilter::kMaxGenerations < kNowhere);

 public:
  // `answers` are the whole batch's, of which the chunk's begin at key `first`.
  ScalableChunk(const ScalableTarget& target, const ScalableScratch& scratch,
                std::span<const uint64_t> digests, std::span<uint64_t> answers, size_t first)
      : target_(target), scratch_(scratch), digests_(digests), answers_(answers), first_(first) {}

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
    return scratch_.homes.subspan(part.begin, part.end - part.begin);
  }
  bool IsHomeOfAny(uint8_t home, Part part) const {
    return std::ranges::find(Homes(part), home) != Homes(part).end();
  }

  // Makes the home of each key the oldest of these stores that shows it; stores.size() if none.
  void FindHomes(std::span<const Store* const> stores, Part part, Shown trust);
  // The same for keys whose home has refused them: the oldest of the stores after it.
  void FindNextHomes(std::span<const Store* const> stores, size_t home_idx, Part part);

  // Applies the update to the keys whose home the generation is, by that name. A key for which it
  // is done has its answer set and its home taken; the others keep both.
  UpdateOutcome Apply(Generation& generation, Update update, uint8_t home, Part part) {
    return Apply(generation, generation.store(), update, home, part);
  }
  // `store`: the generation's, or one that passes updates to it.
  UpdateOutcome Apply(Generation& generation, KeyStore& store, Update update, uint8_t home,
                      Part part);

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
  // The part of it that is the newest's, with a limit.
  uint64_t InsertIntoLimited(Generation& newest, uint8_t home, Part part);
  // Refuses those whose home is the generation by that name, and which it holds.
  void RefuseHeld(const Generation& generation, uint8_t home, Part part);
  void Refuse(size_t key_idx, GrowthRefusal refusal) {
    scratch_.homes[key_idx] = kNowhere;
    ++outcome_.num_refused;
    outcome_.refusal = refusal;
  }

  void DropEmpty() {
    if (std::exchange(is_one_empty_, false)) target_.generations.DropEmpty();
  }

  const ScalableTarget& target_;
  const ScalableScratch& scratch_;
  const std::span<const uint64_t> digests_;
  const std::span<uint64_t> answers_;
  const size_t first_;
  InsertOutcome outcome_;
  GrowthRefusal growth_refusal_ = GrowthRefusal::kNone;  // why it has not grown
  const Generation* full_ = nullptr;  // the newest, if the last pass found no room in it
  bool is_one_empty_ = false;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_CHUNK_H_
