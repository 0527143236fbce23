#include "engine/index/src/changes/table_keeper.h"

#include <atomic>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/table_recorder.h"
#include "engine/index/src/sync/steps.h"

namespace trommel::index {

static_assert(std::is_nothrow_move_assignable_v<TableRecord>, "fails after it is durable");

RecordOutcome TableChange::Record(const std::shared_ptr<RegionState>& in_doubt) {
  keeper_.in_doubt_.reserve(keeper_.in_doubt_.size() + 1);
  Step("record table");
  RecordOutcome outcome = keeper_.recorder_.Record(record_);
  if (outcome.recorded == Recorded::kUnknown && in_doubt != nullptr) {
    in_doubt->is_in_doubt = true;
    keeper_.in_doubt_.push_back(in_doubt);
  }
  if (outcome.recorded != Recorded::kDone) return outcome;
  keeper_.record_ = std::move(record_);
  keeper_.num_leftovers_ = keeper_.record_.leftovers.size();
  // Every record has the owners that are published, so it settles those that were in doubt.
  for (const std::shared_ptr<RegionState>& region : keeper_.in_doubt_) region->is_in_doubt = false;
  keeper_.in_doubt_.clear();
  return outcome;
}

bool TableKeeper::Settle() {
  TableChange change(*this);
  return in_doubt_.empty() || change.Record().recorded == Recorded::kDone;
}

}  // namespace trommel::index
