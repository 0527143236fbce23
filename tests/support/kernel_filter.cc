#include "support/kernel_filter.h"

#include <algorithm>

#include "kernels/layout.h"
#include "kernels/plane_block.h"
#include "kernels/targets.h"
#include "support/catch.h"

namespace trommel::tests {

using kernels::Applied;
using kernels::kNumPlanes;
using kernels::kPositions;

KernelFilter::KernelFilter(uint64_t num_blocks, size_t num_slices)
    : num_blocks_(num_blocks),
      num_slices_(num_slices),
      presence_(num_blocks * num_slices),
      planes_(num_blocks * num_slices * kNumPlanes) {}

KernelFilter::KernelFilter(const kernels::ReferenceFilter& reference)
    : KernelFilter(reference.num_blocks(), reference.num_slices()) {
  std::ranges::copy(reference.PresenceWords(), presence_.data());
  std::ranges::copy(reference.PlaneWords(), planes_.data());
  const auto per_block = static_cast<std::ptrdiff_t>(num_slices_ * kPositions);
  for (const uint64_t b : reference.PromotedBlocks()) {
    const auto first = reference.counters().begin() + static_cast<std::ptrdiff_t>(b) * per_block;
    promoted_[b] = Counters(first, first + per_block);
  }
}

kernels::Blocks KernelFilter::View() { return {presence_.data(), planes_.data(), num_blocks_}; }

const kernels::BlockKernels& KernelFilter::Kernels() const {
  return kernels::ActiveKernels().planes(num_slices_);
}

bool KernelFilter::IsPromoted(uint64_t block_idx) const {
  return kernels::IsPromoted(planes_.data() + block_idx * num_slices_ * kNumPlanes, num_slices_);
}

void KernelFilter::CheckContract(const Applied& applied, std::span<const uint64_t> digests,
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
    const bool is_spilled_rightly = IsPromoted(kernels::BlockIndex(digests[i], num_blocks_));
    if (!is_handled || !is_spilled_rightly) FAIL("key " << i << " was spilled wrongly");
  }
  // A key that stops the kernel has a block that is not promoted yet: the caller does that.
  if (applied.end < end) {
    REQUIRE_FALSE(IsPromoted(kernels::BlockIndex(digests[applied.end], num_blocks_)));
  }
}

void KernelFilter::Promote(uint64_t block_idx) {
  uint32_t* planes = planes_.data() + block_idx * num_slices_ * kNumPlanes;
  Counters counters(num_slices_ * kPositions);
  kernels::DecodePlanes(presence_.data() + block_idx * num_slices_, planes, num_slices_, counters);
  promoted_[block_idx] = counters;
  kernels::MarkPromoted(planes, num_slices_);
}

bool KernelFilter::Apply(uint64_t digest, bool is_insert, bool only_if_absent) {
  const uint64_t block_idx = kernels::BlockIndex(digest, num_blocks_);
  Counters& counters = promoted_.at(block_idx);
  bool is_present = true;
  for (size_t s = 0; s < num_slices_; ++s) {
    is_present &= counters[s * kPositions + kernels::Position(digest, s, num_slices_)] > 0;
  }
  if (is_insert ? only_if_absent && is_present : !is_present) return false;
  uint32_t* presence = presence_.data() + block_idx * num_slices_;
  for (size_t s = 0; s < num_slices_; ++s) {
    const uint32_t position = kernels::Position(digest, s, num_slices_);
    uint64_t& count = counters[s * kPositions + position];
    count += is_insert ? 1 : ~uint64_t{0};
    const uint32_t bit = 1U << position;
    presence[s] = count > 0 ? presence[s] | bit : presence[s] & ~bit;
  }
  if (kernels::FitsPlanes(counters, num_slices_)) {
    kernels::EncodePlanes(counters, num_slices_, presence,
                          planes_.data() + block_idx * num_slices_ * kNumPlanes);
    promoted_.erase(block_idx);
  }
  return true;
}

void KernelFilter::Insert(std::span<const uint64_t> digests, size_t begin, size_t end) {
  while (begin < end) {
    Guarded<uint32_t> spilled(end - begin);
    const Applied applied = Kernels().insert(digests.data(), {begin, end}, View(), spilled.data());
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
    const Applied applied = Kernels().insert_if_absent(digests.data(), {begin, end}, View(),
                                                       inserted.data(), spilled.data());
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
  const Applied applied =
      Kernels().erase(digests.data(), {begin, end}, View(), erased.data(), spilled.data());
  CheckContract(applied, digests, begin, end, spilled);
  REQUIRE(applied.end == end);  // an erase never stops
  for (size_t i = 0; i < applied.num_spilled; ++i) {
    const uint32_t key_idx = spilled.data()[i];
    if (IsPromoted(kernels::BlockIndex(digests[key_idx], num_blocks_))) {
      const bool was_in = Apply(digests[key_idx], /*is_insert=*/false, /*only_if_absent=*/false);
      erased[key_idx / 64] |= uint64_t{was_in} << (key_idx % 64);
    } else {  // an earlier key let the block come back
      uint32_t unused = 0;
      Kernels().erase(digests.data(), {key_idx, key_idx + size_t{1}}, View(), erased.data(),
                      &unused);
    }
  }
}

std::string KernelFilter::DifferenceFrom(const kernels::ReferenceFilter& reference) const {
  if (!presence_.GuardsIntact() || !planes_.GuardsIntact()) return "written outside the arrays";
  std::string difference = FirstDifference(presence_.Copy(), reference.PresenceWords());
  if (!difference.empty()) return "presence " + difference;
  difference = FirstDifference(planes_.Copy(), reference.PlaneWords());
  if (!difference.empty()) return "planes " + difference;
  const size_t per_block = num_slices_ * kPositions;
  for (const auto& [block_idx, counters] : promoted_) {
    const uint64_t* want = reference.counters().data() + block_idx * per_block;
    difference = FirstDifference(counters, Counters(want, want + per_block));
    if (!difference.empty()) return "side counters " + difference;
  }
  return "";
}

}  // namespace trommel::tests
