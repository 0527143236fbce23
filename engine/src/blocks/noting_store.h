// NotingStore: a store with a limit of side memory, for a batch of insertions that wants to know
// what the limit refused. A batch has no answers for kInsert (batches/update_batch.h): it passes
// kInsertIfPresent in its place, and the answers say which keys are in.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_NOTING_STORE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_NOTING_STORE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/key_store.h"

namespace trommel {

// Noted: a KeyStore with ApplyNoting (store.h), which must outlive this.
template <class Noted>
class NotingStore : public KeyStore {
 public:
  explicit NotingStore(Noted& store) : store_(store) {}

  // Keys that were refused through this.
  uint64_t num_refused() const { return num_refused_.load(std::memory_order_relaxed); }

  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers) override {
    if (update != Update::kInsertIfPresent) {
      return Note(store_.Apply(update, digests, range, answers));
    }
    std::array<uint64_t, kBitmapWords> refused{};
    uint64_t num_refused = 0;
    // A range of a split batch may be longer than a chunk.
    for (size_t first = range.begin; first < range.end;) {
      const size_t end = std::min(range.end, (first / kChunk + 1) * kChunk);
      refused.fill(0);
      const size_t first_word = first / kChunk * kBitmapWords;
      // Bit i of the chunk is key first_word * 64 + i.
      num_refused += store_.ApplyNoting(
          Update::kInsert, digests + first_word * 64,
          {first - first_word * 64, end - first_word * 64, FetchedIn(range, first_word * 64),
           FetchEndIn(range, first_word * 64)},
          nullptr, refused.data());
      for (size_t i = first; i < end; ++i) {
        const bool is_refused = (refused[i / 64 - first_word] >> (i % 64) & 1) != 0;
        answers[i / 64] |= uint64_t{!is_refused} << (i % 64);
      }
      first = end;
    }
    return Note(num_refused);
  }
  bool UpdateOne(Update update, uint64_t digest) override {
    if (update == Update::kErase) return EraseOne(digest);
    uint64_t answer = 0;
    const bool is_plain = update != Update::kInsertIfAbsent;
    const uint64_t num_refused = Note(store_.Apply(is_plain ? Update::kInsert : update, &digest,
                                                   {0, 1}, is_plain ? nullptr : &answer));
    return is_plain ? num_refused == 0 : answer != 0;
  }
  bool InsertOne(uint64_t digest) noexcept override { return UpdateOne(Update::kInsert, digest); }
  bool EraseOne(uint64_t digest) override { return store_.EraseOne(digest); }
  void FetchAhead(std::span<const uint64_t> digests) const override { store_.FetchAhead(digests); }
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override {
    return store_.Query(digests, maybe_present);
  }
  bool MayContain(uint64_t digest) const noexcept override { return store_.MayContain(digest); }
  uint64_t CountEstimate(uint64_t digest) const override { return store_.CountEstimate(digest); }
  uint32_t owned_range_bits() const override { return store_.owned_range_bits(); }
  UpdateCost update_cost() const override { return store_.update_cost(); }

 protected:
  uint64_t Note(uint64_t num_refused) {
    if (num_refused != 0) num_refused_.fetch_add(num_refused, std::memory_order_relaxed);
    return num_refused;
  }

  Noted& store_;

 private:
  static constexpr size_t kChunk = kBitmapWords * 64;

  static size_t FetchedIn(const kernels::DigestRange& range, size_t origin) {
    return range.fetched - std::min(range.fetched, origin);
  }
  static size_t FetchEndIn(const kernels::DigestRange& range, size_t origin) {
    return range.fetch_end - std::min(range.fetch_end, origin);
  }

  std::atomic<uint64_t> num_refused_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_NOTING_STORE_H_
