#include "engine/src/scalable/scalable_parts.h"

#include <algorithm>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/scalable/scalable_filter_impl.h"

namespace trommel {

Result<ScalableFilter> ScalableParts::Create(const ScalableConfig& config, const GrowthPlan& plan,
                                             std::shared_ptr<MemoryBudget> budget) {
  Result<std::unique_ptr<Generations>> generations =
      Generations::Create(plan, config.memory_limit_bytes);
  if (!generations.ok()) return generations.error();
  if (!(*generations)->Join(std::move(budget))) {
    return Error{ErrorCode::kOutOfMemory, "the memory limit that several filters share is used up"};
  }
  return ScalableFilter(std::make_unique<ScalableFilter::Impl>(
      config, std::make_unique<GenerationsEngine>(config, *std::move(generations)),
      "an attribute filter is made of them"));
}

Result<ScalableFilter> ScalableParts::EmptyLike(const ScalableFilter& filter,
                                                std::shared_ptr<MemoryBudget> budget) {
  return Create(filter.impl_->config, filter.impl_->generations().generations().plan(),
                std::move(budget));
}

Generations& ScalableParts::GenerationsOf(const ScalableFilter& filter) {
  return filter.impl_->generations().generations();
}

uint64_t ScalableParts::RoomOf(const ScalableFilter& filter) {
  return filter.impl_->generations().generations().Read()->newest().Room();
}

GrowthRefusal ScalableParts::Grow(ScalableFilter& filter) {
  Generations& generations = filter.impl_->generations().generations();
  // Only compared: the list may change as soon as no thread reads it.
  const Generation* const newest = &generations.Read()->newest();
  return generations.Grow(newest);
}

size_t ScalableParts::QueryExactly(const ScalableFilter& filter, std::span<const uint64_t> digests,
                                   std::span<uint64_t> held) noexcept {
  const GenerationsEngine& engine = filter.impl_->generations();
  if (engine.has_slices()) return filter.Query(Keys::Digests(digests), held);
  return engine.QueryExactly(digests, held);
}

void ScalableParts::FindMissing(const ScalableFilter& filter, std::span<const uint64_t> digests,
                                Shortfalls& shortfalls) {
  filter.impl_->engine->FindMissing(digests, shortfalls);
}

uint64_t ScalableParts::NumBytes(const ScalableFilter& filter) {
  const auto list = filter.impl_->generations().generations().Read();
  uint64_t num_bytes = 0;
  for (const auto& member : list->members()) {
    num_bytes += member->store().num_bytes();
  }
  return num_bytes;
}

GrowthNumbers ScalableParts::GrowthOf(const ScalableFilter& filter) {
  return trommel::GrowthOf(filter.impl_->generations());
}

Result<WrittenGenerations> ScalableParts::Write(const ScalableFilter& filter, uint32_t filter_idx,
                                                uint32_t first_store, FileWriter& file) {
  [[maybe_unused]] const auto access = filter.impl_->access_check.Enter();
  return WriteGenerations(filter.impl_->generations(), filter_idx, first_store, file);
}

Result<ScalableFilter> ScalableParts::Read(FileReader& file, const GrowthOutline& outline,
                                           uint64_t limit_bytes, GrowthPlans& plans,
                                           std::shared_ptr<MemoryBudget> budget) {
  // What the budget leaves out of the limit is used, too.
  const uint64_t limit = MemoryLimit(limit_bytes);
  const uint64_t used_bytes = limit - std::min(limit, budget->limit_bytes()) + budget->num_bytes();
  Result<std::unique_ptr<GenerationsEngine>> engine =
      ReadGenerations(file, outline, {.kind = DigestKind::kCaller}, limit_bytes, used_bytes, plans);
  if (!engine.ok()) return engine.error();
  if (!(*engine)->generations().Join(std::move(budget))) {
    return Error{ErrorCode::kOutOfMemory, "the memory limit that several filters share is used up"};
  }
  const ScalableConfig config = (*engine)->config();
  return ScalableFilter(std::make_unique<ScalableFilter::Impl>(config, *std::move(engine),
                                                               "its file has generations"));
}

const ScalableConfig& ScalableParts::ConfigOf(const ScalableFilter& filter) {
  return filter.impl_->config;
}

}  // namespace trommel
