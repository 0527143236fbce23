// What an AttributeFilter is made of: a scalable filter for each allowed set.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_ATTRIBUTE_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_ATTRIBUTE_FILTER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/attributes/query_plans.h"
#include "engine/src/base/memory_budget.h"
#include "engine/src/scalable/generations.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/sync/striped_shared_mutex.h"
#include "trommel/attribute_filter.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

struct AttributeFilter::Impl {
  // What it is, but for its filters.
  struct Frame {
    AttributeSets sets;
    std::vector<std::string> names;
    DigestPolicy digest;
    std::shared_ptr<Executor> executor;
    std::shared_ptr<MemoryBudget> memory;  // of all filters
  };

  Impl(Frame made_of, std::vector<ScalableFilter> filter_of_each_set);
  // Exclusive.
  void TakeFilters(std::vector<ScalableFilter> filter_of_each_set);

  static constexpr size_t kMaxNameBytes = 255;
  static Status CheckNames(std::span<const std::string> names, uint32_t num_attributes);
  // Of so many sets' filters: as given, or what the machine has beside what they take anyway.
  static uint64_t LimitFor(size_t num_sets, uint64_t memory_limit_bytes);
  static Error TooLarge(const AttributeSets& sets, uint64_t num_bytes, uint64_t memory_limit_bytes);

  // Either bitmap may be empty: no answers are wanted.
  InsertOutcome InsertBatch(const Tuples& tuples, std::span<uint64_t> inserted);
  EraseOutcome EraseBatch(const Tuples& tuples, std::span<uint64_t> erased);
  // May throw std::bad_alloc, before anything has changed.
  EraseOutcome EraseWhole(const Tuples& tuples, std::span<uint64_t> missing);

  struct InsertScratch;  // the memory for a chunk of tuples on their way in
  InsertOutcome InsertChunk(const Tuples& chunk, const InsertScratch& scratch,
                            std::span<uint64_t> inserted);
  // Whether every set has room, whatever the tuples are.
  bool HasRoomFor(uint64_t num_wanted) const;
  // Which of the tuples at these places the set shows, the k-th being bit k; in the scratch's
  // memory.
  std::span<const uint64_t> ShownBy(size_t set_idx, const Tuples& chunk,
                                    std::span<const uint32_t> places,
                                    const InsertScratch& scratch) const;
  // Of the tuples at these places, how many there are before the first for which the set has no
  // room; it may say fewer, but none only where the first has no room.
  size_t NumWithRoom(size_t set_idx, const Tuples& chunk, std::span<const uint32_t> places,
                     const InsertScratch& scratch) const;
  // Inserts those at these places. Returns what came of it; those that came in are kept, in front.
  InsertOutcome InsertPlaces(const Tuples& chunk, std::span<uint32_t> places,
                             const InsertScratch& scratch);
  // The same, set by set as far as all have room, so that none is refused but where others take
  // the room meanwhile.
  InsertOutcome InsertInTurns(const Tuples& chunk, std::span<uint32_t> places,
                              const InsertScratch& scratch);
  // Takes the tuples at these places, which this very call put in, out of the first num_sets sets.
  void TakeBack(const Tuples& chunk, std::span<const uint32_t> places, size_t num_sets,
                const InsertScratch& scratch);

  // Returns how many went.
  uint64_t EraseChunk(const Tuples& chunk, std::span<uint64_t> erased);
  struct EraseMarks;  // what is known of a chunk's tuples on their way out
  // Looks up in one set those that no other was seen to lack, and marks those that it lacks, and
  // those that might depend on each other's erasure.
  void MarkForErase(size_t set_idx, const Tuples& chunk, EraseMarks& marks) const;
  // Calls work(s) for every set, in several threads where that pays for so many tuples.
  template <class Work>
  void ForEachSet(size_t num_chosen, const Work& work) const;
  // Out of all sets, or out of none.
  bool EraseOne(const Tuples& chunk, size_t place);

  // The answers of a chunk of at most kernels::kMaxChunkKeys tuples; how many are set. There must
  // be parts.
  size_t QueryChunk(std::span<const uint32_t> parts, const Tuples& chunk,
                    std::span<uint64_t> maybe_present) const;
  // The answer for one tuple, which has a digest for each attribute.
  bool MayContain(std::span<const uint32_t> parts, std::span<const uint64_t> tuple,
                  const GracePeriods::Reader& inside) const noexcept;

  // Insertions hold it shared, erasing a chunk exclusively (attribute_filter_erase.cc says why).
  // First, because it is aligned to cache lines.
  mutable StripedSharedMutex erase_mutex;
  Frame frame;
  std::vector<ScalableFilter> filters;  // as sets.allowed()
  // Of the filters and the plans: a query for one tuple enters once for its plan and all parts.
  std::shared_ptr<GracePeriods> grace_periods;
  std::vector<const Generations*> generations;
  QueryPlans plans;
  std::atomic<uint64_t> num_tuples{0};
  std::atomic<uint64_t> num_refused_inserts{0};
  std::atomic<uint64_t> num_refused_erases{0};
  mutable ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_ATTRIBUTE_FILTER_IMPL_H_
