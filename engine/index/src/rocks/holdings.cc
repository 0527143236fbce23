#include "engine/index/src/rocks/holdings.h"

#include <iterator>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/held_ranges.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

void Holdings::Set(std::vector<KeyRange> ranges) {
  std::vector<KeyRange> joined = JoinRanges(std::move(ranges));
  const std::lock_guard lock(mutex_);
  const std::vector<KeyRange> taken = CutRanges(held_, joined).not_held;
  held_ = std::move(joined);
  if (taken.empty()) return;
  for (UnderWay& reading : under_way_) {
    RangeParts parts = CutRanges(reading.parts.held, taken);
    if (parts.held.empty()) continue;
    reading.parts.held = std::move(parts.not_held);
    std::vector<KeyRange>& not_held = reading.parts.not_held;
    not_held.insert(not_held.end(), std::make_move_iterator(parts.held.begin()),
                    std::make_move_iterator(parts.held.end()));
    not_held = JoinRanges(std::move(not_held));
  }
}

void Holdings::SetAnswering(bool is_answering) {
  const std::lock_guard lock(mutex_);
  is_answering_ = is_answering;
  if (is_answering) return;
  for (UnderWay& reading : under_way_) reading.has_failed = true;
}

Holdings::Reading::Reading(Holdings& holdings, std::span<const KeyRange> ranges)
    : holdings_(holdings) {
  const std::lock_guard lock(holdings_.mutex_);
  place_ = holdings_.under_way_.insert(
      holdings_.under_way_.end(),
      {.parts = CutRanges(ranges, holdings_.held_), .has_failed = !holdings_.is_answering_});
}

Holdings::Reading::~Reading() {
  const std::lock_guard lock(holdings_.mutex_);
  holdings_.under_way_.erase(place_);
}

Result<RangeParts> Holdings::Reading::Parts() const {
  const std::lock_guard lock(holdings_.mutex_);
  if (!place_->has_failed) return place_->parts;
  return Error{ErrorCode::kIo,
               holdings_.folder_.string() +
                   ": the server does not answer: it has lost writes and is being made ready"};
}

}  // namespace trommel::index
