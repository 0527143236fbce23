// LocalLookup: the rows of one server that meet conditions, through its local index if it can.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_LOCAL_LOOKUP_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_LOCAL_LOOKUP_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_store.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

class EntryCursor;

// With indexed conditions, a cursor per condition walks the row keys of its value's entries; the
// one that lags is sent to the key of the one that leads. Keys at which all meet are candidates:
//
//   cursor 0   a . . d . . g . . j      target: the largest key that a cursor has seen
//   cursor 1   . b . d . . . . . j      d: all cursors are there, so read row d
//   cursor 2   . . . d e f . . . j      from j on, e, f and g are never compared
//
// Each row is verified against all conditions: entries and rows are read at different moments.
// Without indexed conditions all rows of a range are read.
class LocalLookup {
 public:
  // All must outlive the lookup. The share is one of the store's database.
  LocalLookup(const RocksRowStore& store, const DatabaseShare& share, const LookupRequest& request,
              LookupAnswer& answer);
  ~LocalLookup();

  // Adds the rows of the range to the answer. Requires that ranges ascend and do not overlap. Fails
  // with the store's reason, or with kIo when the deadline has passed or the store is to stop.
  Status FindIn(const KeyRange& range);

 private:
  Status FindByEntries(const KeyRange& range);
  Status ScanRows(const KeyRange& range);
  Status ReadCandidates();
  void AddIfMet(std::string_view key, const Versions& versions);
  Status VerifyTime() const;

  const RocksRowStore& store_;
  const DatabaseShare& share_;
  const LookupRequest& request_;
  LookupAnswer& answer_;
  std::vector<std::unique_ptr<EntryCursor>> cursors_;  // one per indexed condition
  std::vector<std::string> candidates_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_LOCAL_LOOKUP_H_
