// RangeVersions: was a range of a store changed while a batch of queries read it?
//
// Queries beside updates read the version of a group of blocks before and after each block
// (kernels/group_versions.h): two loads per key, which cost a third of a query in a cache. Mostly
// no update is under way. So each range of a store has a version as well, which is odd while an
// update of the range runs; and a query that finds all of them even, and the same before and after
// its chunk of keys, needs no other version. Otherwise it reads the chunk once more, with the
// versions of groups, and so do the next chunks, which are likely to meet updates, too.
//
// Why that is right: a range is a group in the sense of group_versions.h, and a chunk of keys a
// query. Versions only rise, so their sum is the same only if each of them is.
#ifndef TROMMEL_ENGINE_SRC_SYNC_RANGE_VERSIONS_H_
#define TROMMEL_ENGINE_SRC_SYNC_RANGE_VERSIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/group_versions.h"

namespace trommel {

class RangeVersions {
 public:
  // A chunk of fewer keys is read with versions of groups: to read all ranges' costs more.
  static constexpr size_t kLeastKeys = 256;

  explicit RangeVersions(uint32_t range_bits) : versions_(size_t{1} << range_bits) {}

  // An update of the range, for its lifetime. Requires the range's lock.
  class Update {
   public:
    Update(RangeVersions& versions, size_t range_idx)
        : change_(&versions.versions_[range_idx].value) {}

   private:
    kernels::GroupChange change_;
  };

  // Calls read() if no range is being changed, and returns whether none was meanwhile: then all
  // that it read is of one moment. If not, the next kPauses calls return false at once. Thread
  // safety: any thread, beside updates.
  template <class Read>
  bool ReadAtOnce(const Read& read) const {
    const uint32_t num_pauses = __atomic_load_n(&num_pauses_, __ATOMIC_RELAXED);
    if (num_pauses > 0) {
      __atomic_store_n(&num_pauses_, num_pauses - 1, __ATOMIC_RELAXED);  // a lost one does no harm
      return false;
    }
    const uint64_t before = Sum<__ATOMIC_ACQUIRE>();
    if (before != kChanging) {
      read();
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (Sum<__ATOMIC_RELAXED>() == before) return true;
    }
    __atomic_store_n(&num_pauses_, kPauses, __ATOMIC_RELAXED);
    return false;
  }

  // Updates that have ended.
  uint64_t num_updates() const {
    uint64_t sum = 0;
    for (const Version& version : versions_) {
      sum += __atomic_load_n(&version.value, __ATOMIC_RELAXED) / 2;
    }
    return sum;
  }

  // So many calls after one that failed return false: queries that meet an update meet more.
  static constexpr uint32_t kPauses = 15;

 private:
  static constexpr uint64_t kChanging = ~uint64_t{0};  // odd, so that no sum is

  struct alignas(64) Version {  // neighbours are changed by other threads
    uint64_t value = 0;
  };

  // Of all versions; kChanging if one is odd.
  template <int kOrder>
  uint64_t Sum() const {
    uint64_t sum = 0;
    uint64_t any = 0;
    for (const Version& version : versions_) {
      const uint64_t value = __atomic_load_n(&version.value, kOrder);
      sum += value;
      any |= value;
    }
    return any % 2 == 0 ? sum : kChanging;
  }

  std::vector<Version> versions_;
  mutable uint32_t num_pauses_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_RANGE_VERSIONS_H_
