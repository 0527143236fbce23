// ScalableParts: what only a filter that is made of scalable filters of generations may do with
// them: one plan and one memory limit for several, and their generations in a file.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_PARTS_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/src/base/memory_budget.h"
#include "engine/src/blocks/shortfalls.h"
#include "engine/src/scalable/generations.h"
#include "engine/src/scalable/generations_file.h"
#include "engine/src/scalable/growth_plan.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

struct ScalableParts {
  // As ScalableFilter::Create, with the plan that GrowthPlan::Make gave for the config.
  // kOutOfMemory where the budget has no room, too.
  static Result<ScalableFilter> Create(const ScalableConfig& config, const GrowthPlan& plan,
                                       std::shared_ptr<MemoryBudget> budget);
  // What the filter was when it was new.
  static Result<ScalableFilter> EmptyLike(const ScalableFilter& filter,
                                          std::shared_ptr<MemoryBudget> budget);

  // Its generations. Valid as long as the filter is, also if it is moved.
  static Generations& GenerationsOf(const ScalableFilter& filter);

  // Sets bit i of `held` iff the filter holds digest i, as an update would find it: also where only
  // a side table can decide; the other bits as Query. Returns how many are set. Thread safety:
  // beside updates.
  static size_t QueryExactly(const ScalableFilter& filter, std::span<const uint64_t> digests,
                             std::span<uint64_t> held) noexcept;

  // As GrowthEngine::FindMissing.
  static void FindMissing(const ScalableFilter& filter, std::span<const uint64_t> digests,
                          Shortfalls& shortfalls);

  // What its list and its locks take beside num_bytes, about.
  static constexpr uint64_t kFixedBytes = uint64_t{24} << 10;
  // Keys that the newest generation would take beside those that are shown; others may take the
  // room meanwhile.
  static uint64_t RoomOf(const ScalableFilter& filter);
  // Begins a generation if the newest has no room left, or says why not. kNone, and nothing done,
  // where others have begun one, or hold the room that is left.
  static GrowthRefusal Grow(ScalableFilter& filter);

  // Blocks and side tables. Takes the locks one by one. Cost: a few microseconds per generation.
  static uint64_t NumBytes(const ScalableFilter& filter);
  static const ScalableConfig& ConfigOf(const ScalableFilter& filter);

  // --- In files. As GrowthOf and WriteGenerations of its engine.
  static GrowthNumbers GrowthOf(const ScalableFilter& filter);
  static Result<WrittenGenerations> Write(const ScalableFilter& filter, uint32_t filter_idx,
                                          uint32_t first_store, FileWriter& file);
  // Of an outline, with digests that the caller makes, within what the budget has left; the limit
  // is for its growth, too.
  static Result<ScalableFilter> Read(FileReader& file, const GrowthOutline& outline,
                                     uint64_t limit_bytes, GrowthPlans& plans,
                                     std::shared_ptr<MemoryBudget> budget);
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_PARTS_H_
