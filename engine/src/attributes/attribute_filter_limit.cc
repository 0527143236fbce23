// The limit of side memory of an attribute filter: how its sets share it, and insertions within it.
#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/scalable/generation_store.h"
#include "engine/src/scalable/scalable_parts.h"
#include "trommel/sizing.h"

namespace trommel {

namespace {

// What each set's first generation gets.
struct SideShare {
  uint64_t least_bytes = 0;
  double weight = 0;  // of what there is beyond the least of all
};

}  // namespace

Result<AttributeFilter::Impl::SideLimits> AttributeFilter::Impl::PrepareSideLimits(
    std::span<const ScalableFilter> of_filters, uint64_t limit_bytes) const try {
  // What all follows from is in files, too: a filter that is loaded shares a limit as before.
  uint64_t num_tuples_at_once = 0;
  for (const ScalableFilter& filter : of_filters) {
    num_tuples_at_once = std::max(num_tuples_at_once, filter.first_capacity());
  }
  std::vector<SideShare> shares(of_filters.size());
  uint64_t least_bytes = 0;
  double weights = 0;
  for (size_t s = 0; s < shares.size() && limit_bytes != 0; ++s) {
    const GrowthPlan& plan = ScalableParts::GenerationsOf(of_filters[s]).plan();
    if (!plan.HasSlot(0)) {
      return Error{ErrorCode::kInvalidArgument, "no generation of a set's plan can be made"};
    }
    const Geometry geometry = plan.slot(0).geometry;
    shares[s] = {
        .least_bytes = LeastSideBytes(geometry),
        .weight = 1 + static_cast<double>(PredictedSideTableBytes(geometry, num_tuples_at_once))};
    least_bytes += shares[s].least_bytes;
    weights += shares[s].weight;
  }
  if (limit_bytes < least_bytes) {
    return Error{ErrorCode::kInvalidArgument,
                 "side_memory_limit_bytes is " + GroupedText(limit_bytes) +
                     "; it must be 0 (no limit) or at least " + GroupedText(least_bytes) +
                     ", for the filters of " + GroupedText(shares.size()) + " sets"};
  }
  if (limit_bytes > frame.memory->limit_bytes()) {
    return OverMemoryLimit("the sets' side memory needs", limit_bytes, frame.memory->limit_bytes(),
                           true);
  }
  SideLimits limits;
  uint64_t num_bytes = 0;
  for (size_t s = 0; s < shares.size(); ++s) {
    const double further = static_cast<double>(limit_bytes - least_bytes);
    const uint64_t of_set =
        limit_bytes == 0
            ? 0
            : shares[s].least_bytes + static_cast<uint64_t>(further * (shares[s].weight / weights));
    Result<Generations::SideLimit> limit =
        ScalableParts::GenerationsOf(of_filters[s]).PrepareSideLimit(of_set);
    if (!limit.ok()) {
      Error error = limit.error();
      error.message = "the filter of " + AttributeMaskText(frame.sets.allowed()[s]) +
                      ", whose share of side_memory_limit_bytes is " + GroupedText(of_set) +
                      " bytes: " + error.message;
      return error;
    }
    num_bytes += limit->num_bytes;
    limits.push_back(*std::move(limit));
  }
  if (limit_bytes != 0 && num_bytes > frame.memory->limit_bytes()) {
    return OverMemoryLimit("the sets' filters and their side memory need", num_bytes,
                           frame.memory->limit_bytes(), true);
  }
  return limits;
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

void AttributeFilter::Impl::TakeSideLimits(std::span<const ScalableFilter> of_filters,
                                           const SideLimits& limits) noexcept {
  for (size_t s = 0; s < of_filters.size(); ++s) {
    ScalableParts::GenerationsOf(of_filters[s]).TakeSideLimit(limits[s]);
  }
}

Status AttributeFilter::Impl::LimitSideMemory(uint64_t limit_bytes) try {
  Result<SideLimits> limits = PrepareSideLimits(filters, limit_bytes);
  if (!limits.ok()) return limits.error();
  loads_before.resize(filters.size());
  TakeSideLimits(filters, *limits);
  side_limit_bytes = limit_bytes;
  return Ok();
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

Status AttributeFilter::LimitSideMemory(uint64_t limit_bytes) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  return impl_->LimitSideMemory(limit_bytes);
}

InsertOutcome AttributeFilter::Impl::InsertOneByOne(const Tuples& chunk,
                                                    const InsertScratch& scratch,
                                                    std::span<uint64_t> inserted) {
  const StripedSharedMutex::ExclusiveLock lock(erase_mutex);
  std::ranges::fill(inserted, 0);
  InsertOutcome total;
  for (size_t i = 0; i < chunk.size; ++i) {
    const Tuples tuple = chunk.From(i, 1);
    for (size_t s = 0; s < filters.size(); ++s) {
      loads_before[s] = ScalableParts::LoadOfNewest(filters[s]);
    }
    std::array<uint32_t, 1> place = {0};
    const InsertOutcome outcome =
        HasRoomFor(1) ? InsertPlaces(tuple, place, scratch) : InsertInTurns(tuple, place, scratch);
    if (outcome.num_refused == 0) {
      total.num_inserted += 1;
      if (!inserted.empty()) inserted[i / 64] |= uint64_t{1} << (i % 64);
      continue;
    }
    total.num_refused += 1;
    total.refusal = outcome.refusal;
    for (size_t s = 0; s < filters.size(); ++s) {
      ScalableParts::RestoreLoad(filters[s], loads_before[s]);
    }
  }
  num_tuples.fetch_add(total.num_inserted, std::memory_order_relaxed);
  num_refused_inserts.fetch_add(total.num_refused, std::memory_order_relaxed);
  return total;
}

}  // namespace trommel
