// The versions of all groups at once (group_versions.h). Included once per target.
//
// A query of many keys may look at all versions before it reads its blocks, and again after,
// instead of at one for each key. All were even, and none has changed: then every answer counts, by
// the proof of a single one. Versions only rise, so none has changed iff their sum is the same.
//
// Beside a writer that is at work some version nearly always has: then the keys are looked up
// again, each with its version.
#if defined(TROMMEL_KERNELS_ALL_VERSIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_ALL_VERSIONS_INL_H_
#undef TROMMEL_KERNELS_ALL_VERSIONS_INL_H_
#else
#define TROMMEL_KERNELS_ALL_VERSIONS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/presence_words.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

class AllVersions {
 public:
  explicit HWY_INLINE AllVersions(const FingerprintBlocks& blocks)
      : versions_(blocks.versions), size_(blocks.num_versions) {}

  // Are there so few that looking at all of them costs less than at one for each of so many keys?
  static HWY_INLINE bool AreFew(const FingerprintBlocks& blocks, size_t num_keys) {
    constexpr uint64_t kMost = 4096;  // 32 KiB: most of a first-level cache
    constexpr uint64_t kMostPerKey = 4;
    return blocks.num_versions != 0 && blocks.num_versions <= kMost &&
           blocks.num_versions <= kMostPerKey * num_keys;
  }

  // After so many keys one should look again: at one version per key or less. What has been read
  // since the last look is lost where a version has changed, so the fewer the better.
  HWY_INLINE size_t KeysPerLook() const { return HWY_MAX(size_t{256}, size_ / 4); }

  // Queries read blocks from now on. Returns false if a group is being changed: no answer would
  // count.
  HWY_INLINE bool Begin() {
    const Look look = LookAtAll();
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    sum_ = look.sum;
    return !look.is_any_odd;
  }

  // Does what was read since Begin, or since the last call, count?
  HWY_INLINE bool HaveStayed() const {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const Look look = LookAtAll();
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return look.sum == sum_;
  }

 private:
  struct Look {
    uint64_t sum;
    bool is_any_odd;
  };

  HWY_INLINE Look LookAtAll() const {
    uint64_t sum = 0;
    uint64_t any = 0;
    size_t i = 0;
    const auto look_at_one = [&]() HWY_ATTR {
      const uint64_t version = __atomic_load_n(versions_ + i, __ATOMIC_RELAXED);
      sum += version;
      any |= version;
      ++i;
    };
#if !TROMMEL_ATOMIC_WORDS
    // Aligned vectors, which do not tear within their words (presence_words.h).
    const hn::ScalableTag<uint64_t> d;
    const size_t lanes = hn::Lanes(d);
    while (i < size_ && reinterpret_cast<uintptr_t>(versions_ + i) % (lanes * 8) != 0) {
      look_at_one();
    }
    auto sums0 = hn::Zero(d);
    auto sums1 = hn::Zero(d);
    auto any0 = hn::Zero(d);
    auto any1 = hn::Zero(d);
    for (; i + 2 * lanes <= size_; i += 2 * lanes) {
      const auto versions0 = hn::Load(d, versions_ + i);
      const auto versions1 = hn::Load(d, versions_ + i + lanes);
      sums0 = hn::Add(sums0, versions0);
      sums1 = hn::Add(sums1, versions1);
      any0 = hn::Or(any0, versions0);
      any1 = hn::Or(any1, versions1);
    }
    sum += hn::GetLane(hn::SumOfLanes(d, hn::Add(sums0, sums1)));
    const auto odd = hn::And(hn::Or(any0, any1), hn::Set(d, uint64_t{1}));
    any |= static_cast<uint64_t>(!hn::AllTrue(d, hn::Eq(odd, hn::Zero(d))));
#endif
    while (i < size_) look_at_one();
    return {sum, (any & 1) != 0};
  }

  const uint64_t* versions_;
  size_t size_;
  uint64_t sum_ = 0;
};

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
