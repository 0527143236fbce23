// The limit of side memory of generations.
#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/scalable/generations.h"

namespace trommel {

uint64_t Generations::SideBytesFor(const Geometry& geometry, uint64_t limit_bytes) const {
  const double share = static_cast<double>(geometry.num_bytes()) /
                       static_cast<double>(plan_.slot(0).geometry.num_bytes());
  const double num_bytes = std::min(static_cast<double>(limit_bytes) * share, 0x1p62);
  return std::max(static_cast<uint64_t>(num_bytes), LeastSideBytes(geometry));
}

Result<Generations::SideLimit> Generations::PrepareSideLimit(uint64_t limit_bytes) const try {
  SideLimit limit{.limit_bytes = limit_bytes, .num_bytes = 0, .changes = {}};
  if (limit_bytes != 0) {
    if (!plan_.HasSlot(0)) {
      return Error{ErrorCode::kInvalidArgument, "no generation of this filter's plan can be made"};
    }
    const Geometry& first = plan_.slot(0).geometry;
    if (const uint64_t least = LeastSideBytes(first); limit_bytes < least) {
      return Error{ErrorCode::kInvalidArgument,
                   "side_memory_limit_bytes is " + GroupedText(limit_bytes) +
                       "; it must be 0 (no limit) or at least " + GroupedText(least) +
                       ", for the first generation"};
    }
  }
  // As it was asked for, before any of it is taken: a store may need less.
  uint64_t asked_bytes = 0;
  for (const auto& member : current_->members()) {
    const Geometry& geometry = member->store().geometry();
    const uint64_t side_bytes = limit_bytes == 0 ? 0 : SideBytesFor(geometry, limit_bytes);
    asked_bytes += std::min(geometry.num_bytes() + side_bytes, ~asked_bytes);
  }
  if (Status fits = CheckMemoryLimit("the generations and their side memory need", asked_bytes,
                                     limit_bytes == 0 ? ~uint64_t{0} : limit_bytes_);
      !fits.ok()) {
    return fits.error();
  }
  for (const auto& member : current_->members()) {
    Store& store = member->store();
    const uint64_t of_this = limit_bytes == 0 ? 0 : SideBytesFor(store.geometry(), limit_bytes);
    Result<std::unique_ptr<SideLimitChange>> change = store.PrepareSideLimit(of_this);
    if (!change.ok()) return change.error();
    limit.num_bytes +=
        store.num_bytes() - store.Figures().side_table_bytes + (*change)->side_table_bytes();
    limit.changes.push_back(*std::move(change));
  }
  if (limit_bytes == 0) return limit;
  if (Status fits = CheckMemoryLimit("the generations and their side memory need", limit.num_bytes,
                                     limit_bytes_);
      !fits.ok()) {
    return fits.error();
  }
  return limit;
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

void Generations::TakeSideLimit(const SideLimit& limit) noexcept {
  for (const auto& change : limit.changes) change->Apply();
  side_limit_bytes_ = limit.limit_bytes;
  tried_ = {};
  if (budget_ == nullptr) return;
  budget_->Replace(reported_bytes_, limit.num_bytes);
  reported_bytes_ = limit.num_bytes;
}

}  // namespace trommel
