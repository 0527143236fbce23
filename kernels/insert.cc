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

// Inserts into a block that may turn out not to take the key.
template <size_t kSlices>
HWY_INLINE Fate TryAdd(uint64_t digest, const Block<kSlices>& block) {
  if (HWY_UNLIKELY(HitsFullCounter<kSlices>(digest, block.planes))) {
    return IsPromoted(block.planes, kSlices) ? Fate::kSpill : Fate::kStop;
  }
  AddKey(digest, block);
  if (HWY_UNLIKELY(IsPromoted(block.planes, kSlices))) {
    // 256 keys filled slice 0 to the brim: that state is the marker. What a reader saw meanwhile
    // were bits of this key, which is coming in.
    TakeKey(digest, block);
    return Fate::kStop;
  }
  return Fate::kDone;
}

template <size_t kSlices>
Applied Insert(const uint64_t* HWY_RESTRICT digests, const Run& run, const Blocks& blocks,
               uint32_t* HWY_RESTRICT spilled) {
  return ForEachKey<kSlices>(digests, run, blocks, spilled,
                             [digests](size_t i, const Block<kSlices>& block)
                                 HWY_ATTR { return TryAdd(digests[i], block); });
}

template <size_t kSlices>
Applied InsertIfAbsent(const uint64_t* HWY_RESTRICT digests, const Run& run, const Blocks& blocks,
                       uint64_t* HWY_RESTRICT inserted, uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, inserted](size_t i, const Block<kSlices>& block) HWY_ATTR {
    // True for a promoted block, too: keys of it that still wait in the spill list only add bits.
    if (ShowsAll<kSlices>(digests[i], block.presence)) return Fate::kDone;
    const Fate fate = TryAdd(digests[i], block);
    inserted[i / 64] |= static_cast<uint64_t>(fate == Fate::kDone) << (i % 64);
    return fate;
  };
  return ForEachKey<kSlices>(digests, run, blocks, spilled, step);
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
