// ColumnBuilder: fills columns that are not built from the local indexes, chunk by chunk, beside
// writers and queries; and sizes the structures of attributes.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_COLUMN_BUILDER_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_COLUMN_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// Thread safety: any thread; the calling thread must hold no pin.
class ColumnBuilder {
 public:
  // All of these must outlive the builder. servers[i] is server i's store.
  ColumnBuilder(ServerIndex& directory, RegionStates& regions, std::span<RowStore* const> servers);

  // Counts the pairs of each region for attributes that have no structure, and gives them one with
  // space for a quarter more than the fullest region needs. Makes successors of structures:
  //   - larger, if the fullest column has more than one and a half times its capacity;
  //   - with more columns, if there are more regions than columns;
  //   - smaller, if one with that quarter would have less than half the capacity.
  // While there is a successor, the first two are asked of it, and the third is not. Regions of
  // servers that are stopped are not counted, unless all are: then counting fails. Ends early when
  // keep_going (null: true) returns false. Returns whether it resized any, or, when all attributes
  // were tried, the first failure.
  // Cost: for attributes that have no structure, one pass per region over the values of its server.
  Result<bool> SizeStructures(const std::function<bool()>& keep_going = nullptr);
  // Builds one chunk of the column: what one walk over at most max_values values of rows finds, and
  // the values in flight. Returns whether the column is built, or no longer to be built by this
  // call. If the local index cannot be read, fails, and the column is built as far as before.
  // Requires max_values > 0. Cost: writers of the attribute in this region wait for one WalkValues,
  // and in the last chunk for changes of the directory's versions.
  Result<bool> BuildChunk(ColumnName column, size_t max_values);

 private:
  // Returns the capacity of the structure that is to replace the attribute's; none: it may stay.
  std::optional<uint64_t> CapacityWanted(const AttributeStats& of, uint32_t num_regions) const;
  // A server's filter is sized for an even share of the regions, and has all of its server's pairs.
  uint64_t RegionsPerColumn() const;
  // Counts the values of each region, in the local indexes; returns the most, or none if keep_going
  // ended it. Without locks: an estimate, as rows change meanwhile.
  Result<std::optional<uint64_t>> MostPairs(uint32_t attribute,
                                            const std::function<bool()>& keep_going) const;
  // The same of one region.
  Result<std::optional<uint64_t>> CountPairs(uint32_t attribute, const Region& region,
                                             const std::function<bool()>& keep_going) const;

  ServerIndex& directory_;
  RegionStates& regions_;
  const std::span<RowStore* const> servers_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_COLUMN_BUILDER_H_
