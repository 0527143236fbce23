// The limit of a block store's side memory.
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/block_store.h"
#include "kernels/run_block.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

// How many promoted blocks in a hundred hold more than 63 keys. Planes promote few but those with
// hot keys, and runs of 4 slices of 64 positions none with fewer. Other runs promote blocks with
// about half as many keys.
uint64_t CrowdedPercent(const Geometry& geometry) {
  const bool have_few_keys = geometry.encoding == Encoding::kRuns &&
                             kernels::RunCapacity(geometry.num_slices) < kernels::kMaxLongRunKeys;
  return have_few_keys ? 4 : 100;
}

}  // namespace

// A block stays promoted until a few more keys have left than need to.
void BlockStore::ReturnWhatFits() {
  Counters counters;
  for (const uint64_t block_idx : side_table_.SortedBlocks()) {
    ReadCounters(block_idx, counters);
    if (!encoding_->fits(std::span(counters).first(num_counters()), geometry_.num_slices)) continue;
    (void)WriteCounters(block_idx, counters);  // in the block: needs no memory
  }
}

uint64_t BlockStore::LeastSideBytes(const Geometry& geometry) {
  return SideTable(1, geometry.num_slices, 0).LeastLimitBytes() << OwnedRangeBits(geometry);
}

class BlockStore::LimitChange final : public SideLimitChange {
 public:
  // No limit from now on.
  explicit LimitChange(BlockStore& store) : store_(store) {}
  LimitChange(BlockStore& store, uint64_t limit_bytes, SideTable limited)
      : store_(store), limit_bytes_(limit_bytes), limited_(std::move(limited)) {}

  void Apply() noexcept override {
    store_.side_limit_bytes_ = limit_bytes_;
    if (limit_bytes_ == 0) {
      store_.side_table_.LiftLimit();
    } else {
      store_.side_table_ = std::move(limited_);
    }
  }
  uint64_t side_table_bytes() const override {
    return limit_bytes_ == 0 ? store_.side_table_.num_bytes() : limited_.num_bytes();
  }

 private:
  BlockStore& store_;
  uint64_t limit_bytes_ = 0;
  SideTable limited_;
};

Result<std::unique_ptr<SideLimitChange>> BlockStore::PrepareSideLimit(uint64_t limit_bytes) try {
  using Change = std::unique_ptr<SideLimitChange>;
  if (limit_bytes == 0) return Change(std::make_unique<LimitChange>(*this));
  const uint64_t least = side_table_.LeastLimitBytes();
  if (limit_bytes / num_owned_ranges() < least) {
    return SideLimitTooLow(limit_bytes, least, num_owned_ranges());
  }
  const SideTable::RangeLimit limit =
      side_table_.LimitWithin(limit_bytes / num_owned_ranges(), CrowdedPercent(geometry_));
  if (side_limit_bytes_ == 0 && !side_table_.IsWithin(limit)) ReturnWhatFits();
  if (!side_table_.IsWithin(limit)) {
    return Error{ErrorCode::kOutOfMemory,
                 "side_memory_limit_bytes is " + GroupedText(limit_bytes) +
                     ", and the keys that are in need more: a range of blocks would have "
                     "space for " +
                     GroupedText(limit.max_blocks) + " promoted blocks and the counters of " +
                     GroupedText(limit.max_arrays) + " with more than 63 keys"};
  }
  return Change(std::make_unique<LimitChange>(*this, limit_bytes, side_table_.LimitedTo(limit)));
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

}  // namespace trommel
