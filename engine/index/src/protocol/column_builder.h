// ColumnBuilder: fills columns that are not built from the local indexes, chunk by chunk, beside
// writers and queries; and sizes the structures of attributes.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_COLUMN_BUILDER_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_COLUMN_BUILDER_H_

#include <cstddef>
#include <span>

#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

class ColumnBuilder {
 public:
  // All of these must outlive the builder. servers[i] is server i's store.
  ColumnBuilder(ServerIndex& directory, RegionStates& regions, std::span<RowStore* const> servers);

  // Counts the pairs of each region for attributes that have no structure, and gives them one with
  // space for a quarter more than the fullest region needs; gives a larger one to attributes whose
  // fullest column has more than one and a half times its capacity. Returns whether it resized any.
  Result<bool> SizeStructures();
  // Builds one chunk of the column: at most max_values values. Returns whether the column is built,
  // or no longer to be built by this call.
  Result<bool> BuildChunk(ColumnName column, size_t max_values);
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_COLUMN_BUILDER_H_
