#include "support/kernel_filter.h"

#include <algorithm>

#include "kernels/layout.h"
#include "kernels/plane_block.h"
#include "kernels/run_block.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/shapes.h"

namespace trommel::tests {

using kernels::UpdateProgress;

KernelFilter::KernelFilter(uint64_t num_blocks, kernels::Shape shape)
    : num_blocks_(num_blocks),
      shape_(shape),
      count_words_(kernels::ReferenceFilter(1, shape).CountWordsPerBlock()),
      presence_(num_blocks * (presence_words() + (shape.has_runs ? count_words_ : 0))),
      planes_(shape.has_runs ? 0 : num_blocks * count_words_) {}

KernelFilter::KernelFilter(const kernels::ReferenceFilter& reference)
    : KernelFilter(reference.num_blocks(), reference.shape()) {
  const std::vector<uint32_t> presence = reference.PresenceWords();
  const std::vector<uint32_t> counts = reference.CountWords();
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    std::copy_n(presence.data() + b * presence_words(), presence_words(), PresenceOf(b));
    std::copy_n(counts.data() + b * count_words_, count_words_, CountsOf(b));
  }
  const auto per_block = static_cast<std::ptrdiff_t>(shape_.num_counters());
  for (const uint64_t b : reference.PromotedBlocks()) {
    const auto first = reference.counters().begin() + static_cast<std::ptrdiff_t>(b) * per_block;
    promoted_[b] = Counters(first, first + per_block);
  }
}

uint32_t* KernelFilter::PresenceOf(uint64_t block_idx) const {
  return presence_.data() + block_idx * (presence_words() + (shape_.has_runs ? count_words_ : 0));
}

uint32_t* KernelFilter::CountsOf(uint64_t block_idx) const {
  if (shape_.has_runs) return PresenceOf(block_idx) + presence_words();
  return planes_.data() + block_idx * count_words_;
}

std::vector<uint32_t> KernelFilter::PresenceWords() const {
  std::vector<uint32_t> words;
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    words.insert(words.end(), PresenceOf(b), PresenceOf(b) + presence_words());
  }
  return words;
}

std::vector<uint32_t> KernelFilter::CountWords() const {
  std::vector<uint32_t> words;
  for (uint64_t b = 0; b < num_blocks_; ++b) {
    words.insert(words.end(), CountsOf(b), CountsOf(b) + count_words_);
  }
  return words;
}

kernels::Blocks KernelFilter::View() {
  return {presence_.data(), shape_.has_runs ? nullptr : planes_.data(), num_blocks_};
}

const kernels::BlockKernels& KernelFilter::block_kernels() const {
  return KernelsOf(kernels::ActiveKernels(), shape_);
}

bool KernelFilter::IsPromoted(uint64_t block_idx) const {
  if (shape_.has_runs) {
    return kernels::IsPromotedRunBlock(PresenceOf(block_idx), CountsOf(block_idx),
                                       shape_.num_slices);
  }
  return kernels::IsPromoted(CountsOf(block_idx));
}

void KernelFilter::CheckContract(const UpdateProgress& applied, std::span<const uint64_t> digests,
                                 size_t begin, size_t end, const Guarded<uint32_t>& spilled) const {
  REQUIRE(applied.end >= begin);
  REQUIRE(applied.end <= end);
  REQUIRE(applied.num_spilled <= applied.end - begin);
  REQUIRE(spilled.GuardsIntact());
  const std::vector<uint32_t> list(spilled.data(), spilled.data() + applied.num_spilled);
  REQUIRE(std::ranges::is_sorted(list));
  REQUIRE(std::ranges::adjacent_find(list) == list.end());
  for (const uint32_t i : list) {
    const bool is_handled = begin <= i && i < applied.end;
    const uint64_t block_idx = kernels::BlockIndex(digests[i], num_blocks_);
    const bool is_spilled_rightly = IsPromoted(block_idx) || IsFullOfRuns(block_idx);
    if (!is_handled || !is_spilled_rightly) FAIL("key " << i << " was spilled wrongly");
  }
  // A key that stops the kernel is in a block that is to be promoted, by the caller.
  if (applied.end < end) {
    REQUIRE_FALSE(IsPromoted(kernels::BlockIndex(digests[applied.end], num_blocks_)));
  }
}

void KernelFilter::Promote(uint64_t block_idx) {
  const uint32_t* presence = PresenceOf(block_idx);
  uint32_t* counts = CountsOf(block_idx);
  Counters counters(shape_.num_counters());
  if (shape_.has_runs) {
    kernels::DecodeRuns(presence, counts, shape_.num_slices, counters);
    kernels::MarkPromotedRunBlock(counts, shape_.num_slices);
  } else {
    kernels::DecodePlanes(presence, counts, counters);
    kernels::MarkPromoted(counts);
  }
  promoted_[block_idx] = counters;
}

bool KernelFilter::IsFullOfRuns(uint64_t block_idx) const {
  if (!shape_.has_runs) return false;
  Counters counters(shape_.num_counters());
  kernels::DecodeRuns(PresenceOf(block_idx), CountsOf(block_idx), shape_.num_slices, counters);
  for (size_t s = 0; s < shape_.num_slices; ++s) {
    counters[s * kernels::SlicePositions(shape_.num_slices)] += 1;
  }
  return !kernels::FitsRuns(counters, shape_.num_slices);
}

bool KernelFilter::Apply(uint64_t digest, bool is_insert, bool only_if_absent) {
  const uint64_t block_idx = kernels::BlockIndex(digest, num_blocks_);
  if (!IsPromoted(block_idx)) Promote(block_idx);  // a full block of runs
  Counters& counters = promoted_.at(block_idx);
  bool is_present = true;
  for (size_t s = 0; s < shape_.num_slices; ++s) {
    is_present &= counters[kernels::CounterIndex(digest, s, shape_.num_slices)] > 0;
  }
  if (is_insert ? only_if_absent && is_present : !is_present) return false;
  uint32_t* presence = PresenceOf(block_idx);
  for (size_t s = 0; s < shape_.num_slices; ++s) {
    const uint32_t idx = kernels::CounterIndex(digest, s, shape_.num_slices);
    counters[idx] += is_insert ? 1 : ~uint64_t{0};
    const uint32_t bit = 1U << (idx % 32);
    uint32_t& word = presence[idx / 32];
    word = counters[idx] > 0 ? word | bit : word & ~bit;
  }
  const bool fits = shape_.has_runs ? kernels::FitsRuns(counters, shape_.num_slices)
                                    : kernels::FitsPlanes(counters);
  if (!fits) return true;
  if (shape_.has_runs) {
    kernels::EncodeRuns(counters, shape_.num_slices, presence, CountsOf(block_idx));
  } else {
    kernels::EncodePlanes(counters, presence, CountsOf(block_idx));
  }
  promoted_.erase(block_idx);
  return true;
}

void KernelFilter::Insert(std::span<const uint64_t> digests, size_t begin, size_t end) {
  while (begin < end) {
    Guarded<uint32_t> spilled(end - begin);
    const UpdateProgress applied =
        block_kernels().insert(digests.data(), {begin, end}, View(), spilled.data());
    CheckContract(applied, digests, begin, end, spilled);
    for (size_t i = 0; i < applied.num_spilled; ++i) {
      Apply(digests[spilled.data()[i]], /*is_insert=*/true, /*only_if_absent=*/false);
    }
    begin = applied.end;
    if (begin < end) Promote(kernels::BlockIndex(digests[begin], num_blocks_));
  }
}

void KernelFilter::InsertIfAbsent(std::span<const uint64_t> digests, size_t begin, size_t end,
                                  std::span<uint64_t> inserted) {
  while (begin < end) {
    Guarded<uint32_t> spilled(end - begin);
    const UpdateProgress applied = block_kernels().insert_if_absent(
        digests.data(), {begin, end}, View(), inserted.data(), spilled.data());
    CheckContract(applied, digests, begin, end, spilled);
    for (size_t i = 0; i < applied.num_spilled; ++i) {
      const uint32_t key_idx = spilled.data()[i];
      REQUIRE((inserted[key_idx / 64] >> (key_idx % 64) & 1) == 0);
      const bool is_new = Apply(digests[key_idx], /*is_insert=*/true, /*only_if_absent=*/true);
      inserted[key_idx / 64] |= uint64_t{is_new} << (key_idx % 64);
    }
    begin = applied.end;
    if (begin < end) Promote(kernels::BlockIndex(digests[begin], num_blocks_));
  }
}

void KernelFilter::Erase(std::span<const uint64_t> digests, size_t begin, size_t end,
                         std::span<uint64_t> erased) {
  if (begin == end) return;
  Guarded<uint32_t> spilled(end - begin);
  const UpdateProgress applied =
      block_kernels().erase(digests.data(), {begin, end}, View(), erased.data(), spilled.data());
  CheckContract(applied, digests, begin, end, spilled);
  REQUIRE(applied.end == end);  // an erase never stops
  for (size_t i = 0; i < applied.num_spilled; ++i) {
    const uint32_t key_idx = spilled.data()[i];
    if (IsPromoted(kernels::BlockIndex(digests[key_idx], num_blocks_))) {
      const bool was_in = Apply(digests[key_idx], /*is_insert=*/false, /*only_if_absent=*/false);
      erased[key_idx / 64] |= uint64_t{was_in} << (key_idx % 64);
    } else {  // an earlier key let the block come back
      uint32_t unused = 0;
      block_kernels().erase(digests.data(), {key_idx, key_idx + size_t{1}}, View(), erased.data(),
                            &unused);
    }
  }
}

std::string KernelFilter::DifferenceFrom(const kernels::ReferenceFilter& reference) const {
  if (!presence_.GuardsIntact() || !planes_.GuardsIntact()) return "written outside the arrays";
  std::string difference = FirstDifference(PresenceWords(), reference.PresenceWords());
  if (!difference.empty()) return "presence " + difference;
  difference = FirstDifference(CountWords(), reference.CountWords());
  if (!difference.empty()) return "counts " + difference;
  const size_t per_block = shape_.num_counters();
  for (const auto& [block_idx, counters] : promoted_) {
    const uint64_t* want = reference.counters().data() + block_idx * per_block;
    difference = FirstDifference(counters, Counters(want, want + per_block));
    if (!difference.empty()) return "side counters " + difference;
  }
  return "";
}

}  // namespace trommel::tests
