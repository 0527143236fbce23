#include "engine/index/src/rocks/holdings.h"

#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/held_ranges.h"
#include "engine/index/src/rows/out_of_memory.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

void Holdings::Take(std::span<const KeyRange> taken, RangeParts& parts) {
  RangeParts cut = CutRanges(parts.held, taken);
  if (cut.held.empty()) return;
  cut.held.insert(cut.held.end(), parts.not_held.begin(), parts.not_held.end());
  // From here on nothing can fail: a range in neither part would be missed.
  parts.not_held = JoinRanges(std::move(cut.held));
  parts.held = std::move(cut.not_held);
}

void Holdings::Set(std::vector<KeyRange> ranges) noexcept {
  std::vector<KeyRange> joined = JoinRanges(std::move(ranges));
  const std::lock_guard lock(mutex_);
  held_.swap(joined);
  auto reading = under_way_.begin();
  try {
    const std::vector<KeyRange> taken = CutRanges(joined, held_).not_held;
    for (; reading != under_way_.end(); ++reading) Take(taken, reading->parts);
  } catch (const std::bad_alloc&) {
    for (; reading != under_way_.end(); ++reading) reading->lacks_memory = true;
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
  if (place_->lacks_memory) return OutOfMemory();
  if (!place_->has_failed) return place_->parts;
  return Error{ErrorCode::kIo,
               holdings_.folder_.string() +
                   ": the server does not answer: it has lost writes and is being made ready"};
}

}  // namespace trommel::index
