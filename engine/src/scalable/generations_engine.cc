// Generations: why the promises of a ScalableFilter of them hold.
//
// *The rule.* Only the newest generation ever gains presence bits. An inserted key is added to the
// oldest generation that shows it, where all its bits are set already; if none shows it, it enters
// the newest. An erased key is taken from the oldest generation that shows it.
//
// *Claim.* All copies of a key that is in the filter are in the oldest generation that shows it.
//
// Proof, by induction over the operations. Let the first copy of the key be inserted now, into
// generation g. Every generation older than g says "absent" at this moment: else the key would have
// gone there. They are closed, so they never gain a bit again: they say "absent" of this key for
// ever. As long as a copy is in g, its bits in g count at least one, so g shows the key, and g is
// the oldest that does. So every further copy goes to g, and every copy that is erased is taken
// from g. When the last copy has been erased, the key is in no generation, and the claim begins
// anew.
//
// So erasing exactly what was inserted takes each counter down by what it was raised, and every
// generation ends up empty. What no filter can tell remains: erasing a key that was never inserted,
// but is shown, takes counts that belong to other keys.
//
// (The source inserts into any generation that is not half full and erases where the key seems to
// be: a generation that is used again gains bits, may come to show a key of a newer one, and loses
// another key's counts for it.)
//
// *Growth within a batch.* The newest generation changes between two keys, in input order, so the
// rule holds for each key by itself (scalable_update.cc).
//
// *Rates.* The newest generation takes new keys up to its capacity, at which its rate is within its
// budget; closed ones only lose bits. Two generations never have one slot. So the rate of all,
// 1 - prod(1 - f_i) <= sum f_i, is at most the sum of all slots' budgets,
// P (1 - r) (1 + r + r^2 + ...) < P.
//
// *Threads.* A key's blocks in all generations are covered by one lock, named by the top bits of
// its digest (all generations' blocks are divided alike). An update holds the list's mutex shared,
// so the list stays as it is until the update has ended: which generation is the newest is the same
// for all updates that run at one time. It looks for the key's generation without the lock, and
// changes that generation under it; each such change says what it needs of the block at that
// moment:
//
//   add to a closed one    "if it shows the key"     no bit changes; else the search goes on
//   enter the newest       "if it does not show it"  with only_if_absent, and as first try
//   take                   "if it shows the key"     else the search goes on
//
// Older generations than the one where the key ends up had said "absent" when they were looked at;
// being closed they still do at the moment of the change. That is all the proof above needs, so the
// change is the moment of the operation. A refused erasure: when the last generation says "absent",
// all older ones have said so and still do. A list that was replaced since another call ended is
// seen to be (it was published before the exclusive lock was released to that call).
//
// *Queries* load the list without a lock. Let a key be in generation g: g had been published when
// the key's insertion began, and is not dropped while it holds keys; so every list that a later
// query may load contains g, which shows the key (concurrent_filter.cc says why its bits are seen).
// What a query looks at stays in memory until it has ended (grace_periods.h).
//
// *Fingerprints.* "Shows" above means, of a generation of fingerprints, that the key is among the
// contents of its block (generation_store.h): neither an erasure nor a further copy adds a key to
// these, so a closed generation never gains one. What updates find without a lock may be "maybe
// present" of a key that is not there; it is decided under the lock before they act on it
// (exact_homes.h). The other way round nothing is missed: an answer "absent" is right, as is that
// of any query beside writers (concurrent_filter.cc).
#include "engine/src/scalable/generations_engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "engine/src/batches/erase_all.h"
#include "engine/src/blocks/store_list.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/scalable/exact_homes.h"

namespace trommel {

// --- Updates.

InsertOutcome GenerationsEngine::Insert(const Context& context, Keys keys, bool only_if_absent,
                                        std::span<uint64_t> answers) noexcept {
  return InsertIntoGenerations(ForUpdates(context), keys, only_if_absent, answers);
}

uint64_t GenerationsEngine::Erase(const Context& context, Keys keys,
                                  std::span<uint64_t> answers) noexcept {
  return EraseFromGenerations(ForUpdates(context), keys, answers);
}

// Keys that are in are in the oldest generation that shows them, with all their copies. So each
// key claims the counters of that one alone. (Erase takes a copy that is too many from a later
// generation, if one shows it: from another key.)
void GenerationsEngine::FindMissing(std::span<const uint64_t> digests,
                                    Shortfalls& shortfalls) const {
  std::vector<uint8_t> homes;
  std::vector<uint64_t> of_home;
  ForEachRange(digests, locks_.lock_bits(), [&](size_t lock_idx, std::span<const uint64_t> range) {
    homes.resize(range.size());
    const auto list = generations_->LockShared();
    const RangeLocks::Held held = locks_.Hold(lock_idx, locks_.lock_bits());
    FindExactHomes(list->stores(), range, nullptr, Shown::kIsTrusted, homes.data());
    for (size_t g = 0; g <= list->size(); ++g) {
      of_home.clear();
      for (size_t i = 0; i < range.size(); ++i) {
        if (homes[i] == g) of_home.push_back(range[i]);
      }
      if (g == list->size()) {
        NoteOfOneCounter(of_home, 0, shortfalls);
      } else if (!of_home.empty()) {
        list->at(g).store().FindMissing(of_home, shortfalls);
      }
    }
  });
}

Status GenerationsEngine::LimitSideMemory(uint64_t limit_bytes) {
  Status limited = generations_->LimitSideMemory(limit_bytes);
  if (limited.ok()) config_.side_memory_limit_bytes = limit_bytes;
  return limited;
}

Status GenerationsEngine::Clear() { return generations_->Clear(); }

// --- Queries. Each chunk reads the list anew, so that no change waits long for a reader.

size_t GenerationsEngine::Query(const Context& context, Keys keys,
                                std::span<uint64_t> maybe_present) const noexcept {
  std::atomic<size_t> num_present{0};
  ForEachTask(context.executor, keys, [&](size_t part_first, Keys part) {
    size_t num_here = 0;
    ForEachViewedChunk(context.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      const auto list = generations_->Read();
      num_here +=
          QueryAny(list->stores(), digests, maybe_present.data() + (part_first + first) / 64);
    });
    num_present.fetch_add(num_here, std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

size_t GenerationsEngine::Select(const Context& context, Keys keys, Answer answer,
                                 std::span<uint32_t> selection) const noexcept {
  const uint64_t unwanted = answer == Answer::kMaybePresent ? 0 : ~uint64_t{0};
  size_t num_selected = 0;
  ForEachViewedChunk(context.policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    std::array<uint64_t, BlockStore::kBitmapWords> bits;
    {
      const auto list = generations_->Read();
      QueryAny(list->stores(), digests, bits.data());
    }
    for (size_t i = 0; i < digests.size(); ++i) {
      selection[num_selected] = static_cast<uint32_t>(first + i);
      num_selected += (bits[i / 64] ^ unwanted) >> (i % 64) & 1;
    }
  });
  return num_selected;
}

void GenerationsEngine::CountEstimates(const Context& context, Keys keys,
                                       std::span<uint64_t> counts) const noexcept {
  ForEachViewedChunk(context.policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    const auto list = generations_->LockShared();
    for (size_t i = 0; i < digests.size(); ++i) {
      const uint64_t digest = digests[i];  // read once, for the lock and what it guards
      const uint32_t lock_bits = locks_.lock_bits();
      const auto held = locks_.Hold(RangeOf(digest, lock_bits), lock_bits);
      uint8_t oldest = 0;
      FindOldest(list->stores(), std::span(&digest, 1), &oldest);
      uint64_t count = 0;
      // Of fingerprints the oldest may have said so of a key that it does not hold.
      for (size_t g = oldest; g < list->size() && count == 0; ++g) {
        count = list->at(g).store().CountEstimate(digest);
      }
      counts[first + i] = count;
    }
  });
}

size_t GenerationsEngine::QueryExactly(std::span<const uint64_t> digests,
                                       std::span<uint64_t> held) const noexcept {
  const auto list = generations_->LockShared();
  if (!list->has_fingerprints()) return QueryAny(list->stores(), digests, held.data());
  std::ranges::fill(held, 0);
  std::array<uint8_t, kernels::kMaxChunkKeys> homes;
  size_t num_held = 0;
  for (size_t first = 0; first < digests.size(); first += homes.size()) {
    const auto chunk = digests.subspan(first, std::min(homes.size(), digests.size() - first));
    FindExactHomes(list->stores(), chunk, &locks_, Shown::kIsTrusted, homes.data());
    for (size_t i = 0; i < chunk.size(); ++i) {
      const uint64_t is_held{homes[i] < list->size()};
      held[(first + i) / 64] |= is_held << (i % 64);
      num_held += is_held;
    }
  }
  return num_held;
}

bool GenerationsEngine::MayContain(uint64_t digest) const noexcept {
  return generations_->Read()->MayContain(digest);
}

void GenerationsEngine::Prefetch(uint64_t digest) const noexcept {
  const auto list = generations_->Read();
  list->Prefetch(digest);
  list->newest().store().FetchAhead({&digest, 1});  // which takes what is new
}

}  // namespace trommel
