// TableKeeper: the record of the table as it is durable, and the changes of it, one at a time.
//
//   TableChange --> gates --> record() edited --> Record: durable --> the directory publishes it
//   others wait               next version made   |
//                                                 +-- fails: nothing has changed
//
// What follows a durable record must not fail: rows would go on changing by the table that was
// published before. So all that may fail for want of memory comes first.
//
// Order of locks: a TableChange, gates by region id, locks of rows, one flight table, the
// directory.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_TABLE_KEEPER_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_TABLE_KEEPER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/table_recorder.h"
#include "engine/index/src/sync/steps.h"

namespace trommel::index {

// Thread safety: any thread.
class TableKeeper {
 public:
  // The recorder must outlive the keeper.
  TableKeeper(TableRecord record, TableRecorder& recorder)
      : record_(std::move(record)), recorder_(recorder), num_leftovers_(record_.leftovers.size()) {}

  // Returns the record as it is durable. Waits for a change under way.
  TableRecord Read() const {
    const auto lock = LockThroughSteps(mutex_, "read table record");
    return record_;
  }
  // Returns how many leftovers the durable record has. Does not wait.
  size_t num_leftovers() const { return num_leftovers_.load(std::memory_order_relaxed); }
  // If a record failed and it is not known which one is durable, tries again to make the one before
  // it durable; then the regions in doubt are so no more. Returns whether none is in doubt.
  bool Settle();

  // Counts indexes that began to be dropped. The count rises under a TableChange.
  void CountDrop() { num_drops_.fetch_add(1); }
  uint64_t num_drops() const { return num_drops_.load(); }

 private:
  friend class TableChange;

  mutable std::mutex mutex_;
  TableRecord record_;
  TableRecorder& recorder_;
  std::atomic<size_t> num_leftovers_;  // of record_
  std::vector<std::shared_ptr<RegionState>> in_doubt_;
  std::atomic<uint64_t> num_drops_ = 0;
};

// One change. Others wait for its lifetime.
class TableChange {
 public:
  explicit TableChange(TableKeeper& keeper)
      : keeper_(keeper),
        lock_(LockThroughSteps(keeper.mutex_, "begin table change")),
        record_(keeper.record_) {}
  TableChange(const TableChange&) = delete;
  TableChange& operator=(const TableChange&) = delete;

  // The record, at first as it is durable; to be edited.
  TableRecord& record() { return record_; }
  // Makes the edited record durable, and takes it: record() is not to be used any more. At most
  // once. If the outcome is kUnknown, no row of this region (null: none) may change until a record
  // is known to be durable. Requires its gate alone.
  RecordOutcome Record(const std::shared_ptr<RegionState>& in_doubt = nullptr);

 private:
  TableKeeper& keeper_;
  const std::unique_lock<std::mutex> lock_;
  TableRecord record_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_TABLE_KEEPER_H_
