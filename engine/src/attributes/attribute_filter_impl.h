// What an AttributeFilter is made of: for each allowed set an engine that grows (GrowingEngine),
// all in one memory.
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
#include "engine/src/growing/growing_memory.h"
#include "engine/src/scalable/growing_engine.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/sync/striped_shared_mutex.h"
#include "engine/src/tuples/projection.h"
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
  };
  using Engines = std::vector<std::unique_ptr<GrowingEngine>>;

  // Engines in this memory.
  Impl(Frame made_of, std::shared_ptr<GrowingMemory> memory_of_all, Engines engine_of_each_set);

  // What an engine and its list take beside num_bytes, about.
  static constexpr uint64_t kFixedBytes = uint64_t{4} << 10;
  // What engines are made in, within a limit.

  static constexpr size_t kMaxNameBytes = 255;
  static Status CheckNames(std::span<const std::string> names, uint32_t num_attributes);
  // Of so many sets' engines: as given, or what the machine has beside what they take anyway.
  static uint64_t LimitFor(size_t num_sets, uint64_t memory_limit_bytes);
  static Error TooLarge(const AttributeSets& sets, uint64_t num_bytes, uint64_t memory_limit_bytes);

  // Either bitmap may be empty: no answers are wanted.
  InsertOutcome InsertBatch(const Tuples& tuples, std::span<uint64_t> inserted);
  EraseOutcome EraseBatch(const Tuples& tuples, std::span<uint64_t> erased);
  // May throw std::bad_alloc, before anything has changed.
  EraseOutcome EraseWhole(const Tuples& tuples, std::span<uint64_t> missing);

  GrowingEngine::Context context() const {
    return {.policy = callers_digests, .executor = frame.executor.get()};
  }
  // What a set's engine is given for the tuples at these places: of the columns, or in the buffer.
  std::span<const uint64_t> DigestsOf(size_t set_idx, const Tuples& chunk,
                                      std::span<const uint32_t> places,
                                      std::span<uint64_t> buffer) const {
    const auto digests = ChosenDigests(frame.sets.allowed()[set_idx], chunk, places, buffer);
    const uint32_t shift = engines[set_idx]->plan().digest_shift();
    if (shift == 0) return digests;
    for (size_t i = 0; i < digests.size(); ++i) buffer[i] = digests[i] >> shift;
    return buffer.first(digests.size());
  }
  uint64_t DigestOf(size_t set_idx, std::span<const uint64_t> tuple) const {
    return ProjectionDigest(frame.sets.allowed()[set_idx], tuple) >>
           engines[set_idx]->plan().digest_shift();
  }
  // The same of all tuples, in `digests`.
  void WriteDigests(size_t set_idx, const Tuples& tuples, std::span<uint64_t> digests) const;

  struct InsertScratch;  // the memory for a chunk of tuples on their way in
  // Inserts those at these places. Returns what came of it; those that came in are kept, in front.
  InsertOutcome InsertPlaces(const Tuples& chunk, std::span<uint32_t> places,
                             const InsertScratch& scratch);
  InsertOutcome InsertChunk(const Tuples& chunk, const InsertScratch& scratch,
                            std::span<uint64_t> inserted);
  // Takes the tuples at these places, which this very call put in, out of the first num_sets sets.
  void TakeBack(const Tuples& chunk, std::span<const uint32_t> places, size_t num_sets,
                const InsertScratch& scratch);

  // Returns how many went.
  uint64_t EraseChunk(const Tuples& chunk, std::span<uint64_t> erased);
  struct EraseMarks;  // what is known of a chunk's tuples on their way out
  // Looks up in one set those that no other was seen to lack, and marks those that it lacks, and
  // those that it holds less often than they are given.
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
  const DigestPolicy callers_digests{.kind = DigestKind::kCaller};
  // Of the engines, and its grace periods of the plans, too: a query for one tuple enters once for
  // its plan and all parts.
  std::shared_ptr<GrowingMemory> memory;
  Engines engines;  // as sets.allowed()
  QueryPlans plans;
  std::atomic<uint64_t> num_tuples{0};
  std::atomic<uint64_t> num_refused_inserts{0};
  std::atomic<uint64_t> num_refused_erases{0};
  mutable ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_ATTRIBUTE_FILTER_IMPL_H_
