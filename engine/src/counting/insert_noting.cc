// Insertions into a filter with a limit of side memory, with an outcome for each key.
#include <algorithm>
#include <array>
#include <span>

#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {

namespace {

// Under its lock, if there are locks.
void ApplyNotingKey(Store& store, Update update, std::span<const uint64_t> digests, size_t i,
                    uint64_t* inserted, uint64_t* refused, RangeLocks& locks) {
  RangeLocks::Held held = locks.Hold(RangeOf(digests[i], locks.lock_bits()), locks.lock_bits());
  const uint64_t refused_before = refused[i / 64];
  const uint64_t inserted_before = inserted[i / 64];
  store.ApplyNoting(update, digests.data(), {i, i + 1}, inserted, refused);
  const bool is_inserted = update == Update::kInsert ? refused[i / 64] == refused_before
                                                     : inserted[i / 64] != inserted_before;
  held.AddKeys(uint64_t{is_inserted});
}

}  // namespace

InsertOutcome CountingFilter::Impl::InsertNoting(Update update, Keys keys,
                                                 std::span<uint64_t> inserted,
                                                 std::span<uint64_t> refused, RangeLocks* locks) {
  uint64_t num_inserted = 0;
  uint64_t num_refused = 0;
  ForEachChunk(policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    std::array<uint64_t, Store::kBitmapWords> inserted_bits{};
    std::array<uint64_t, Store::kBitmapWords> refused_bits{};
    if (locks == nullptr) {
      store->ApplyNoting(update, digests.data(), {0, digests.size()}, inserted_bits.data(),
                         refused_bits.data());
    } else {
      for (size_t i = 0; i < digests.size(); ++i) {
        ApplyNotingKey(*store, update, digests, i, inserted_bits.data(), refused_bits.data(),
                       *locks);
      }
    }
    const size_t num_words = (digests.size() + 63) / 64;
    if (update == Update::kInsert) NotRefused(digests.size(), refused_bits, inserted_bits);
    num_inserted += CountBits(std::span(inserted_bits).first(num_words));
    num_refused += CountBits(std::span(refused_bits).first(num_words));
    std::copy_n(inserted_bits.begin(), num_words, inserted.subspan(first / 64).begin());
    if (!refused.empty()) {
      std::copy_n(refused_bits.begin(), num_words, refused.subspan(first / 64).begin());
    }
  });
  return SideMemoryOutcome(num_inserted, num_refused);
}

}  // namespace trommel
