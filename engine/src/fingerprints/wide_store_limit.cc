// The limit of side memory.
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/fingerprints/wide_store.h"

namespace trommel {

class WideStore::LimitChange final : public SideLimitChange {
 public:
  // No limit from now on.
  explicit LimitChange(WideStore& store) : store_(store) {}
  // `limited`: what is hidden in each owned range, with the limit.
  LimitChange(WideStore& store, uint64_t limit_bytes, std::vector<HiddenKeys> limited)
      : store_(store), limit_bytes_(limit_bytes), limited_(std::move(limited)) {}

  void Apply() noexcept override {
    store_.side_limit_bytes_ = limit_bytes_;
    for (size_t r = 0; r < store_.ranges_.size(); ++r) {
      OwnedRange& range = store_.ranges_[r];
      if (limit_bytes_ == 0) {
        range.hidden.LiftLimit();
      } else {
        range.hidden = std::move(limited_[r]);
      }
      range.side_table_bytes.Set(range.hidden.num_bytes());
    }
    // Copies may leave the lines now.
    for (uint64_t b = 0; limit_bytes_ == 0 && b < store_.geometry_.num_blocks; b += kGroupBlocks) {
      store_.SettleGroup(b);
    }
  }
  uint64_t side_table_bytes() const override {
    uint64_t num_bytes = 0;
    if (limit_bytes_ == 0) return store_.Figures().side_table_bytes;
    for (const HiddenKeys& hidden : limited_) num_bytes += hidden.num_bytes();
    return num_bytes;
  }

 private:
  WideStore& store_;
  uint64_t limit_bytes_ = 0;
  std::vector<HiddenKeys> limited_;
};

Result<std::unique_ptr<SideLimitChange>> WideStore::PrepareSideLimit(uint64_t limit_bytes) try {
  using Change = std::unique_ptr<SideLimitChange>;
  if (limit_bytes == 0) return Change(std::make_unique<LimitChange>(*this));
  const uint64_t least = HiddenKeys::LeastLimitBytes();
  if (limit_bytes / ranges_.size() < least) {
    return SideLimitTooLow(limit_bytes, least, ranges_.size());
  }
  const std::string given = "side_memory_limit_bytes is " + GroupedText(limit_bytes);
  // A block has at most one record.
  const uint64_t max_records =
      std::min(HiddenKeys::RecordsWithin(limit_bytes / ranges_.size()), blocks_per_owned_range());
  const auto fits = [&](const OwnedRange& range) {
    return range.hidden.num_blocks() <= max_records && range.hidden.AllFitRecords();
  };
  // Of a limit that is refused nothing is left: what keeps records few makes blocks undecided.
  const auto refuse = [&](std::string message) noexcept {
    for (uint64_t b = 0; side_limit_bytes_ == 0 && b < geometry_.num_blocks; b += kGroupBlocks) {
      SettleGroup(b);
    }
    return Error{ErrorCode::kOutOfMemory, std::move(message)};
  };
  if (side_limit_bytes_ == 0 && !std::ranges::all_of(ranges_, fits)) {
    SpillFewest();
    for (size_t r = 0; r < ranges_.size(); ++r) CountFigures(r);
  }
  for (const OwnedRange& range : ranges_) {
    if (range.hidden.num_blocks() > max_records) {
      return refuse(given + ", and the keys that are in need more: a range of blocks has " +
                    GroupedText(range.hidden.num_blocks()) + " records, and would have space for " +
                    GroupedText(max_records));
    }
    if (!range.hidden.AllFitRecords()) {
      return refuse(given +
                    ", and with any limit a block may hide at most 8 keys that differ, each "
                    "up to 65,535 times: a block hides more");
    }
  }
  std::vector<HiddenKeys> limited;
  limited.reserve(ranges_.size());
  for (const OwnedRange& range : ranges_) {
    limited.push_back(range.hidden);
    limited.back().LimitTo(max_records);
  }
  return Change(std::make_unique<LimitChange>(*this, limit_bytes, std::move(limited)));
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

}  // namespace trommel
