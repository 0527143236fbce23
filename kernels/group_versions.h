// Versions of groups: how queries read fingerprint blocks beside a writer.
//
// Fingerprints move: within their block, and between the block, its group's overflow line and the
// side table. A query reads a block and a line by several loads, and a key that moves between two
// of them would be missed, though it is in all the time. So each group of 64 blocks has a version,
// which is odd while the group is changed. An answer "absent" counts only if the version was even
// and stayed what it was; "maybe present" always counts.
//
//   writer, under the lock of its blocks       query
//   version = v + 1    relaxed; v is even      before = version     acquire
//   fence              release                 block and line       relaxed: shown? "maybe present"
//   block and line     relaxed                 fence                acquire
//   version = v + 2    release                 after = version      relaxed
//                                              absent if before == after and even; else once more
//
// Why an "absent" that counts is right. Take any change. If one of the query's loads sees a store
// of it, then the version's odd store, before the writer's fence, happens before the load behind
// the query's fence: `after` is that odd value or a later one. As `after` is even and equals
// `before`, `before` is the value of the change's end or of a later one, and the acquire load makes
// all stores of the change visible: the query has seen the whole change. So what a query sees is
// the group as it was between two changes, and no older than any change that happened before the
// query. There a key that is in is shown, or is in its line, or its block says that not all of its
// keys are shown. (H.-J. Boehm, Can Seqlocks Get Along with Programming Language Memory Models?
// MSPC 2012, figure 6.) A version of 64 bits does not come back to a value.
//
// (A query of many keys may look at the versions of all groups instead: all_versions-inl.h.)
//
// A version must have one writer at a time. Where a group of dense blocks is cut in two by a
// range of blocks that has a lock of its own, each part has a version: that of range r and group g
// is g + r.
//
//   ranges of 100 blocks    | 0 ..            99 | 100 ..        199 | 200 ..
//   groups                  | 0      | 1      : 1 | 2      | 3  : 3 | 4
//   versions                | 0      | 1      | 2 | 3      | 4  | 5 | 6
//
// The words of blocks and lines are those of presence_words.h, which says what the machine must
// promise of vectors.
#ifndef TROMMEL_KERNELS_GROUP_VERSIONS_H_
#define TROMMEL_KERNELS_GROUP_VERSIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hwy/base.h"
#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

// The index of the version of a digest's block.
constexpr uint64_t VersionOf(uint64_t digest, uint64_t block_idx, const FingerprintBlocks& blocks) {
  return block_idx / kGroupBlocks + (digest >> 1 >> (63 - blocks.range_bits));
}

// For filters that one thread has to itself: nothing is done. The classes below are those for
// filters with versions.
struct NoGroupChange {
  NoGroupChange(const FingerprintBlocks& /*blocks*/, uint64_t /*version_idx*/) {}
};

// A change of one group, for its lifetime. Requires the lock of its blocks.
class GroupChange {
 public:
  GroupChange(const FingerprintBlocks& blocks, uint64_t version_idx)
      : GroupChange(blocks.versions + version_idx) {}
  explicit GroupChange(uint64_t* version)
      : version_(version), before_(__atomic_load_n(version_, __ATOMIC_RELAXED)) {
    __atomic_store_n(version_, before_ + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
  }
  ~GroupChange() { __atomic_store_n(version_, before_ + 2, __ATOMIC_RELEASE); }
  GroupChange(const GroupChange&) = delete;
  GroupChange& operator=(const GroupChange&) = delete;

 private:
  uint64_t* version_;
  uint64_t before_;
};

// The same for stores that may have versions or not, so that both use one kernel.
class GroupChangeIfVersioned {
 public:
  GroupChangeIfVersioned(const FingerprintBlocks& blocks, uint64_t version_idx) {
    if (blocks.versions != nullptr) change_.emplace(blocks, version_idx);
  }

 private:
  std::optional<GroupChange> change_;
};

// What up to kSize queries read: Add names the version of each, Begin takes the versions as they
// are, and Changed tells which of these have changed since.
template <size_t kSize>
struct NoGroupReads {
  static constexpr bool kHasVersions = false;
  void Add(size_t /*i*/, const FingerprintBlocks& /*blocks*/, uint64_t /*version_idx*/) {}
  void Begin(size_t /*begin*/, size_t /*end*/) {}
  uint64_t Changed(size_t /*begin*/, size_t /*end*/) const { return 0; }
};

template <size_t kSize>
struct GroupReads {
  static constexpr bool kHasVersions = true;

  void Add(size_t i, const FingerprintBlocks& blocks, uint64_t version_idx) {
    Add(i, blocks.versions + version_idx);
  }
  void Add(size_t i, const uint64_t* version) {
    addresses[i] = reinterpret_cast<uintptr_t>(version);
  }

  // Queries begin to end - 1 read their blocks from now on.
  void Begin(size_t begin, size_t end) {
    HWY_UNROLL(8)
    for (size_t i = begin; i < end; ++i) before[i] = Load(i, __ATOMIC_ACQUIRE);
  }

  // Bit i is set if what query i has read may be of different moments. Nearly always none is.
  uint64_t Changed(size_t begin, size_t end) const {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    // In two loops: the first is one of vectors.
    uint64_t any = 0;
    for (size_t i = begin; i < end; ++i) any |= before[i];
    uint64_t difference = any & 1;
    HWY_UNROLL(8)
    for (size_t i = begin; i < end; ++i) difference |= Load(i, __ATOMIC_RELAXED) ^ before[i];
    if (difference == 0) [[likely]]
      return 0;
    uint64_t changed = 0;
    for (size_t i = begin; i < end; ++i) {
      changed |= static_cast<uint64_t>(DifferenceOf(i) != 0) << i;  // it never becomes 0 again
    }
    return changed;
  }

  uint64_t Load(size_t i, int order) const {
    const auto* version = reinterpret_cast<const uint64_t*>(static_cast<uintptr_t>(addresses[i]));
    return __atomic_load_n(version, order);
  }
  // Not 0 if the version was odd or is another one now.
  uint64_t DifferenceOf(size_t i) const {
    const uint64_t after = Load(i, __ATOMIC_RELAXED);
    return (after ^ before[i]) | (after & 1);  // equal versions have equal low bits
  }

  alignas(64) uint64_t addresses[kSize];  // of versions
  alignas(64) uint64_t before[kSize];
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_GROUP_VERSIONS_H_
