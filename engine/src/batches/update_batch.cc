// The ways of a batch of updates, but for the split.
#include "engine/src/batches/update_batch.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/src/batches/split_update.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

uint64_t Mask(size_t begin, size_t end) {  // bits [begin, end) of a word
  return (~uint64_t{0} >> (64 - (end - begin))) << begin;
}

// Keys of one range, or of a store that the caller has to itself.
UpdateOutcome Apply(KeyStore& store, Update update, const uint64_t* digests,
                    const kernels::DigestRange& range, std::span<uint64_t> bits) {
  const size_t num_keys = range.end - range.begin;
  if (num_keys == 1) {
    const Fate fate = store.UpdateOne(update, digests[range.begin]);
    const uint64_t is_applied{fate == Fate::kChanged};
    if (!bits.empty()) bits[range.begin / 64] |= is_applied << (range.begin % 64);
    return {is_applied, uint64_t{fate == Fate::kRefused}};
  }
  if (update == Update::kInsert) {
    uint64_t* refused = bits.empty() ? nullptr : bits.data();
    const uint64_t num_refused = store.Apply(update, digests, range, nullptr, refused);
    // The others are in.
    for (size_t i = range.begin; i < range.end && refused != nullptr; i = (i / 64 + 1) * 64) {
      refused[i / 64] ^= Mask(i % 64, std::min<size_t>(64, i % 64 + range.end - i));
    }
    return {num_keys - num_refused, num_refused};
  }
  // The first and the last word may hold bits of neighbouring digest ranges.
  const auto words = bits.subspan(range.begin / 64, (range.end + 63) / 64 - range.begin / 64);
  const uint64_t before = CountBits(words);
  const uint64_t num_refused = store.Apply(update, digests, range, bits.data(), nullptr);
  return {CountBits(words) - before, num_refused};
}

UpdateOutcome UpdateDirect(const BatchTarget& target, Update update, Keys keys,
                           std::span<uint64_t> answers) {
  UpdateOutcome outcome;
  ForEachChunk(target.policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    std::array<uint64_t, KeyStore::kBitmapWords> buffer;
    const size_t num_words = NeedsBits(update, answers) ? (digests.size() + 63) / 64 : 0;
    const std::span<uint64_t> bits = std::span(buffer).first(num_words);
    std::ranges::fill(bits, 0);
    outcome += Apply(target.store, update, digests.data(), {0, digests.size()}, bits);
    if (!answers.empty()) std::ranges::copy(bits, answers.begin() + first / 64);
  });
  return outcome;
}

// --- With locks, by the calling thread.

constexpr size_t kChunk = kernels::kMaxChunkKeys;
// Up to so many keys, a lock per key costs less than splitting them.
constexpr size_t kFewKeys = 64;
constexpr size_t kMaxRanges = size_t{1} << RangeLocks::kMaxLockBits;

UpdateOutcome ApplyHeld(RangeLocks::Held held, KeyStore& store, Update update,
                        const uint64_t* digests, const kernels::DigestRange& range,
                        std::span<uint64_t> bits) {
  const UpdateOutcome outcome = Apply(store, update, digests, range, bits);
  held.AddKeys(update == Update::kErase ? 0 - outcome.num_applied : outcome.num_applied);
  return outcome;
}

UpdateOutcome UpdateFew(const BatchTarget& target, Update update, std::span<const uint64_t> digests,
                        uint64_t* answers) {
  const uint32_t lock_bits = target.locks->lock_bits();
  target.store.FetchAhead(digests);
  UpdateOutcome outcome;
  for (size_t i = 0; i < digests.size(); ++i) {
    const uint64_t digest = digests[i];  // read once (key_batches.h)
    uint64_t bit = 0;
    outcome += ApplyRange(target, update, &digest, {0, 1, 1}, RangeOf(digest, lock_bits), lock_bits,
                          std::span(&bit, 1));
    if (answers != nullptr) *answers |= bit << i;  // few keys: one word
  }
  return outcome;
}

UpdateOutcome UpdateChunk(const BatchTarget& target, Update update,
                          std::span<const uint64_t> digests, uint64_t* answers) {
  const uint32_t lock_bits = target.locks->lock_bits();
  std::array<uint64_t, kChunk> split;
  std::array<uint16_t, kChunk> ranges_buffer;
  std::array<uint32_t, kMaxRanges + 1> starts;
  const std::span<uint16_t> ranges = std::span(ranges_buffer).first(digests.size());
  SplitByRange(digests, lock_bits, ranges, split, starts);

  std::array<uint64_t, KeyStore::kBitmapWords> buffer{};
  const bool needs_bits = update != Update::kInsert || answers != nullptr;
  const std::span<uint64_t> split_answers = std::span(buffer).first(needs_bits ? buffer.size() : 0);
  UpdateOutcome outcome;
  const auto digests_of = [&](size_t r) {
    // The digest ranges lie side by side and are fetched as one.
    const size_t fetched = starts[r] == 0 ? 0 : starts[r] + kernels::kUpdateDistance;
    return kernels::DigestRange{starts[r], starts[r + 1], fetched, digests.size()};
  };
  // Ranges that other threads hold come last: threads that go through the same ranges in the same
  // order would else wait for each other at each of them.
  std::array<uint16_t, kMaxRanges> busy;
  size_t num_busy = 0;
  for (size_t r = 0; r < target.locks->num_locks(); ++r) {
    if (starts[r] == starts[r + 1]) continue;
    if (std::optional<RangeLocks::Held> held = target.locks->TryHold(r, lock_bits)) {
      outcome += ApplyHeld(*std::move(held), target.store, update, split.data(), digests_of(r),
                           split_answers);
    } else {
      busy[num_busy++] = static_cast<uint16_t>(r);
    }
  }
  for (const uint16_t r : std::span(busy).first(num_busy)) {
    outcome += ApplyRange(target, update, split.data(), digests_of(r), r, lock_bits, split_answers);
  }
  if (answers != nullptr && outcome.num_applied == digests.size()) {
    // All were in, or all were new: nothing needs to be brought into input order.
    for (size_t first = 0; first < digests.size(); first += 64) {
      answers[first / 64] = ~uint64_t{0} >> (64 - std::min<size_t>(64, digests.size() - first));
    }
  } else if (answers != nullptr) {
    std::array<uint32_t, kMaxRanges> cursors;
    UnsplitAnswers(ranges, starts, split_answers,
                   std::span(cursors).first(target.locks->num_locks()), answers);
  }
  return outcome;
}

UpdateOutcome UpdateLocked(const BatchTarget& target, Update update, Keys keys,
                           std::span<uint64_t> answers) {
  UpdateOutcome outcome;
  ForEachViewedChunk(target.policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    uint64_t* chunk_answers = answers.empty() ? nullptr : answers.data() + first / 64;
    if (digests.size() <= kFewKeys) {
      if (chunk_answers != nullptr) *chunk_answers = 0;
      outcome += UpdateFew(target, update, digests, chunk_answers);
    } else {
      outcome += UpdateChunk(target, update, digests, chunk_answers);
    }
  });
  return outcome;
}

}  // namespace

UpdateOutcome ApplyRange(const BatchTarget& target, Update update, const uint64_t* digests,
                         const kernels::DigestRange& range, size_t range_idx, uint32_t range_bits,
                         std::span<uint64_t> bits) noexcept {
  if (target.locks == nullptr) return Apply(target.store, update, digests, range, bits);
  return ApplyHeld(target.locks->Hold(range_idx, range_bits), target.store, update, digests, range,
                   bits);
}

namespace {

// Keys per block and round. With more, a range's blocks enter the caches less often, but a split
// takes more memory; beyond four the former gains little.
constexpr uint64_t kKeysPerBlock = 4;

uint64_t KeysOfRound(const UpdateCost& cost) {
  const uint64_t num_keys = std::max<uint64_t>(kKeysPerBlock * cost.num_blocks, 1);
  return (num_keys + kSplitChunk - 1) / kSplitChunk * kSplitChunk;
}

}  // namespace

bool IsWorthSplitting(const UpdateCost& cost, uint64_t num_keys, uint32_t num_threads) noexcept {
  if (cost.range_bits == 0) return false;
  constexpr uint64_t kWorthThreads = 1 << 14;  // below, starting tasks takes longer than the keys
  if (num_threads > 1) return num_keys >= kWorthThreads;
  // With runs and fingerprints an update touches one line per key, which costs less than a split,
  // up to the largest filters tried (bench/README.md).
  if (!cost.has_many_lines) return false;
  // One thread gains by locality only: where the blocks exceed the caches, and enough keys share
  // them.
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  const uint64_t bytes = cost.num_bytes;
  if (bytes >= 32 * kMiB) return num_keys >= cost.num_blocks / 2;
  if (bytes >= 24 * kMiB) return num_keys >= cost.num_blocks;
  return bytes >= 12 * kMiB && num_keys >= 2 * cost.num_blocks;
}

UpdateOutcome UpdateBatch(const BatchTarget& target, Update update, Keys keys,
                          std::span<uint64_t> answers) noexcept {
  const uint32_t num_threads = target.executor == nullptr ? 1 : target.executor->num_threads();
  UpdateOutcome outcome;
  SplitMemory memory;
  for (size_t first = 0; first < keys.size();) {
    const UpdateCost cost = target.store.update_cost();
    const size_t num_keys = std::min(keys.size() - first, KeysOfRound(cost));
    const Keys of_round = keys.Subspan(first, num_keys);
    const std::span<uint64_t> of_answers =
        answers.empty() ? answers : answers.subspan(first / 64, (num_keys + 63) / 64);
    first += num_keys;
    const bool is_split =
        target.route == Route::kSplit ||
        (target.route == Route::kAutomatic && IsWorthSplitting(cost, num_keys, num_threads));
    if (is_split) {
      // Without memory for a split, the keys take the other ways, which need none.
      if (const auto of_split = UpdateSplit(target, update, of_round, of_answers, memory)) {
        outcome += *of_split;
        continue;
      }
    }
    outcome += target.locks != nullptr ? UpdateLocked(target, update, of_round, of_answers)
                                       : UpdateDirect(target, update, of_round, of_answers);
  }
  return outcome;
}

}  // namespace trommel
