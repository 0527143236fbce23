// Copies of a region's rows, with their entries, from one server to another; and their removal.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_ROW_COPY_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_ROW_COPY_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// A copy fails when either store has stopped since it began.
class RowCopy {
 public:
  // All of these must outlive the copy.
  RowCopy(const ServerIndex& directory, uint32_t num_attributes, const RowStore& from, RowStore& to)
      : directory_(directory),
        num_attributes_(num_attributes),
        from_(from),
        to_(to),
        from_incarnation_(from.incarnation()),
        to_incarnation_(to.incarnation()) {}

  // Copies rows of a walk. Requires that the destination has none of them. This and the next one
  // require the region's gate, in which the rows need not have been read: an attribute's entries
  // are copied if it is maintained now, and those of one that is dropped are removed when each gate
  // was once alone.
  Status CopyRows(std::span<const RowChange> rows);
  // Copies the rows of these keys as they are now, whatever the destination has of them.
  Status CopyKeys(std::span<const std::string> keys);
  // Makes the copy durable. Fails also if either store has stopped since the copy began: then it
  // may lack rows, or the source may have lost rows that it has.
  Status Finish();

 private:
  std::vector<bool> MaintainedNow() const;
  Status VerifyBothRun() const;

  const ServerIndex& directory_;
  const uint32_t num_attributes_;
  const RowStore& from_;
  RowStore& to_;
  const uint64_t from_incarnation_;
  const uint64_t to_incarnation_;
};

// Removes the rows of the range and their entries, durably. Requires that no lookup and no
// operation uses them. Returns false if keep_going (null: true) returned false meanwhile.
Result<bool> RemoveRows(RowStore& store, uint32_t num_attributes, const KeyRange& range,
                        const std::function<bool()>& keep_going);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_ROW_COPY_H_
