// FindBytes: 64 bytes of text become a word of bits, each set bit an offset.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/trommel/input/find_bytes.cc"
#include "tools/trommel/input/find_bytes.h"

#include <bit>
#include <cstring>

#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "trommel/targets.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::tool::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kBitsPerWord = 64;

// Bit i: text[i] is `wanted`.
HWY_INLINE uint64_t EqualBytes(const uint8_t* text, uint8_t wanted) {
  const hn::CappedTag<uint8_t, kBitsPerWord> d;
  uint64_t equal = 0;
  for (size_t i = 0; i < kBitsPerWord; i += hn::Lanes(d)) {
    // At least 8 bytes: some targets store more than the mask has.
    uint8_t bytes[sizeof(uint64_t)] = {};
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, text + i), hn::Set(d, wanted)), bytes);
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    equal |= bits << i;
  }
  return equal;
}

size_t FindAll(std::string_view text, char wanted, uint32_t* HWY_RESTRICT offsets) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  uint32_t* next = offsets;
  size_t i = 0;
  for (; i + kBitsPerWord <= text.size(); i += kBitsPerWord) {
    uint64_t equal = EqualBytes(bytes + i, static_cast<uint8_t>(wanted));
    for (; equal != 0; equal &= equal - 1) {
      *next++ = static_cast<uint32_t>(i + static_cast<size_t>(std::countr_zero(equal)));
    }
  }
  for (; i < text.size(); ++i) {
    if (text[i] == wanted) *next++ = static_cast<uint32_t>(i);
  }
  return static_cast<size_t>(next - offsets);
}

}  // namespace trommel::tool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::tool {

FindBytes* FindBytesForTarget() noexcept {
  const std::string_view active = ActiveTarget();
#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)  // one target
  (void)active;
#else
  // Highway's table without its first entry, which needs Highway's library.
  static constexpr FindBytes* kVersions[] = {nullptr, HWY_CHOOSE_TARGET_LIST(FindAll),
                                             HWY_CHOOSE_FALLBACK(FindAll)};
  for (int64_t targets = HWY_TARGETS; targets != 0; targets &= targets - 1) {
    const int64_t target = targets & -targets;
    if (hwy::TargetName(target) != active) continue;
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    return kVersions[chosen.GetIndex()];
  }
#endif
  return &HWY_STATIC_DISPATCH(FindAll);
}

}  // namespace trommel::tool
#endif
