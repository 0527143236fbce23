// TableWriter: puts, overwrites and deletes of rows, by the steps that keep every row findable.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_TABLE_WRITER_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_TABLE_WRITER_H_

#include <span>

#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/region_write.h"
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

  // As Cluster::Write. Validates the mutations first: then fails with kInvalidArgument, and none is
  // done. All regions are tried; the first failure is returned, which names region and server.
  // Thread safety: any thread; the calling thread must hold no pin.
  Status Write(std::span<const Mutation> mutations);

 private:
  const WriteContext context_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_TABLE_WRITER_H_
