// TableWriter: puts, overwrites and deletes of rows, by the steps that keep every row findable.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_TABLE_WRITER_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_TABLE_WRITER_H_

#include <span>
#include <vector>

#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

class TableWriter {
 public:
  // All of these must outlive the writer. servers[i] is server i's store.
  TableWriter(const Schema& schema, ServerIndex& directory, RegionStates& regions,
              std::span<RowStore* const> servers);

  // As Cluster::Write. Thread safety: any thread.
  Status Write(std::span<const Mutation> mutations);
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_TABLE_WRITER_H_
