// TableRecorder: where the record of a table is durable. engine/index/src/rocks has the meta store;
// tests have one in memory.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROWS_TABLE_RECORDER_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROWS_TABLE_RECORDER_H_

#include <cstdint>

#include "engine/index/src/model/table_record.h"
#include "trommel/result.h"

namespace trommel::index {

enum class Recorded : uint8_t {
  kDone,     // the new record is durable
  kNotDone,  // the record before it is
  kUnknown,  // one of the two: which one shows when the meta store can be read again
};

struct RecordOutcome {
  Recorded recorded = Recorded::kDone;
  Status status = Ok();  // why it is not done
};

class TableRecorder {
 public:
  virtual ~TableRecorder() = default;

  // Makes the record durable, in one write. After a failure it reads which record is there, so
  // kUnknown means that this failed, too. If it throws std::bad_alloc, nothing was written.
  virtual RecordOutcome Record(const TableRecord& record) = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROWS_TABLE_RECORDER_H_
