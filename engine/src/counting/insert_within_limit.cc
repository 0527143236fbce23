// Insertions into a filter with a limit of side memory.
#include <algorithm>
#include <array>
#include <span>

#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/keys/key_chunks.h"

namespace trommel {

// Where no bit is asked for, large batches take any route: which keys are refused does not depend
// on it, and each owned range counts them.
InsertOutcome CountingFilter::Impl::InsertWithinLimit(Update update, Keys keys,
                                                      std::span<uint64_t> inserted,
                                                      std::span<uint64_t> refused) {
  uint64_t num_inserted = 0;
  uint64_t num_refused = 0;
  if (update == Update::kInsert && inserted.empty() && keys.size() > kernels::kMaxChunkKeys) {
    const uint64_t before = store->Figures().num_refused_inserts;
    UpdateBatch(ForUpdates(), update, keys, {});
    num_refused = store->Figures().num_refused_inserts - before;
    num_inserted = keys.size() - num_refused;
  } else {
    ForEachChunk(policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
      std::array<uint64_t, Store::kBitmapWords> inserted_bits{};
      std::array<uint64_t, Store::kBitmapWords> refused_bits{};
      fingerprint_store().ApplyNoting(update, digests.data(), {0, digests.size()},
                                      inserted_bits.data(), refused_bits.data());
      const size_t num_words = (digests.size() + 63) / 64;
      if (update == Update::kInsert) {  // all that were not refused
        for (size_t w = 0; w < num_words; ++w) {
          const size_t num_bits = std::min<size_t>(64, digests.size() - w * 64);
          inserted_bits[w] = ~refused_bits[w] & ~uint64_t{0} >> (64 - num_bits);
        }
      }
      num_inserted += CountBits(std::span(inserted_bits).first(num_words));
      num_refused += CountBits(std::span(refused_bits).first(num_words));
      if (!inserted.empty()) {
        std::copy_n(inserted_bits.begin(), num_words, inserted.subspan(first / 64).begin());
      }
      if (!refused.empty()) {
        std::copy_n(refused_bits.begin(), num_words, refused.subspan(first / 64).begin());
      }
    });
  }
  num_keys += num_inserted;
  return {.num_inserted = num_inserted,
          .num_refused = num_refused,
          .refusal = num_refused == 0 ? GrowthRefusal::kNone : GrowthRefusal::kSideMemoryLimit};
}

}  // namespace trommel
