#include "engine/src/batches/split_update.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "engine/src/base/scratch_array.h"
#include "engine/src/batches/apply_range.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/radix_split.h"
#include "kernels/pipeline.h"

namespace trommel {
namespace {

// More keys a block and pass would bring an range's memory near less often, but take more memory
// for the split itself; beyond four the one gains little and the other grows.
constexpr uint64_t kKeysPerBlock = 4;

// The memory of one pass, used again by the next.
class Pass {
 public:
  Pass(const UpdateTarget& target, Update update, size_t num_keys, bool has_digests)
      : target_(target),
        update_(update),
        range_bits_(target.store.owned_range_bits()),
        num_ranges_(size_t{1} << range_bits_),
        digests_(has_digests ? 0 : num_keys),
        ranges_(num_keys),
        split_(num_keys),
        starts_((num_keys + kSplitChunk - 1) / kSplitChunk * (num_ranges_ + 1)),
        split_answers_(update == Update::kInsert ? 0 : (num_keys + 63) / 64) {}

  bool has_memory() const {
    return digests_.ok() && ranges_.ok() && split_.ok() && starts_.ok() && split_answers_.ok();
  }

  uint64_t Run(Keys keys, std::span<uint64_t> answers) {
    num_keys_ = keys.size();
    num_chunks_ = (num_keys_ + kSplitChunk - 1) / kSplitChunk;
    std::ranges::fill(split_answers_.span(), 0);
    num_applied_ = 0;
    ForEach(num_chunks_, [&](size_t c) { SplitChunk(keys, c); });
    ForEach(num_ranges_, [&](size_t o) { ApplyOwnedRange(o); });
    if (!answers.empty()) ForEach(num_chunks_, [&](size_t c) { Unsplit(c, answers); });
    return num_applied_.load(std::memory_order_relaxed);
  }

 private:
  template <class Task>
  void ForEach(size_t num_tasks, const Task& task) {
    if (target_.executor == nullptr) {
      for (size_t i = 0; i < num_tasks; ++i) task(i);
    } else {
      target_.executor->ForEach(num_tasks, task);
    }
  }

  size_t FirstOf(size_t chunk_idx) const { return chunk_idx * kSplitChunk; }
  size_t SizeOf(size_t chunk_idx) const {
    return std::min(kSplitChunk, num_keys_ - FirstOf(chunk_idx));
  }
  std::span<uint16_t> RangesOf(size_t c) { return ranges_.span().subspan(FirstOf(c), SizeOf(c)); }
  std::span<uint64_t> SplitOf(size_t c) { return split_.span().subspan(FirstOf(c), SizeOf(c)); }
  std::span<uint32_t> StartsOf(size_t c) {
    return starts_.span().subspan(c * (num_ranges_ + 1), num_ranges_ + 1);
  }
  std::span<uint64_t> SplitAnswersOf(size_t c) {
    return split_answers_.span().subspan(FirstOf(c) / 64, (SizeOf(c) + 63) / 64);
  }

  void SplitChunk(Keys keys, size_t c) {
    const std::span<uint64_t> buffer = digests_.size() == 0
                                           ? std::span<uint64_t>()
                                           : digests_.span().subspan(FirstOf(c), SizeOf(c));
    const std::span<const uint64_t> digests =
        DigestsOf(target_.policy, keys, FirstOf(c), SizeOf(c), buffer);
    SplitByRange(digests, range_bits_, RangesOf(c), SplitOf(c), StartsOf(c));
  }

  // The first keys of the range's run in a chunk, which the chunk before has time to fetch.
  std::span<const uint64_t> HeadOf(size_t c, size_t o) {
    if (c == num_chunks_) return {};
    const std::span<uint32_t> starts = StartsOf(c);
    const size_t count = std::min<size_t>(kernels::kUpdateDistance, starts[o + 1] - starts[o]);
    return SplitOf(c).subspan(starts[o], count);
  }

  void ApplyOwnedRange(size_t o) {
    uint64_t num_applied = 0;
    target_.store.FetchAhead(HeadOf(0, o));
    for (size_t c = 0; c < num_chunks_; ++c) {
      target_.store.FetchAhead(HeadOf(c + 1, o));
      const size_t begin = StartsOf(c)[o];
      const size_t end = StartsOf(c)[o + 1];
      if (begin < end) num_applied += ApplyPart(c, o, begin, end);
    }
    num_applied_.fetch_add(num_applied, std::memory_order_relaxed);
  }

  // Answers are gathered here first: a run's first and last word of bits belong to its neighbours,
  // too, whose tasks may be at work.
  uint64_t ApplyPart(size_t c, size_t o, size_t begin, size_t end) {
    const size_t base = begin / 64 * 64;  // so that bits need no shifting
    std::array<uint64_t, kSplitChunk / 64> bits;
    const size_t num_words = update_ == Update::kInsert ? 0 : (end - base + 63) / 64;
    std::fill_n(bits.begin(), num_words, 0);
    const kernels::DigestRange range{begin - base, end - base,
                                     begin - base + kernels::kUpdateDistance};
    const uint64_t num_applied = ApplyRange(target_, update_, SplitOf(c).data() + base, range, o,
                                            range_bits_, std::span(bits).first(num_words));
    for (size_t w = 0; w < num_words; ++w) {
      std::atomic_ref<uint64_t>(SplitAnswersOf(c)[base / 64 + w])
          .fetch_or(bits[w], std::memory_order_relaxed);
    }
    return num_applied;
  }

  void Unsplit(size_t c, std::span<uint64_t> answers) {
    std::array<uint32_t, size_t{1} << BlockStore::kMaxOwnedRangeBits> cursors;
    UnsplitAnswers(RangesOf(c), StartsOf(c), SplitAnswersOf(c),
                   std::span(cursors).first(num_ranges_), answers.data() + FirstOf(c) / 64);
  }

  const UpdateTarget& target_;
  const Update update_;
  const uint32_t range_bits_;
  const size_t num_ranges_;
  size_t num_keys_ = 0;
  size_t num_chunks_ = 0;
  std::atomic<uint64_t> num_applied_{0};
  // Chunk c's part begins at c * kSplitChunk, in starts_ at c * (num_owned_ranges + 1).
  ScratchArray<uint64_t> digests_;
  ScratchArray<uint16_t> ranges_;
  ScratchArray<uint64_t> split_;
  ScratchArray<uint32_t> starts_;
  ScratchArray<uint64_t> split_answers_;
};

}  // namespace

std::optional<uint64_t> UpdateSplit(const UpdateTarget& target, Update update, Keys keys,
                                    std::span<uint64_t> answers) noexcept {
  if (keys.empty()) return 0;
  const uint64_t worthwhile = kKeysPerBlock * target.store.geometry().num_blocks;
  const uint64_t largest = (std::max<uint64_t>(worthwhile, 1) + kSplitChunk - 1) / kSplitChunk;
  const size_t pass_keys = std::min<uint64_t>(keys.size(), largest * kSplitChunk);
  const bool has_digests = keys.kind() == KeyKind::kDigests;
  Pass pass(target, update, pass_keys, has_digests);
  if (!pass.has_memory()) return std::nullopt;
  uint64_t num_applied = 0;
  for (size_t first = 0; first < keys.size(); first += pass_keys) {
    const size_t count = std::min(pass_keys, keys.size() - first);
    const std::span<uint64_t> part =
        answers.empty() ? answers : answers.subspan(first / 64, (count + 63) / 64);
    num_applied += pass.Run(Subspan(keys, first, count), part);
  }
  return num_applied;
}

}  // namespace trommel
