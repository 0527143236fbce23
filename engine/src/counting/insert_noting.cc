// Insertions into a filter with a limit of side memory, with an outcome for each key.
#include <algorithm>
#include <array>
#include <span>

#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {

InsertOutcome CountingFilter::Impl::InsertNoting(Keys keys, std::span<uint64_t> inserted,
                                                 RangeLocks* locks) {
  const UpdateOutcome outcome =
      UpdateBatch({.store = *store, .policy = policy, .locks = locks, .route = Route::kDirect},
                  Update::kInsert, keys, inserted);
  return SideMemoryOutcome(outcome.num_applied, outcome.num_refused);
}

InsertOutcome CountingFilter::Impl::InsertAbsentNoting(Keys keys, std::span<uint64_t> inserted,
                                                       std::span<uint64_t> refused,
                                                       RangeLocks* locks) {
  constexpr Update kUpdate = Update::kInsertIfAbsent;
  uint64_t num_inserted = 0;
  uint64_t num_refused = 0;
  ForEachChunk(policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    std::array<uint64_t, Store::kBitmapWords> inserted_bits{};
    std::array<uint64_t, Store::kBitmapWords> refused_bits{};
    if (locks == nullptr) {
      store->Apply(kUpdate, digests.data(), {0, digests.size()}, inserted_bits.data(),
                   refused_bits.data());
    }
    for (size_t i = 0; i < digests.size() && locks != nullptr; ++i) {
      const uint32_t lock_bits = locks->lock_bits();
      RangeLocks::Held held = locks->Hold(RangeOf(digests[i], lock_bits), lock_bits);
      const Fate fate = store->UpdateOne(kUpdate, digests[i]);
      NoteFate(fate, kUpdate, i, inserted_bits.data(), refused_bits.data());
      held.AddKeys(uint64_t{fate == Fate::kChanged});
    }
    const size_t num_words = (digests.size() + 63) / 64;
    num_inserted += CountBits(std::span(inserted_bits).first(num_words));
    num_refused += CountBits(std::span(refused_bits).first(num_words));
    std::copy_n(inserted_bits.begin(), num_words, inserted.subspan(first / 64).begin());
    std::copy_n(refused_bits.begin(), num_words, refused.subspan(first / 64).begin());
  });
  return SideMemoryOutcome(num_inserted, num_refused);
}

}  // namespace trommel
