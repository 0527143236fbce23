// Operations on whole filters of runs, block by block: tally, merge, subtract, fold.
#if defined(TROMMEL_KERNELS_WHOLE_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_WHOLE_RUNS_INL_H_
#undef TROMMEL_KERNELS_WHOLE_RUNS_INL_H_
#else
#define TROMMEL_KERNELS_WHOLE_RUNS_INL_H_
#endif

#include <bit>

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

template <class Layout>
bool IsPromotedIn(const typename Layout::Block& block) {
  return Layout::OfSlices::Load(block.presence, 0) != 0 &&
         typename Layout::Strings(block.counts()).Get(0) == 0;
}

template <class Layout>
Tally TallyBlocks(const Blocks& blocks, uint64_t begin, uint64_t end) {
  Tally tally;
  for (uint64_t b = begin; b < end; ++b) {
    const auto block = Layout::BlockAt(blocks, b);
    uint64_t product = 1;  // at most 64^10 = 2^60
    for (size_t s = 0; s < Layout::kNumSlices; ++s) {
      const auto count =
          static_cast<uint64_t>(std::popcount(Layout::OfSlices::Load(block.presence, s)));
      tally.num_present += count;
      product *= count;
    }
    tally.product_sum += product;
    tally.num_promoted += IsPromotedIn<Layout>(block) ? 1 : 0;
  }
  return tally;
}

// A slice of a block, in registers.
struct Slice {
  uint64_t presence;
  uint64_t runs;
};

// Calls visit(position, count) for each present position of the slice, lowest first.
template <class Visit>
HWY_INLINE void ForEachRun(Slice slice, const Visit& visit) {
  for (; slice.presence != 0; slice.presence &= slice.presence - 1) {
    slice.runs >>= 1;
    const auto zeros = static_cast<uint32_t>(std::countr_zero(slice.runs));
    visit(static_cast<uint32_t>(std::countr_zero(slice.presence)), zeros + 1);
    slice.runs >>= zeros;
  }
}

template <class Layout>
HWY_INLINE Slice SliceOf(const typename Layout::Block& block,
                         const typename Layout::Strings& strings, size_t s) {
  return {Layout::OfSlices::Load(block.presence, s), strings.Get(s)};
}

// The sum of blocks a and b. Returns false, and changes nothing, if either is promoted or the sum
// must be.
template <class Layout>
bool AddBlocks(const typename Layout::Block& a, const typename Layout::Block& b,
               const typename Layout::Block& sum) {
  using Strings = typename Layout::Strings;
  if (IsPromotedIn<Layout>(a) || IsPromotedIn<Layout>(b)) return false;
  const Strings of_a(a.counts());
  const Strings of_b(b.counts());
  const uint32_t num_keys = KeysOfRuns(of_a.Get(0)) + KeysOfRuns(of_b.Get(0));
  if (num_keys > RunCapacity(Layout::kNumSlices)) return false;
  Strings of_sum(sum.counts());
  for (size_t s = 0; s < Layout::kNumSlices; ++s) {
    Slice total = SliceOf<Layout>(a, of_a, s);
    if (total.runs == 0) total.runs = 1;  // the closing 1, before which runs are inserted
    ForEachRun(SliceOf<Layout>(b, of_b, s), [&](uint32_t position, uint32_t count) HWY_ATTR {
      const uint64_t mark = uint64_t{1} << position;
      const uint64_t end = Layout::OfSlices::End(total.presence, total.runs, position);
      total.runs = WithKeys(total.runs, end, (total.presence & mark) != 0, count);
      total.presence |= mark;
    });
    Layout::OfSlices::Store(total.presence, sum.presence, s);
    of_sum.Put(s, num_keys == 0 ? 0 : total.runs);
  }
  of_sum.Finish();
  return true;
}

template <class Layout>
uint64_t Merge(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    const auto sum = Layout::BlockAt(into, b);
    if (HWY_UNLIKELY(!AddBlocks<Layout>(sum, Layout::BlockAt(from, b), sum))) return b;
  }
  return end;
}

template <class Layout>
uint64_t Fold(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    const auto low = Layout::BlockAt(from, 2 * b);
    const auto high = Layout::BlockAt(from, 2 * b + 1);
    if (HWY_UNLIKELY(!AddBlocks<Layout>(low, high, Layout::BlockAt(into, b)))) return b;
  }
  return end;
}

// The count at a position of a slice.
template <class Layout>
HWY_INLINE uint32_t CountAt(const Slice& slice, uint32_t position) {
  if ((slice.presence >> position & 1) == 0) return 0;
  return RunCount(slice.runs, Layout::OfSlices::End(slice.presence, slice.runs, position));
}

// Is every counter of a at least that of b?
template <class Layout>
bool CanSubtractBlock(const typename Layout::Block& a, const typename Layout::Block& b) {
  using Strings = typename Layout::Strings;
  if (IsPromotedIn<Layout>(a) || IsPromotedIn<Layout>(b)) return false;
  const Strings of_a(a.counts());
  const Strings of_b(b.counts());
  bool can = true;
  for (size_t s = 0; s < Layout::kNumSlices && can; ++s) {
    const Slice ours = SliceOf<Layout>(a, of_a, s);
    ForEachRun(SliceOf<Layout>(b, of_b, s), [&](uint32_t position, uint32_t count) HWY_ATTR {
      can &= CountAt<Layout>(ours, position) >= count;
    });
  }
  return can;
}

// a -= b. Requires CanSubtractBlock.
template <class Layout>
void SubtractBlock(const typename Layout::Block& a, const typename Layout::Block& b) {
  using Strings = typename Layout::Strings;
  Strings of_a(a.counts());
  const Strings of_b(b.counts());
  for (size_t s = 0; s < Layout::kNumSlices; ++s) {
    Slice left = SliceOf<Layout>(a, of_a, s);
    ForEachRun(SliceOf<Layout>(b, of_b, s), [&](uint32_t position, uint32_t count) HWY_ATTR {
      const uint64_t end = Layout::OfSlices::End(left.presence, left.runs, position);
      if (RunCount(left.runs, end) == count) left.presence &= ~(uint64_t{1} << position);
      left.runs = WithKeysLess(left.runs, end, count);
    });
    Layout::OfSlices::Store(left.presence, a.presence, s);
    of_a.Put(s, left.presence == 0 ? 0 : left.runs);
  }
  of_a.Finish();
}

template <class Layout>
uint64_t CanSubtract(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    if (!CanSubtractBlock<Layout>(Layout::BlockAt(into, b), Layout::BlockAt(from, b))) return b;
  }
  return end;
}

template <class Layout>
uint64_t Subtract(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    const auto a = Layout::BlockAt(into, b);
    const auto taken = Layout::BlockAt(from, b);
    if (!CanSubtractBlock<Layout>(a, taken)) return b;
    SubtractBlock<Layout>(a, taken);
  }
  return end;
}

}  // namespace

void AddWholeRunsForTarget(KernelTable& kernels) {
  ForEachRunLayout(kernels, []<class Layout>(Layout, BlockKernels& table) {
    table.tally = &TallyBlocks<Layout>;
    table.merge = &Merge<Layout>;
    table.fold = &Fold<Layout>;
    table.subtract = &Subtract<Layout>;
    table.can_subtract = &CanSubtract<Layout>;
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
