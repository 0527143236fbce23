// Insert and insert-if-absent on presence and planes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/insert.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dispatch.h"
#include "kernels/register.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {  // one name may mean another thing in the next file

// What became of one key.
enum class Fate { kDone, kSpill, kStop };

// Inserts into a block that may turn out not to take the key.
template <size_t kSlices>
HWY_INLINE Fate TryAdd(uint64_t digest, const Block<kSlices>& block) {
  if (HWY_UNLIKELY(HitsFullCounter<kSlices>(digest, block.planes))) {
    return IsPromoted(block.planes, kSlices) ? Fate::kSpill : Fate::kStop;
  }
  AddKey(digest, block);
  if (HWY_UNLIKELY(IsPromoted(block.planes, kSlices))) {
    TakeKey(digest, block);  // 256 keys filled slice 0 to the brim: that state is the marker
    return Fate::kStop;
  }
  return Fate::kDone;
}

// The pipeline of every update: a key's lines are fetched kUpdateDistance keys before they are
// needed.
template <size_t kSlices, class Step>
HWY_INLINE Applied ForEachKey(const uint64_t* HWY_RESTRICT digests, size_t begin, size_t end,
                              const Blocks& blocks, uint32_t* HWY_RESTRICT spilled,
                              const Step& step) {
  const size_t lead = HWY_MIN(end, begin + kUpdateDistance);
  for (size_t i = begin; i < lead; ++i) Prefetch(BlockOf<kSlices>(digests[i], blocks));
  size_t num_spilled = 0;
  for (size_t i = begin; i < end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < end)) {
      Prefetch(BlockOf<kSlices>(digests[i + kUpdateDistance], blocks));
    }
    const Fate fate = step(i, BlockOf<kSlices>(digests[i], blocks));
    if (HWY_UNLIKELY(fate != Fate::kDone)) {
      if (fate == Fate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
    }
  }
  return {end, num_spilled};
}

template <size_t kSlices>
Applied Insert(const uint64_t* HWY_RESTRICT digests, size_t begin, size_t end, const Blocks& blocks,
               uint32_t* HWY_RESTRICT spilled) {
  return ForEachKey<kSlices>(digests, begin, end, blocks, spilled,
                             [digests](size_t i, const Block<kSlices>& block)
                                 HWY_ATTR { return TryAdd(digests[i], block); });
}

template <size_t kSlices>
Applied InsertIfAbsent(const uint64_t* HWY_RESTRICT digests, size_t begin, size_t end,
                       const Blocks& blocks, uint64_t* HWY_RESTRICT inserted,
                       uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, inserted](size_t i, const Block<kSlices>& block) HWY_ATTR {
    // True for a promoted block, too: keys of it that still wait in the spill list only add bits.
    if (ShowsAll<kSlices>(digests[i], block.presence)) return Fate::kDone;
    const Fate fate = TryAdd(digests[i], block);
    inserted[i / 64] |= static_cast<uint64_t>(fate == Fate::kDone) << (i % 64);
    return fate;
  };
  return ForEachKey<kSlices>(digests, begin, end, blocks, spilled, step);
}

}  // namespace

void AddInsertForTarget(Kernels& kernels) {
  kernels.planes8.insert = &Insert<8>;
  kernels.planes16.insert = &Insert<16>;
  kernels.planes8.insert_if_absent = &InsertIfAbsent<8>;
  kernels.planes16.insert_if_absent = &InsertIfAbsent<16>;
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::kernels {

HWY_EXPORT(AddInsertForTarget);
void AddInsert(int64_t target, Kernels& kernels) {
  TROMMEL_FOR_TARGET(AddInsertForTarget, target)(kernels);
}

}  // namespace trommel::kernels
#endif
