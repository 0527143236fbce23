// The limit of side memory of generations.
#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

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

Status Generations::LimitSideMemory(uint64_t limit_bytes) try {
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
  const uint64_t memory_limit = limit_bytes == 0 ? ~uint64_t{0} : limit_bytes_;
  const auto fits = [memory_limit](uint64_t num_bytes) {
    return CheckMemoryLimit("the generations and their side memory need", num_bytes, memory_limit);
  };
  // As it was asked for, before any of it is taken: a store may need less.
  uint64_t asked_bytes = 0;
  for (const auto& member : current_->members()) {
    const Geometry& geometry = member->store().geometry();
    const uint64_t side_bytes = limit_bytes == 0 ? 0 : SideBytesFor(geometry, limit_bytes);
    asked_bytes += std::min(geometry.num_bytes() + side_bytes, ~asked_bytes);
  }
  if (Status asked = fits(asked_bytes); !asked.ok()) return asked.error();
  uint64_t num_bytes = 0;
  std::vector<std::unique_ptr<SideLimitChange>> changes;
  for (const auto& member : current_->members()) {
    Store& store = member->store();
    const uint64_t of_this = limit_bytes == 0 ? 0 : SideBytesFor(store.geometry(), limit_bytes);
    Result<std::unique_ptr<SideLimitChange>> change = store.PrepareSideLimit(of_this);
    if (!change.ok()) return change.error();
    num_bytes +=
        store.num_bytes() - store.Figures().side_table_bytes + (*change)->side_table_bytes();
    changes.push_back(*std::move(change));
  }
  if (Status all = fits(num_bytes); !all.ok()) return all.error();
  for (const auto& change : changes) change->Apply();
  side_limit_bytes_ = limit_bytes;
  tried_ = {};
  return Ok();
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

}  // namespace trommel
