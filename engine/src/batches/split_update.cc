#include "engine/src/batches/split_update.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>

#include "engine/src/base/block_memory.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

// Makes space for so many elements, of any content. Returns false if the system refuses it.
template <class T>
bool Fit(ScratchArray<T>& array, size_t size) {
  if (array.size() < size) array = ScratchArray<T>(size);
  return array.ok();
}

class Round {
 public:
  Round(const BatchTarget& target, Update update, Keys keys, bool needs_bits, SplitMemory& memory)
      : target_(target),
        update_(update),
        keys_(keys),
        needs_bits_(needs_bits),
        range_bits_(target.store.owned_range_bits()),
        num_ranges_(size_t{1} << range_bits_),
        num_chunks_((keys.size() + kSplitChunk - 1) / kSplitChunk),
        memory_(memory) {}

  bool has_memory() {
    const size_t num_keys = keys_.size();
    return Fit(memory_.digests, keys_.kind() == KeyKind::kDigests ? 0 : num_keys) &&
           Fit(memory_.ranges, num_keys) && Fit(memory_.split, num_keys) &&
           Fit(memory_.starts, num_chunks_ * (num_ranges_ + 1)) &&
           Fit(memory_.answers, needs_bits_ ? (num_keys + 63) / 64 : 0);
  }

  UpdateOutcome Run(std::span<uint64_t> answers) {
    std::ranges::fill(memory_.answers.span(), 0);
    ForEach(num_chunks_, [&](size_t c) { SplitChunk(c); });
    ForEach(num_ranges_, [&](size_t r) { ApplyOwnedRange(r); });
    if (!answers.empty()) ForEach(num_chunks_, [&](size_t c) { Unsplit(c, answers); });
    return {num_applied_.load(std::memory_order_relaxed),
            num_refused_.load(std::memory_order_relaxed)};
  }

 private:
  template <class Task>
  void ForEach(size_t num_tasks, const Task& task) {
    if (target_.executor == nullptr) {
      for (size_t i = 0; i < num_tasks; ++i) task(i);
    } else {
      target_.executor->ForEach(num_tasks, std::cref(task));
    }
  }

  size_t FirstOf(size_t chunk_idx) const { return chunk_idx * kSplitChunk; }
  size_t SizeOf(size_t chunk_idx) const {
    return std::min(kSplitChunk, keys_.size() - FirstOf(chunk_idx));
  }
  std::span<uint16_t> RangesOf(size_t c) {
    return memory_.ranges.span().subspan(FirstOf(c), SizeOf(c));
  }
  std::span<uint64_t> SplitOf(size_t c) {
    return memory_.split.span().subspan(FirstOf(c), SizeOf(c));
  }
  std::span<uint32_t> StartsOf(size_t c) {
    return memory_.starts.span().subspan(c * (num_ranges_ + 1), num_ranges_ + 1);
  }
  std::span<uint64_t> SplitAnswersOf(size_t c) {
    return memory_.answers.span().subspan(FirstOf(c) / 64, (SizeOf(c) + 63) / 64);
  }

  void SplitChunk(size_t c) {
    const std::span<uint64_t> buffer = keys_.kind() == KeyKind::kDigests
                                           ? std::span<uint64_t>()
                                           : memory_.digests.span().subspan(FirstOf(c), SizeOf(c));
    const std::span<const uint64_t> digests =
        ViewedDigests(target_.policy, keys_, FirstOf(c), SizeOf(c), buffer);
    SplitByRange(digests, range_bits_, RangesOf(c), SplitOf(c), StartsOf(c));
  }

  // The first digests of range r in a chunk: fetched while the chunk before is applied.
  std::span<const uint64_t> HeadOf(size_t c, size_t r) {
    if (c == num_chunks_) return {};
    const std::span<uint32_t> starts = StartsOf(c);
    const size_t count = std::min<size_t>(kernels::kUpdateDistance, starts[r + 1] - starts[r]);
    return SplitOf(c).subspan(starts[r], count);
  }

  void ApplyOwnedRange(size_t r) {
    UpdateOutcome outcome;
    target_.store.FetchAhead(HeadOf(0, r));
    for (size_t c = 0; c < num_chunks_; ++c) {
      target_.store.FetchAhead(HeadOf(c + 1, r));
      const size_t begin = StartsOf(c)[r];
      const size_t end = StartsOf(c)[r + 1];
      if (begin < end) outcome += ApplyDigestRange(c, r, begin, end);
    }
    num_applied_.fetch_add(outcome.num_applied, std::memory_order_relaxed);
    num_refused_.fetch_add(outcome.num_refused, std::memory_order_relaxed);
  }

  // Answers are gathered here first: the first and the last word of bits belong to neighbouring
  // digest ranges, too, to whose answers other tasks may write meanwhile.
  UpdateOutcome ApplyDigestRange(size_t c, size_t r, size_t begin, size_t end) {
    const size_t base = begin / 64 * 64;  // so that bits need no shifting
    std::array<uint64_t, kSplitChunk / 64> bits;
    const size_t num_words = needs_bits_ ? (end - base + 63) / 64 : 0;
    std::fill_n(bits.begin(), num_words, 0);
    const kernels::DigestRange range{begin - base, end - base,
                                     begin - base + kernels::kUpdateDistance};
    const UpdateOutcome outcome = ApplyRange(target_, update_, SplitOf(c).data() + base, range, r,
                                             range_bits_, std::span(bits).first(num_words));
    for (size_t w = 0; w < num_words; ++w) {
      std::atomic_ref<uint64_t>(SplitAnswersOf(c)[base / 64 + w])
          .fetch_or(bits[w], std::memory_order_relaxed);
    }
    return outcome;
  }

  void Unsplit(size_t c, std::span<uint64_t> answers) {
    std::array<uint32_t, size_t{1} << KeyStore::kMaxOwnedRangeBits> cursors;
    UnsplitAnswers(RangesOf(c), StartsOf(c), SplitAnswersOf(c),
                   std::span(cursors).first(num_ranges_), answers.data() + FirstOf(c) / 64);
  }

  const BatchTarget& target_;
  const Update update_;
  const Keys keys_;
  const bool needs_bits_;
  const uint32_t range_bits_;
  const size_t num_ranges_;
  const size_t num_chunks_;
  std::atomic<uint64_t> num_applied_{0};
  std::atomic<uint64_t> num_refused_{0};
  // Chunk c begins at c * kSplitChunk, in starts at c * (num_ranges_ + 1).
  SplitMemory& memory_;
};

}  // namespace

std::optional<UpdateOutcome> UpdateSplit(const BatchTarget& target, Update update, Keys keys,
                                         std::span<uint64_t> answers,
                                         SplitMemory& memory) noexcept {
  Round round(target, update, keys, NeedsBits(update, answers), memory);
  if (!round.has_memory()) return std::nullopt;
  return round.Run(answers);
}

}  // namespace trommel
